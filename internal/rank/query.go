package rank

import (
	"regexp"
	"strings"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
)

// maxWords bounds the distinct words of a question that are looked up, maxNames its look-up names.
const (
	maxWords = 64
	maxNames = 64
	// maxText is how much of a question is read, in bytes. The rest of a pasted log would only drown its beginning.
	maxText = 16 << 10
)

// Query is a question, read.
type Query struct {
	Text   string
	Words  []code.Term // distinct words, in order of first occurrence
	Names  []code.Term // look-up terms: whole names and file stems that it may mean
	Symbol *Symbol     // set when the whole question is one name

	weights  []float64       // of each of Words, before idf
	compound []bool          // of each of Words: the whole of an identifier of several parts
	byStem   map[string]int  // stemmed part → index in Words
	phrases  map[string]bool // one to four adjacent words, joined, a plural's s cut
}

// Symbol is a question that is one identifier or a qualified name such as "Server::run".
type Symbol struct {
	Name      string
	Qualifier string // what stands before the name, its last part; "" for none
}

// A name, or names joined by the qualifying signs of the languages we know.
var symbolForm = regexp.MustCompile(`^[\pL_$@][\pL\pN_$]*(?:(?:::|->|\.|\\|#|/)[\pL_$][\pL\pN_$]*)*[!?=]?(?:\(\))?$`)

var qualifierSigns = regexp.MustCompile(`::|->|[.\\#/]`)

// Parse reads a question. Any text is one: there is no syntax.
func Parse(text string) *Query {
	q := &Query{Text: text, byStem: make(map[string]int), phrases: make(map[string]bool)}
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "")
	}
	q.Symbol = symbol(strings.TrimSpace(text))

	var parts, idents []string // in order: lower-case parts, whole identifiers
	for i := 0; ; {
		start, end := lexical.NextIdent(text, i)
		if start == len(text) {
			break
		}
		ident := text[start:end]
		i = end
		if len(ident) > lexical.MaxIdent {
			continue
		}
		n := len(parts)
		lexical.Split(ident, func(p string) { parts = append(parts, p) })
		if len(parts)-n > 1 {
			idents = append(idents, lexical.Join(ident))
		}
		own := parts[n:]
		lexical.Words(ident, func(w string) { q.add(w, own, q.Symbol != nil) })
	}
	q.names(parts, idents)
	return q
}

// add counts one word of an identifier with the parts own.
func (q *Query) add(word string, own []string, keepStopwords bool) {
	weight, compound := 1.0, len(own) > 1 && word == strings.Join(own, "")
	for _, p := range own {
		if compound || lexical.Stem(p) != word {
			continue
		}
		switch {
		case stopwords[p] && !keepStopwords:
			return
		case genericWords[p] || stopwords[p]:
			weight = .6
		}
	}
	term := lexical.Word(word)
	for _, have := range q.Words {
		if have.ID == term.ID {
			return
		}
	}
	if len(q.Words) == maxWords {
		return
	}
	if !compound {
		q.byStem[word] = len(q.Words)
	}
	q.Words = append(q.Words, term)
	q.weights = append(q.weights, weight)
	q.compound = append(q.compound, compound)
}

// names collects the look-up terms: the identifiers, and one to four adjacent words joined.
func (q *Query) names(parts, idents []string) {
	seen := make(map[string]bool)
	add := func(joined string) {
		if len(joined) < 2 || seen[joined] {
			return
		}
		seen[joined] = true
		for _, t := range []code.Term{lexical.Name(joined), lexical.FileName(joined)} {
			if len(q.Names) < maxNames {
				q.Names = append(q.Names, t)
			}
		}
	}
	for _, id := range idents {
		add(id)
	}
	lone := func(p string) bool { return stopwords[p] || genericWords[p] }
	for n := 1; n <= 4; n++ {
		for i := 0; i+n <= len(parts); i++ {
			run := parts[i : i+n]
			if n == 1 && lone(run[0]) && q.Symbol == nil {
				continue
			}
			joined := strings.Join(run, "")
			q.phrases[singular(joined)] = true
			if n <= 3 && !stopwords[run[0]] && !stopwords[run[n-1]] {
				add(joined)
			}
		}
	}
}

// singular cuts the s of a plural.
func singular(word string) string {
	if len(word) > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") {
		return word[:len(word)-1]
	}
	return word
}

func symbol(text string) *Symbol {
	if len(text) > 2*lexical.MaxIdent || !symbolForm.MatchString(text) {
		return nil
	}
	text = strings.TrimRight(strings.TrimSuffix(text, "()"), "!?=")
	parts := qualifierSigns.Split(text, -1)
	s := &Symbol{Name: strings.TrimLeft(parts[len(parts)-1], "$@")}
	if len(parts) > 1 {
		s.Qualifier = parts[len(parts)-2]
	}
	return s
}
