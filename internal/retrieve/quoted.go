package retrieve

import (
	"cmp"
	"context"
	"slices"

	"github.com/contextd/contextd/internal/rank"
)

// quotedIn is how many files are looked through for text that the question quotes: if that is the whole question, those
// with the most of its words in one chunk; else the first in order.
const quotedIn = 6

// repeatedWords is how many words a test or a text has to hold of what it repeats: shorter sentences stand there that
// are questions themselves.
const repeatedWords = 10

// quotedExplained says in an explanation why quoted text is shown.
var quotedExplained = rank.Contribution{Feature: "quoted_text", Value: 1, Weight: 1}

// quoted finds where text of the question stands word by word, an error message for one: these places are shown as if
// the question named their lines. Tests say again what others say, so they come last, and only where they hold all of
// it and it is long. It returns true if a file has changed and its features are new.
func (s *serving) quoted(ctx context.Context, order []rank.Scored) (places []askedPlace, changed bool) {
	if s.quotes == nil || s.quotes.None() {
		return nil, false
	}
	type quote struct {
		askedPlace
		class int // 0 for a whole quote, 1 for most of one, 2 for one that a test or a text repeats
		words int
	}
	var found []quote
	least := s.quotes.Together()
	if least > 0 {
		order = slices.Clone(order)
		slices.SortStableFunc(order, func(a, b rank.Scored) int { return cmp.Compare(b.Together, a.Together) })
	}
	for _, x := range order[:min(quotedIn, len(order))] {
		if ctx.Err() != nil || x.Together < least {
			break
		}
		c := &s.cands[x.File]
		if !c.opened {
			changed = s.open(ctx, x.File) || changed
		}
		of := s.quotes.Find(c.lines)
		q := quote{askedPlace: askedPlace{path: c.entry.Path, first: of.First, last: of.Last, quoted: true},
			words: of.Words}
		switch repeats := rank.Repeats(c.entry.Path); {
		case of.Words == 0 || repeats && (!of.Whole || of.Words < repeatedWords):
			continue
		case repeats:
			q.class = 2
		case !of.Whole:
			q.class = 1
		}
		found = append(found, q)
	}
	slices.SortStableFunc(found, func(a, b quote) int {
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(b.words, a.words))
	})
	for _, q := range found {
		places = append(places, q.askedPlace)
	}
	return places, changed
}
