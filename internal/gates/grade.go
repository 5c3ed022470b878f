package gates

// Grade says how sure an answer is of a result. It means the same in text, JSON and prompts.
type Grade string

// The grades, the surest first.
const (
	Strong Grade = "strong" // from Options.InjectAt on: sure enough to stand in a prompt as text
	// from Options.MinRelevance on: text at the command line; in a prompt text where room is left, else a pointer
	Likely   Grade = "likely"
	Possible Grade = "possible" // below, and at least Options.Floor: a guess, always a pointer
)

// GradeOf is the grade of a relevance; "" below all of them. It expects Options without zero fields.
func (o Options) GradeOf(relevance float64) Grade {
	switch {
	case relevance >= max(o.InjectAt, o.MinRelevance):
		return Strong
	case relevance >= o.MinRelevance:
		return Likely
	case o.Pointers > 0 && relevance >= o.Floor:
		return Possible
	}
	return ""
}
