package prompt

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/profile"
	"github.com/contextd/contextd/internal/rank"
)

const kindDecision = "decision" // of memory: the newest on one thing holds

// Kinds of items that come from the index.
const (
	kindCode = "code"
	kindTest = "test"
)

// kindGuess is the kind under which usage counts guesses.
const kindGuess = "guess"

// kindOf is the kind of what comes from a file.
func kindOf(p code.Path) string {
	if rank.IsTest(p) {
		return kindTest
	}
	return kindCode
}

// item is a piece with what a profile need not know.
type item struct {
	profile.Item
	language string
	path     string    // of code
	place    string    // of code: path and lines of its text. Source names the whole piece that the text was cut from
	shown    code.Span // of code: the lines of its text
	whole    code.Span // of code: the lines of the whole piece
	size     int       // bytes of its whole file
	block    bool      // its text is whole lines of a file
	asked    bool      // the task names lines of it, which its text shows
	grade    grade     // of code
	saidAt   time.Time // of memory: when it was written last
}

// items are the pieces that were found, in the order in which a profile counts head and tail: what matters most in
// memory, code, and what memory brought for this question, newest last.
func (j *job) items() []item {
	var hot, warm []item
	relevance := map[string]float64{}
	for _, h := range j.found.hits {
		relevance[h.ID] = h.Relevance
	}
	seen := map[string]bool{}
	for i := range j.found.hot {
		m := &j.found.hot[i]
		seen[m.ID] = true
		hot = append(hot, j.memoryItem(m, relevance[m.ID]))
	}
	hits := slices.Clone(j.found.hits)
	slices.SortStableFunc(hits, func(a, b memory.Hit) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	for _, h := range j.limitByType(hits) {
		if !seen[h.ID] {
			warm = append(warm, j.memoryItem(&h.Item, h.Relevance))
		}
	}
	return slices.Concat(hot, j.code(), warm)
}

// limitByType keeps of each type of memory what its query asks for, the most relevant ones, newer ones before by the
// query's weight of recency. Kinds that no query is for are not limited.
func (j *job) limitByType(hits []memory.Hit) []memory.Hit {
	type query struct {
		limit  int
		weight float64
	}
	queries := map[string]query{}
	for _, q := range j.plan.Queries {
		queries[string(q.Memory)] = query{q.Limit, q.RecencyWeight}
	}
	var newest time.Time
	for _, h := range hits {
		if h.CreatedAt.After(newest) {
			newest = h.CreatedAt
		}
	}
	order := make([]int, len(hits))
	worth := make([]float64, len(hits))
	for i, h := range hits {
		order[i] = i
		w := queries[string(h.Kind)].weight
		days := newest.Sub(h.CreatedAt).Hours() / 24
		worth[i] = h.Relevance * (1 - w/2 + w/2*math.Exp(-days/7))
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(worth[b], worth[a]) })
	count, keep := map[string]int{}, make([]bool, len(hits))
	for _, i := range order {
		kind := string(hits[i].Kind)
		q, asked := queries[kind]
		count[kind]++
		keep[i] = !asked || count[kind] <= q.limit
	}
	out := hits[:0:0]
	for i, h := range hits {
		if keep[i] {
			out = append(out, h)
		}
	}
	return out
}

func (j *job) memoryItem(m *memory.Item, relevance float64) item {
	return item{saidAt: m.Said(), Item: profile.Item{ID: m.ID, Scope: profile.Scope(m.Scope), Kind: string(m.Kind),
		Source: "memory:" + m.ID, Tags: m.Tags, Importance: m.Importance, Relevance: relevance, Text: m.Content,
		Verify: m.Verify}}
}
