package intent

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// reader takes one text apart.
type reader struct {
	data *data
	text string

	paths         []Ref    // of the whole text, in order
	prose         [][2]int // lines of prose
	codeAndTraces [][2]int // lines of code and traces
	words         []word
	entities      []Entity
	traces        int // lines of stack traces, compiler errors, failed tests
	code          int // lines of code
	asks          bool

	clause       int32
	start, opens bool // the next word begins a clause, a sentence
	next         int  // path that comes next
	fence        string
}

// read sorts the lines into prose, code and traces and reads the words of the prose.
func (r *reader) read() {
	r.paths = Paths(r.text)
	for at := 0; at < len(r.text); {
		end := len(r.text)
		if i := strings.IndexByte(r.text[at:], '\n'); i >= 0 {
			end = at + i
		}
		r.line(at, end)
		at = end + 1
	}
	for _, ref := range r.paths {
		r.entity(File, ref.Path)
	}
	for _, span := range r.codeAndTraces {
		r.idents(r.text[span[0]:span[1]])
	}
}

func (r *reader) line(at, end int) {
	line := r.text[at:end]
	trimmed := strings.TrimSpace(line)
	mark := ""
	if strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") {
		mark = trimmed[:3]
	}
	switch {
	case trimmed == "":
		r.clause++
		r.start, r.opens = true, true
		return
	case r.fence == "" && mark != "":
		r.fence = mark
		r.code++
		if strings.Contains(trimmed[3:], mark) { // all in one line
			r.fence = ""
		}
	case r.fence != "" && mark == r.fence:
		r.fence = ""
	case r.isTrace(trimmed, at+strings.Index(line, trimmed)):
		r.traces++
		r.codeAndTraces = append(r.codeAndTraces, [2]int{at, end})
	case r.fence != "" || isCode(line, trimmed):
		r.code++
		r.codeAndTraces = append(r.codeAndTraces, [2]int{at, end})
	default:
		r.prose = append(r.prose, [2]int{at, end})
		if first, _ := utf8.DecodeRuneInString(trimmed); at == 0 || !unicode.IsLower(first) {
			r.clause++
			r.start, r.opens = true, true
		}
		r.scan(at, end)
		return
	}
	r.clause++
	r.start, r.opens = true, true
}

// isCode reports whether a line outside of fences looks like code.
func isCode(line, trimmed string) bool {
	switch trimmed[len(trimmed)-1] {
	case '{', '}', ';':
		return true
	}
	for _, p := range [...]string{"$ ", "#include", "//", "/*", "*/", "@@ ", "+++ ", "diff --git"} {
		if strings.HasPrefix(trimmed, p) {
			return true
		}
	}
	for _, p := range [...]string{"def ", "func ", "fn ", "function ", "class ", "pub fn ", "async def "} {
		if strings.HasPrefix(trimmed, p) && strings.ContainsRune(trimmed, '(') &&
			strings.ContainsAny(trimmed[len(trimmed)-1:], "):") {
			return true
		}
	}
	most := -1 // plain words that code may have
	for _, op := range [...]string{
		" := ", " == ", " != ", " => ", "();", " += ", " -= ", " && ", " || ", "</", ">();",
	} {
		if strings.Contains(trimmed, op) {
			most = 4
		}
	}
	if most < 0 && strings.Contains(trimmed, " = ") {
		most = 3
	}
	if indented := strings.HasPrefix(line, "    ") || line[0] == '\t'; most < 0 && indented &&
		strings.ContainsAny(trimmed, "(){}=<>[]") {
		most = 2
	}
	words := 0
	for w := range strings.FieldsSeq(trimmed) {
		if plain(w) {
			words++
		}
	}
	return words <= most
}

// entity notes an entity, once.
func (r *reader) entity(kind EntityKind, text string) {
	if e := (Entity{kind, text}); len(r.entities) < MaxEntities && len(text) > 1 && !slices.Contains(r.entities, e) {
		r.entities = append(r.entities, e)
	}
}

// topics are the telling words, the most frequent first.
func (r *reader) topics() []string {
	type topic struct {
		text  string
		count int
	}
	var list []topic
	index := map[string]int{}
	for _, w := range r.words {
		if w.ident || len(w.text) < 3 || r.data.stop[w.text] || strings.Trim(w.text, "0123456789") == "" {
			continue
		}
		if i, ok := index[w.text]; ok {
			list[i].count++
			continue
		}
		index[w.text] = len(list)
		list = append(list, topic{w.text, 1})
	}
	slices.SortStableFunc(list, func(a, b topic) int { return b.count - a.count })
	var out []string
	for _, t := range list[:min(len(list), MaxTopics)] {
		out = append(out, t.text)
	}
	return out
}

// query is the prose in one line, then entities that it does not name.
func (r *reader) query() string {
	var b strings.Builder
	add := func(w string) bool {
		if b.Len()+len(w)+1 > MaxQuery {
			return false
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w)
		return true
	}
	for _, span := range r.prose {
		for w := range strings.FieldsSeq(r.text[span[0]:span[1]]) {
			if !add(strings.ToValidUTF8(w, "")) {
				break
			}
		}
	}
	for _, e := range r.entities {
		if !strings.Contains(b.String(), e.Text) {
			add(e.Text)
		}
	}
	return b.String()
}
