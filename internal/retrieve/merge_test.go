package retrieve_test

import (
	"slices"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/retrieve"
)

func TestMergeKeepsTheBestOfAllRootsWithinTheLimits(t *testing.T) {
	t.Parallel()
	reply := func(root string, missing []string, reasons []retrieve.Reason, relevance ...float64) *retrieve.Reply {
		r := &retrieve.Reply{Root: root, Status: retrieve.OK, Reasons: reasons, MissingWords: missing,
			Searched: retrieve.Searched{Files: 1, Chunks: 2}}
		for _, x := range relevance {
			r.Results = append(r.Results, retrieve.Result{Path: "x.go", Relevance: x, Grade: gates.Likely,
				Snippet: "1234567890"})
		}
		return r
	}
	ask := func(o gates.Options) *retrieve.Reply {
		return retrieve.Merge([]*retrieve.Reply{reply("/a", []string{"oar", "mast"}, nil, .9, .4),
			reply("/b", []string{"mast"}, []retrieve.Reason{retrieve.Deadline}, .7), reply("/a", nil, nil, .9)},
			o, time.Now())
	}
	r := ask(gates.Options{MaxResults: 9, MaxBytes: 1000})
	var got []string
	for _, x := range r.Results {
		got = append(got, x.Root)
	}
	if !slices.Equal(got, []string{"/a", "/b", "/a"}) || len(r.Roots) != 2 || r.Searched.Files != 2 ||
		r.Status != retrieve.Degraded ||
		!slices.Equal(r.MissingWords, []string{"mast"}) || len(r.Roots[0].Reasons) != 0 ||
		!slices.Equal(r.Roots[1].Reasons, []retrieve.Reason{retrieve.Deadline}) {
		t.Errorf("roots %v of %+v", got, r)
	}
	if r := ask(gates.Options{MaxResults: 2, MaxBytes: 1000}); len(r.Results) != 2 {
		t.Errorf("2 results wanted, got %d", len(r.Results))
	}
	if r := ask(gates.Options{MaxResults: 9, MaxBytes: 25}); len(r.Results) != 2 {
		t.Errorf("25 bytes hold 2 snippets of 10, got %d", len(r.Results))
	}
}
