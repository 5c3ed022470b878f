package memory

import (
	"cmp"
	"context"
	"slices"

	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/recall"
)

// Similar compares by meaning: an embedder. It is asked for the items that pass the filter, all at once.
type Similar interface {
	// Similar returns the cosine of the query and of each item's text, in [-1,1]. An item's Hash names its text:
	// vectors can be kept by it.
	Similar(ctx context.Context, query string, items []Item) ([]float64, error)
}

// Hit is an item that a search found.
type Hit struct {
	Item
	Relevance float64 // in (0,1]
}

// Search returns the items that speak of what a query asks, most relevant first: the share of the query's words that an
// item holds, rare words counting more, and what Options.Similar adds to it. Items that are put away are found only
// where the filter names COLD. When the comparison by meaning fails, words alone decide. Where one scope cannot be read,
// what is found in the others comes with the error.
func (m *Memory) Search(ctx context.Context, who Who, query string, f Filter) ([]Hit, error) {
	if _, err := textOf("query", query); err != nil {
		return nil, err
	}
	c, err := f.check()
	if err != nil {
		return nil, err
	}
	found, err := m.visibleIn(ctx, who, f.Scopes, slices.Contains(f.Tiers, Cold), c.match)
	if len(found) == 0 {
		return nil, err
	}
	asked := make([]recall.Item, len(found))
	for i, e := range found {
		asked[i] = recall.Item{Text: e.words(), Agent: e.AgentID, Saved: e.CreatedAt, Turn: e.Kind.spoken()}
	}
	if m.o.Similar != nil {
		m.similar(ctx, query, found, asked)
	}
	scores := recall.Score(query, m.now(), asked)
	var best []int
	for i, s := range scores {
		if s > 0 {
			best = append(best, i)
		}
	}
	slices.SortFunc(best, func(a, b int) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(found[b].Importance, found[a].Importance),
			cmp.Compare(found[a].ID, found[b].ID))
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
	return hits, err
}

// similar sets how near in meaning the items are.
func (m *Memory) similar(ctx context.Context, query string, found []seen, asked []recall.Item) {
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
		asked[i].Cosine = c
	}
}
