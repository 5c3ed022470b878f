package retrieve

import (
	"cmp"
	"slices"
	"time"

	"github.com/contextd/contextd/internal/gates"
)

// RootReply is what the answer of one of several roots says of itself.
type RootReply struct {
	Root       string   `json:"root"`
	Project    string   `json:"project"`
	Status     Status   `json:"status"`
	Reasons    []Reason `json:"reasons"`
	Generation int64    `json:"generation"`
	IndexedAt  string   `json:"indexed_at"`
	Searched   Searched `json:"searched"`
}

// Merge joins the answers of several roots to one question, the most relevant results first, within the limits that
// each was asked with. Each result names its root; Root and Project are those of the first. A root that was asked twice
// counts once. Words are missing that stand in none of them.
func Merge(replies []*Reply, limits gates.Options, began time.Time) *Reply {
	limits = limits.WithDefaults()
	out := *replies[0]
	out.Roots, out.Reasons, out.Results, out.Nearest, out.Searched, out.Generation, out.LargerRoot = nil, []Reason{},
		[]Result{}, nil, Searched{}, 0, ""
	if out.Rejected != nil {
		out.Rejected = &[]Reject{}
	}
	var results []Result
	for _, r := range replies {
		if slices.ContainsFunc(out.Roots, func(have RootReply) bool { return have.Root == r.Root }) {
			continue
		}
		first := len(out.Roots) == 0
		out.Roots = append(out.Roots, RootReply{r.Root, r.Project, r.Status, r.Reasons, r.Generation, r.IndexedAt,
			r.Searched})
		out.Searched.Files, out.Searched.Chunks = out.Searched.Files+r.Searched.Files,
			out.Searched.Chunks+r.Searched.Chunks
		out.Generation = max(out.Generation, r.Generation)
		out.BestRelevance = max(out.BestRelevance, r.BestRelevance)
		for _, reason := range r.Reasons {
			out.add(reason)
		}
		for _, x := range r.Results {
			x.Root = r.Root
			results = append(results, x)
		}
		for _, n := range r.Nearest {
			n.Root = r.Root
			out.Nearest = append(out.Nearest, n)
		}
		if r.Rejected != nil && out.Rejected != nil {
			for _, x := range *r.Rejected {
				x.Root = r.Root
				*out.Rejected = append(*out.Rejected, x)
			}
		}
		if !first {
			out.MissingWords = both(out.MissingWords, r.MissingWords)
			out.UnmatchedPaths, out.UnmatchedLangs = both(out.UnmatchedPaths, r.UnmatchedPaths),
				both(out.UnmatchedLangs, r.UnmatchedLangs)
		}
	}
	if len(out.MissingWords) == 0 {
		out.NearestNames = nil
	}
	slices.SortStableFunc(results, func(a, b Result) int { return cmp.Compare(b.Relevance, a.Relevance) })
	left, guesses := limits.MaxBytes, 0
	for _, x := range results {
		if len(out.Results) == limits.MaxResults {
			break
		}
		if x.Grade == gates.Possible {
			if guesses++; guesses > limits.Pointers {
				continue
			}
		}
		if len(x.Snippet) <= left {
			out.Results, left = append(out.Results, x), left-len(x.Snippet)
		}
	}
	if len(out.Results) > 0 {
		out.Nearest = nil
	}
	slices.SortStableFunc(out.Nearest, func(a, b Nearest) int { return cmp.Compare(b.Relevance, a.Relevance) })
	out.Nearest = out.Nearest[:min(len(out.Nearest), nearestPlaces)]
	return out.finish(began)
}

// both are the texts of a that stand in b too.
func both(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(x string) bool { return !slices.Contains(b, x) })
}
