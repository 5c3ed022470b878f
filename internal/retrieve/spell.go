package retrieve

import (
	"context"
	"iter"
	"slices"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
	"github.com/contextd/contextd/internal/rank"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/spelling"
)

const (
	maxMisspelt = 4  // missing words that are looked up
	maxNear     = 15 // words near one that are looked up, those of files that are gone among them
	maxNearest  = 5  // words that are named as near them, of all
	maxMeant    = 2  // words that are searched for in place of one
)

// respelt searches once more where words of the question stand nowhere, but names of the project have words that are
// spelt nearly like them: it gives the question as it was probably meant and what was nominated for it; or what it was
// given. The dictionary may have words of files that are gone: those stand nowhere either, and are left out in a second
// try.
func (l *look) respelt(
	ctx context.Context, q search.Query, main, beside question, found *search.Nominees, reply *Reply,
) (question, *search.Nominees) {
	near, whole := l.near(ctx, reply.MissingWords, main.Symbol != nil)
	for range 2 {
		meant, all := map[string][]string{}, []code.Term(nil)
		for i := range maxNear { // the nearest of each first: not all of them may be counted
			for _, word := range reply.MissingWords { // in order, so that a question is searched for the same each time
				if w := near[word]; i < len(w) {
					meant[word] = w[:min(maxMeant, len(w))]
					all = append(all, lexical.Word(lexical.Stem(w[i])))
				}
			}
		}
		if len(meant) == 0 && len(whole) == 0 {
			return main, found
		}
		as := l.read(main.Correct(meant, whole...))
		q.Words, q.Names, q.Paths, q.Count = as.Words, as.Names, as.hits.Paths(maxWanted), beside.without(as.Words)
		for _, t := range all {
			if len(q.Count) < search.MaxQueryWords && !slices.Contains(q.Count, t) && !slices.Contains(q.Words, t) {
				q.Count = append(q.Count, t)
			}
		}
		again, err := l.snap.Nominate(ctx, q)
		if err != nil || again.Building || again.Partial {
			l.rt.opts.Log.Debug("question not searched as it was probably meant", "error", err)
			return main, found
		}
		if standing(near, again.Stats.DF, slices.Concat(q.Words, q.Count)) {
			reply.NearestNames = names(reply.MissingWords, near)
			reply.MissingWords = as.stillMissing(reply.MissingWords, whole, again.Stats)
			return as, again
		}
	}
	return main, found
}

// stillMissing leaves out of words that stood nowhere those of whole that stand as a name by the counts of stats.
func (q question) stillMissing(words, whole []string, stats code.Stats) []string {
	return slices.DeleteFunc(words, func(word string) bool {
		k := slices.Index(q.Words, lexical.Word(word))
		return slices.Contains(whole, word) && k >= 0 && k < len(stats.DF) && stats.DF[k] > 0
	})
}

// near are, by missing word, the words of the project's names that are spelt nearly like it; for a question that is a
// name, those that the thesaurus has for a word that is spelt right, too: "ReqCtx" may be RequestContext. whole are the
// missing words that are a name of several parts in small letters: a question that is one name has them as words
// already.
func (l *look) near(ctx context.Context, missing []string, name bool) (near map[string][]string, whole []string) {
	missing = slices.DeleteFunc(slices.Clone(missing), func(word string) bool { return rank.Spelt(word) && !name })
	if len(missing) == 0 {
		return nil, nil
	}
	p := l.snap.Project().ID
	dictionary, err := l.rt.opts.Index.Attached(ctx, p, spelling.Kind)
	if err != nil || len(dictionary) == 0 {
		l.rt.opts.Log.Debug("no words of names", "project", p, "error", err)
		return nil, nil
	}
	words := spelling.Words(dictionary)
	near = map[string][]string{}
	for _, word := range missing[:min(maxMisspelt, len(missing))] {
		switch {
		case !name && has(words, word):
			whole = append(whole, word)
		case rank.Spelt(word):
			near[word] = meaning(words, rank.Related(word))
		default:
			near[word] = spelling.Nearest(words, word, maxNear)
		}
	}
	return near, whole
}

// has reports whether word is one of words.
func has(words iter.Seq[string], word string) bool {
	for w := range words {
		if w == word {
			return true
		}
	}
	return false
}

// meaning are the first of words that have one of the stems.
func meaning(words iter.Seq[string], stems []string) (out []string) {
	for w := range words {
		if len(out) < maxNearest && slices.Contains(stems, lexical.Stem(w)) {
			out = append(out, w)
		}
	}
	return out
}

// standing leaves out the near words that stand nowhere by the counts df for words, and reports whether all that were
// searched for stand somewhere.
func standing(near map[string][]string, df []int, words []code.Term) bool {
	all := true
	for word, list := range near {
		kept := list[:0:0]
		for i, w := range list {
			k := slices.Index(words, lexical.Word(lexical.Stem(w)))
			if k >= 0 && k < len(df) && df[k] > 0 {
				kept = append(kept, w)
			} else if i < maxMeant {
				all = false
			}
		}
		near[word] = kept
	}
	return all
}

// names are the near words to name: of each missing word the nearest, then of each the next.
func names(missing []string, near map[string][]string) (out []string) {
	for i := range maxNearest {
		for _, word := range missing {
			if list := near[word]; i < len(list) && len(out) < maxNearest && !slices.Contains(out, list[i]) {
				out = append(out, list[i])
			}
		}
	}
	return out
}
