package retrieve_test

import (
	"slices"
	"testing"

	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/retrieve"
)

func TestAReplyNamesTheWordsThatStandNowhere(t *testing.T) {
	b := setup(t, quay())
	for _, c := range []struct {
		text string
		want []string
	}{
		{"a mooring lease", nil},
		{"how does Kafka moor a lease", []string{"kafka"}},
		{"zyxwvut qqqplumbus", []string{"zyxwvut", "qqqplumbus"}},
		{"quay", nil}, // stands in a path alone
	} {
		for _, change := range []func(*retrieve.Request){
			func(*retrieve.Request) {},
			// what is filtered out stands somewhere all the same
			func(r *retrieve.Request) { r.Globs = []string{"no/such/**"} },
			func(r *retrieve.Request) { r.Gates.Stale = gates.Skip },
		} {
			if r := b.ask(c.text, change); !slices.Equal(r.MissingWords, c.want) {
				t.Errorf("%q: %q, want %q", c.text, r.MissingWords, c.want)
			}
		}
	}
}

func TestShownLinesAreThoseOfTheSnippet(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		snippet     string
		first, last int
	}{{"a", 7, 7}, {"a\n\nb", 7, 9}, {"", 7, 7}} {
		r := retrieve.Result{SnippetLine: 7, Snippet: c.snippet}
		if got := r.Shown(); got.Start != c.first || got.End != c.last {
			t.Errorf("%q: %v", c.snippet, got)
		}
	}
}
