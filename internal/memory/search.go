package memory

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/contextd/contextd/internal/obs"
)

// Similar compares by meaning: an embedder. It is asked for the items that pass the filter, all at once.
type Similar interface {
	// Similar returns the cosine of the query and of each item's text, in [-1,1]. An item's Hash names its text: vectors can be
	// kept by it.
	Similar(ctx context.Context, query string, items []Item) ([]float64, error)
}

// Hit is an item that a search found.
type Hit struct {
	Item
	Relevance float64 // in (0,1]
}

// minCosine is the similarity from which a text says something about another; from there to 1, relevance goes from 0 to 1.
const minCosine = 0.3

// Search returns the items that speak of what a query asks, most relevant first: the share of the query's words that an item
// holds, rare words counting more, and what Options.Similar adds to it. Items that are put away are found only where the filter
// names COLD. When the comparison by meaning fails, words alone decide.
func (m *Memory) Search(ctx context.Context, who Who, query string, f Filter) ([]Hit, error) {
	if _, err := textOf("query", query); err != nil {
		return nil, err
	}
	c, err := f.check()
	if err != nil {
		return nil, err
	}
	found, err := m.visible(ctx, who, slices.Contains(f.Tiers, Cold), c.match)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	scores := overlap(terms(query, nil), found)
	if m.o.Similar != nil {
		m.similar(ctx, query, found, scores)
	}
	var best []int
	for i, s := range scores {
		if s > 0 {
			best = append(best, i)
		}
	}
	slices.SortFunc(best, func(a, b int) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(found[b].Importance, found[a].Importance), cmp.Compare(found[a].ID, found[b].ID))
	})
	if f.Limit > 0 && len(best) > f.Limit {
		best = best[:f.Limit]
	}
	hits, cited := make([]Hit, len(best)), []*Item(nil)
	for i, n := range best {
		hits[i] = Hit{found[n].Item, scores[n]}
		hits[i].Hash, hits[i].Archived = found[n].digest(), found[n].archived
		cited = append(cited, &hits[i].Item)
	}
	m.verify(ctx, cited)
	return hits, nil
}

// overlap scores entries by words: the weight of the query's words that an item holds, of the weight of all of them. A word
// weighs more the fewer items hold it; one that none holds weighs as one that a single item does.
func overlap(query []uint64, found []seen) []float64 {
	slices.Sort(query)
	query = slices.Compact(query)
	scores := make([]float64, len(found))
	holds := make([][]int32, len(query)) // word → entries
	for i, s := range found {
		words := s.terms()
		for q, w := range query {
			if _, ok := slices.BinarySearch(words, w); ok {
				holds[q] = append(holds[q], int32(i))
			}
		}
	}
	sum := 0.0
	for _, in := range holds {
		weight := math.Log(1 + float64(len(found))/float64(max(1, len(in))))
		sum += weight
		for _, i := range in {
			scores[i] += weight
		}
	}
	for i := range scores {
		if scores[i] > 0 {
			scores[i] = min(1, scores[i]/sum)
		}
	}
	return scores
}

// similar raises the scores by what the items mean: relevant by words or by meaning, more so by both.
func (m *Memory) similar(ctx context.Context, query string, found []seen, scores []float64) {
	items := make([]Item, len(found))
	for i, s := range found {
		items[i] = s.Item
		items[i].Hash = s.digest()
	}
	cosines, err := m.o.Similar.Similar(ctx, query, items)
	if err != nil || len(cosines) != len(items) {
		m.o.Log.DebugContext(ctx, "memory searched by words alone", obs.KeyError, err, obs.KeyCount, len(cosines))
		return
	}
	for i, c := range cosines {
		if c = min(1, (c-minCosine)/(1-minCosine)); c > 0 { // NaN is not
			scores[i] = 1 - (1-scores[i])*(1-c)
		}
	}
}
