package rank

import (
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
)

// maxWords bounds the distinct words of a question that are looked up, maxNames its look-up names, maxRelated the words
// that stand in for its own.
const (
	maxWords   = 64
	maxNames   = 64
	maxRelated = 96
	// maxText is how much of a question is read, in bytes. The rest of a pasted log would only drown its beginning.
	maxText = 16 << 10
)

// What the first and the last word of a question weigh.
const leanMost, leanLeast = 1.2, .8

// Query is a question, read.
type Query struct {
	Text   string
	Shape  Shape
	Words  []code.Term // distinct words, in order of first occurrence
	Names  []code.Term // look-up terms: whole names and file stems that it may mean
	Symbol *Symbol     // set when the whole question is one name
	// Embedder made the vectors that the candidates' cosines come from; its name, set by the caller. Of any but
	// FittedTo, "" too, Score takes only what they tell of the candidates beside each other.
	Embedder string

	words    []queryWord
	byStem   map[string]int    // stemmed part → index in Words
	related  map[string]int    // stem of a word of the thesaurus → index of the word that it stands in for
	pooled   []pooled          // those of related that are looked up
	initials map[string][]int  // first letters of two or three adjacent words → indexes of the words
	pairs    []wordPair        // adjacent words that may be one name
	phrases  map[string]bool   // one to four adjacent words, joined, a plural's s cut
	asides   []bool            // of each of idents: it is named in passing wherever it stands
	idents   []Symbol          // names in the shape of code; Symbol alone if it is set
	paths    []string          // paths and file names, lower case
	versions []int             // that it names: 3 of "v3", at most maxCopies
	asked    [numFeatures]bool // priors that do not hold: it asks for such files
	mended   bool              // it was made by Correct
}

// queryWord is what is known of one of Words.
type queryWord struct {
	part     string  // as it was first written, lower case; "" for a compound
	stem     string  // "" for a compound
	weight   float64 // before idf
	compound bool    // the whole of an identifier of several parts
	form     bool    // it stands for words of the question, and is none of them
	// for a word that may be a name of several parts in small letters: the number of that name among Words; 0: none
	whole int
}

// pooled is a term that counts for a word, at a discount.
type pooled struct {
	term code.TermID
	word int
}

// Parse reads a question. Any text is one: there is no syntax.
func Parse(text string) *Query {
	q := &Query{Text: text, byStem: make(map[string]int), phrases: make(map[string]bool), related: make(map[string]int),
		initials: make(map[string][]int)}
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "")
	}
	if q.Symbol = symbol(strings.TrimSpace(text)); q.Symbol != nil {
		q.Shape, q.idents, q.asides = Name, []Symbol{*q.Symbol}, []bool{false}
	} else {
		q.Shape = shapeOf(text)
	}
	var parts, idents []string // in order: lower-case parts, whole identifiers
	said := text
	if q.Shape != Long { // a long text tells what its links are to
		said = withoutAddresses(text)
	}
	for i := 0; ; {
		start, end := lexical.NextIdent(said, i)
		if start == len(said) {
			break
		}
		ident := said[start:end]
		i = end
		if len(ident) > lexical.MaxIdent {
			continue
		}
		k := len(parts)
		lexical.Split(ident, func(p string) { parts = append(parts, p) })
		if len(parts)-k > 1 {
			idents = append(idents, lexical.Join(ident))
		}
		own := parts[k:]
		lexical.Words(ident, func(w string) { q.add(w, own) })
	}
	q.lean()
	q.names(parts, idents)
	q.readSigns(text, parts)
	q.readVersions(parts)
	q.sayInCode(parts)
	q.relate()
	q.pair(parts)
	return q
}

// Lookups are the terms whose postings Score wants of a file, in its order: Words, then words that stand in for them.
func (q *Query) Lookups() []code.TermID {
	ids := make([]code.TermID, 0, len(q.Words)+len(q.pooled))
	for _, w := range q.Words {
		ids = append(ids, w.ID)
	}
	for _, p := range q.pooled {
		ids = append(ids, p.term)
	}
	for i := range q.pairs {
		ids = append(ids, q.pairs[i].terms...)
	}
	return ids
}

// Terms are the terms of Words.
func (q *Query) Terms() []code.TermID { return q.Lookups()[:len(q.Words)] }

// add counts one word of an identifier with the parts own.
func (q *Query) add(word string, own []string) {
	w := queryWord{weight: 1, compound: len(own) > 1 && word == strings.Join(own, "")}
	for _, p := range own {
		if w.compound || lexical.Stem(p) != word {
			continue
		}
		w.part, w.stem = p, word
		switch {
		case stopwords[p] && q.Shape != Name:
			return
		case stopwords[p], genericWords[p] && q.Shape != Task && q.Shape != Long:
			w.weight = .6
		}
	}
	term := lexical.Word(word)
	if len(q.Words) == maxWords || slices.ContainsFunc(q.Words, func(have code.Term) bool {
		return have.ID == term.ID
	}) {
		return
	}
	if !w.compound {
		q.byStem[word] = len(q.Words)
	}
	q.Words = append(q.Words, term)
	q.words = append(q.words, w)
	if q.Symbol != nil && len(own) == 1 {
		q.addWhole(len(q.Words) - 1)
	}
}

// addWhole adds the name of several parts that word k may be, in small letters: its words are looked up as it stands,
// where a word of a text is by its stem.
func (q *Query) addWhole(k int) {
	w := &q.words[k]
	term := lexical.Word(w.part)
	if w.part == "" || w.part == w.stem || len(w.part) > lexical.MaxIdent || len(q.Words) == maxWords ||
		slices.Contains(q.Words, term) {
		return
	}
	w.whole = len(q.Words)
	q.Words = append(q.Words, term)
	q.words = append(q.words, queryWord{weight: w.weight, compound: true, form: true})
}

// lean makes the words of a question weigh more the earlier they come: what it is about stands before what that does or
// is for.
func (q *Query) lean() {
	if q.Shape != Question && q.Shape != Keywords {
		return
	}
	n := len(q.byStem)
	k := 0
	for i := range q.words {
		if !q.words[i].compound {
			q.words[i].weight *= leanMost - (leanMost-leanLeast)*float64(k)/float64(max(n-1, 1))
			k++
		}
	}
}

// names collects the look-up terms: the identifiers, and one to four adjacent words joined.
func (q *Query) names(parts, idents []string) {
	seen := make(map[string]bool)
	add := func(joined string) {
		if len(joined) < 2 || seen[joined] {
			return
		}
		seen[joined] = true
		q.addNames(joined)
	}
	for _, id := range idents {
		add(id)
	}
	if q.Symbol != nil && len(lexical.Join(q.Symbol.Name)) < 2 {
		// a word of a text so short tells nothing, a name that is all there is does
		q.addNames(lexical.Key(q.Symbol.Name))
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

// addNames adds the look-up terms of a name.
func (q *Query) addNames(joined string) {
	for _, t := range []code.Term{lexical.Name(joined), lexical.FileName(joined)} {
		if len(q.Names) < maxNames {
			q.Names = append(q.Names, t)
		}
	}
}

// relate finds the words that may stand in for the question's own: of the thesaurus, and initials of its phrases.
func (q *Query) relate() {
	for i := range q.words {
		related(q.words[i].stem, func(stem string) {
			if _, own := q.byStem[stem]; own {
				return
			}
			if _, have := q.related[stem]; have {
				return
			}
			q.related[stem] = i
			if relatedWeight[q.Shape] > 0 && len(q.pooled) < maxRelated {
				q.pooled = append(q.pooled, pooled{lexical.Word(stem).ID, i})
			}
		})
	}
}

// singular cuts the s of a plural.
func singular(word string) string {
	if len(word) > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") {
		return word[:len(word)-1]
	}
	return word
}
