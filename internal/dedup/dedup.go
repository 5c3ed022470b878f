// Package dedup finds the items that a conversation says already.
//
// Package prompt calls [FindRedundant] with the texts that it would put into a prompt and the messages that the agent
// has in its live window. A text is redundant if one of the last N messages of that window says it:
//
//   - verbatim: the message holds the text, white space aside; or
//   - by cosine: their vectors have a cosine above .85; or, where there are no vectors because there is no embedder or it failed,
//   - by words: more than half of the text's words stand in one stretch of the message. Where there are vectors, this counts from a
//     cosine of .7.
//
// A message that is similar and claims something else makes nothing redundant: of its sentence that is most like the
// text, numbers, names (db-2, ES256, src/a.go) and opposites (before and after, Postgres and MySQL) have to be the
// same, and what one of them negates the other has to negate.
//
// The measure of the last is containment, not Jaccard: the number of distinct words of the text that are found, over
// the number of distinct words of the text. A long message does say a short text, though they differ in most words. So
// that a long message does not say everything, the words must stand together, within twice the length of the text.
// Words are those of package lexical, stemmed, of at least three letters, without the commonest.
//
// # The window
//
// It is that of one agent: messages of others do not count, nor does what stood before the last compaction, for the
// agent has it no more. A message that marks a compaction counts itself, as it holds the summary. Without messages
// nothing is redundant. How many of the last messages count is a plan's matter (package intent). All of them count
// alike unless [Options] has a Fade, which lowers the similarity to a message for each one after it: what is further up
// gets less of a model's attention, so it has to be said more clearly to make an item redundant.
//
// The package is pure: the vectors come from a function that the caller gives.
package dedup

import (
	"cmp"
	"strings"
)

// Message is one message of a conversation.
type Message struct {
	Agent     string // whose window it is in; "" means the agent that is asked for
	Content   string
	Compacted bool // at this point the agent's window was compacted: what was before is gone, Content is the summary
}

// Options say when a text is redundant.
type Options struct {
	Agent   string  // whose window counts; "" means that of messages without an agent
	Turns   int     // number of last messages that count, from 1; 0 means 5
	Cosine  float64 // cosine above which a text is redundant, above 0 to 1; 0 means .85
	Overlap float64 // share of words above which a text is redundant, above 0 to 1; 0 means .5
	Fade    float64 // factor of similarity for each later message, above 0 to 1; 0 means 1: none
}

// WithDefaults fills in what is 0.
func (o Options) WithDefaults() Options {
	o.Turns = cmp.Or(o.Turns, 5)
	o.Cosine = cmp.Or(o.Cosine, .85)
	o.Overlap = cmp.Or(o.Overlap, .5)
	o.Fade = cmp.Or(o.Fade, 1)
	return o
}

// Measure is how a text was found to be redundant.
type Measure string

// The measures.
const (
	Verbatim Measure = "verbatim"
	Cosine   Measure = "cosine"
	Words    Measure = "words"
)

// Verdict is what is known of one text.
type Verdict struct {
	Redundant bool
	By        Measure // "" without a message that is similar at all
	Score     float64 // the highest similarity by that measure, 0 to 1, faded
	Message   int     // index of the message that has it, in the caller's messages; -1 without one
}

// Result is the answer of FindRedundant.
type Result struct {
	Verdicts []Verdict // one for each text
	ByWords  bool      // texts were compared by words, as there were no vectors
	Err      error     // why the embedder was no help; the verdicts hold all the same
}

// Embedder gives a vector for each text, all of one dimension.
type Embedder func(texts []string) ([][]float32, error)

// FindRedundant reports for each text whether the window of messages, oldest first, says it already. embed may be nil;
// it is called at most once, and not at all if nothing can be redundant. Options are to be valid; those that are 0 get
// their defaults.
func FindRedundant(texts []string, messages []Message, o Options, embed Embedder) Result {
	o = o.WithDefaults()
	r := Result{Verdicts: make([]Verdict, len(texts))}
	for i := range r.Verdicts {
		r.Verdicts[i].Message = -1
	}
	live := window(messages, o)
	if len(live) == 0 || len(texts) == 0 {
		return r
	}
	fade := make([]float64, len(live))
	f := 1.0
	for k := len(live) - 1; k >= 0; k-- {
		fade[k], f = f, f*o.Fade
	}
	r.ByWords = true
	var sims [][]float64
	if embed != nil {
		if sims, r.Err = cosines(texts, live, messages, embed); r.Err == nil {
			r.ByWords = false
		}
	}
	c := newComparer(messages, live)
	defer c.close()
	for i, text := range texts {
		overlap, verbatim := c.compare(text, o.Overlap)
		j := textComparison{Options: o, comparer: c, text: text, fade: fade, overlap: overlap}
		if !r.ByWords {
			j.cosine = sims[i]
		}
		r.Verdicts[i] = j.verdict(live, verbatim)
	}
	return r
}

// nearMargin is how far below the cosine that makes a text redundant one may lie where most of its words are said, too.
const nearMargin = .15

// textComparison compares one text with the live messages.
type textComparison struct {
	Options
	*comparer
	text    string
	claims  []sentence // of text, once they are asked for
	fade    []float64
	cosine  []float64 // nil: there are no vectors
	overlap []float64
}

// verdict is that of the most similar message of those that make the text redundant, or else of all, the later first
// between equals.
func (j *textComparison) verdict(live []int, verbatim int) Verdict {
	if verbatim >= 0 && (len(j.textClaims()) > 1 || j.agrees(j.textClaims(), verbatim)) {
		// of several sentences no negator stands before the first
		return Verdict{true, Verbatim, 1, live[verbatim]}
	}
	best := Verdict{Message: -1}
	for k := len(live) - 1; k >= 0; k-- {
		v := Verdict{By: Words, Score: j.overlap[k] * j.fade[k], Message: live[k]}
		v.Redundant = v.Score > j.Overlap
		if j.cosine != nil {
			cosine := j.cosine[k] * j.fade[k]
			v.Redundant = v.Redundant && cosine > j.Cosine-nearMargin
			if cosine > j.Cosine || !v.Redundant {
				v.By, v.Score, v.Redundant = Cosine, cosine, cosine > j.Cosine
			}
		}
		if better := v.Redundant && !best.Redundant || v.Redundant == best.Redundant && v.Score > best.Score; !better {
			continue
		}
		if v.Redundant && !j.agrees(j.textClaims(), k) {
			if v.Redundant = false; best.Redundant || v.Score <= best.Score {
				continue
			}
		}
		best = v
	}
	return best
}

func (j *textComparison) textClaims() []sentence {
	if j.claims == nil {
		j.claims = claims(j.text)
	}
	return j.claims
}

// window are the indexes of the messages that count, oldest first.
func window(messages []Message, o Options) []int {
	var live []int
	for i, m := range messages {
		if m.Agent != "" && m.Agent != o.Agent {
			continue
		}
		if m.Compacted {
			live = live[:0]
		}
		if strings.TrimSpace(m.Content) != "" {
			live = append(live, i)
		}
	}
	return live[max(0, len(live)-o.Turns):]
}
