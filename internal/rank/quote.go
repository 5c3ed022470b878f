package rank

import (
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
)

// Bounds of the texts that a question may quote: their number, the words of each, and how many words may be other than
// in the quote at one place (a value where the code has a verb of its format).
const (
	maxQuotes     = 8
	maxQuoteWords = 64
	gapInQuote    = 3
	gapInText     = 1
)

// What is a quote: so many words of it stand in order in the text, and such a share of all. A quote that stands there
// whole may be shorter.
const (
	quotedWords = 6
	quotedShare = .6
	wholeWords  = 5

	// a chunk with most of a quote has so much of its weight: values that are other than in the quote may be rare words
	mostTogether   = .3
	strictTogether = .75
)

// Quotes are the texts that a question may quote from a file: itself, its lines if it has several, and what stands
// between quotation marks. They are looked for word by word, as they are written but for the case of ASCII letters.
type Quotes struct {
	list     []quote
	together float64 // see Together
}

type quote struct {
	words  int              // how many, at most maxQuoteWords
	strict bool             // nothing but all of it counts
	at     map[uint64][]int // where each stands, by its hash; the last first
	some   uint64           // a bit for each hash mod 64
}

// Quotes reads them from the question's text.
func (q *Query) Quotes() *Quotes {
	out := &Quotes{}
	text := q.Text[:min(len(q.Text), maxText)]
	for line := range strings.SplitSeq(text, "\n") {
		out.add(line, q.Shape == Asked)
		for _, mark := range []string{`"`, "'", "`"} {
			parts := strings.Split(line, mark)
			for i := 1; i+1 < len(parts); i += 2 {
				out.add(parts[i], true)
			}
		}
	}
	if len(out.list) == 1 && !strings.Contains(text, "\n") {
		out.together = mostTogether
		if out.list[0].strict {
			out.together = strictTogether
		}
	}
	return out
}

// None reports whether the question is too short to quote anything.
func (q *Quotes) None() bool { return len(q.list) == 0 }

func (q *Quotes) add(text string, strict bool) {
	if len(q.list) == maxQuotes {
		return
	}
	var words []uint64
	for start, end := lexical.NextIdent(text, 0); start < len(text) && len(words) < maxQuoteWords; start,
		end = lexical.NextIdent(text, end) {
		words = append(words, foldedHash(text[start:end]))
	}
	if len(words) < wholeWords {
		return
	}
	out := quote{words: len(words), strict: strict, at: make(map[uint64][]int, len(words))}
	for i, w := range slices.Backward(words) {
		out.at[w] = append(out.at[w], i)
		out.some |= 1 << (w % 64)
	}
	q.list = append(q.list, out)
}

// Together is the least [Scored].Together of a file that may hold a quote; 0 if that does not tell, since the question says other things besides.
func (q *Quotes) Together() float64 { return q.together }

// Quoted is a place that holds a quote, or most of it.
type Quoted struct {
	First, Last int  // lines, from 1
	Words       int  // of the quote; 0: there is no such place
	Whole       bool // it holds all of them
}

// Find returns the place in lines that holds the most of a quote. It takes one pass for each quote.
func (q *Quotes) Find(lines []string) (most Quoted) {
	for i := range q.list {
		if at := q.list[i].find(lines); at.Words > most.Words {
			most = at
		}
	}
	return most
}

// chain is a run of a quote's words in a text, a few others between them.
type chain struct {
	words, first int // how many, and the line of the first
	at           int // number of the text's word that ends it, from 1; 0: there is none
}

// find is the longest chain of the quote in lines if that is long enough.
func (q *quote) find(lines []string) (at Quoted) {
	var ended [maxQuoteWords]chain // the latest that ended at each word of the quote
	var best chain
	n := 0
	for no, line := range lines {
		for start, stop := lexical.NextIdent(line, 0); start < len(line); start, stop = lexical.NextIdent(line, stop) {
			n++
			h := foldedHash(line[start:stop])
			if q.some&(1<<(h%64)) == 0 {
				continue
			}
			for _, j := range q.at[h] {
				c := chain{words: 0, first: no + 1}
				for _, before := range ended[max(j-1-gapInQuote, 0):j] {
					if before.words > c.words && before.at < n && before.at >= n-1-gapInText {
						c = before
					}
				}
				c.words, c.at = c.words+1, n
				ended[j] = c
				if c.words > best.words {
					best, at.Last = c, no+1
				}
			}
		}
	}
	at.First, at.Words, at.Whole = best.first, best.words, best.words == q.words
	if at.Whole || !q.strict && at.Words >= quotedWords && float64(at.Words) >= quotedShare*float64(q.words) {
		return at
	}
	return Quoted{}
}

// foldedHash is the FNV-1a hash of a word, ASCII letters in lower case.
func foldedHash(word string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(word) {
		c := word[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

// Repeats reports whether a file is one that says again what other files say: a test, an example or a text.
func Repeats(path code.Path) bool {
	p := partsOf(path)
	return slices.ContainsFunc(priors, func(x prior) bool {
		return (x.feature == testFile || x.feature == example || x.feature == prose) && x.is(p)
	})
}
