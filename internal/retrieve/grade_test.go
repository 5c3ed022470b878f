package retrieve_test

import (
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/search"
)

func TestGuessesArePointersAndOnlyComeUnasked(t *testing.T) {
	b := setup(t, quay())
	floor := func(guesses int, min, floor float64) func(*retrieve.Request) {
		return func(r *retrieve.Request) {
			r.Gates = gates.Options{MinRelevance: min, Pointers: guesses, Floor: floor, MaxResults: 9,
				MaxBytes: 1 << 16}
		}
	}
	r := b.ask("renew a mooring lease", floor(1, .999, 1e-9))
	if len(r.Results) != 1 || len(r.Nearest) != 0 || r.Status != retrieve.OK {
		t.Fatalf("results %q, nearest %v, status %s; want one guess", paths(r), r.Nearest, r.Status)
	}
	if x := r.Results[0]; x.Grade != gates.Possible || !x.Truncated || strings.Contains(x.Snippet, "\n") ||
		!strings.Contains(x.Snippet, "func "+x.Symbol) || x.SnippetLine < x.StartLine {
		t.Errorf("a guess is %+v, want the line that defines its symbol", x)
	}
	if r := b.ask("renew a mooring lease", floor(0, .999, 0)); len(r.Results)+len(r.Nearest) != 0 ||
		r.Status != retrieve.Empty {
		t.Errorf("without guesses: %q, %v, status %s", paths(r), r.Nearest, r.Status)
	}
	r = b.ask("renew a mooring lease", floor(3, .999, .999))
	if len(r.Results) != 0 || r.Status != retrieve.Empty || len(r.Nearest) == 0 || r.Nearest[0].Path != "quay.go" ||
		r.Nearest[0].StartLine < 1 {
		t.Errorf("below the floor: %q, nearest %+v, status %s", paths(r), r.Nearest, r.Status)
	}
	if r := b.ask("zyxwvut qqqplumbus", floor(3, .3, .01)); len(r.Results)+len(r.Nearest) != 0 {
		t.Errorf("words that stand nowhere: %q, nearest %+v", paths(r), r.Nearest)
	}
}

func TestRelevanceNeverContradictsTheOrder(t *testing.T) {
	b := setup(t, quay())
	for _, q := range []string{"renew a mooring lease", "mooring", "partB", "lift the crane"} {
		r := b.ask(q, func(r *retrieve.Request) {
			r.Gates = gates.Options{MinRelevance: 1e-6, Pointers: 3, MaxResults: 9, MaxBytes: 1 << 16}
		})
		if !slices.IsSortedFunc(r.Results, func(a, b retrieve.Result) int {
			switch {
			case a.Relevance > b.Relevance:
				return -1
			case a.Relevance < b.Relevance:
				return 1
			}
			return 0
		}) {
			t.Errorf("%q: %+v", q, r.Results)
		}
	}
}

func TestAnIndexOfFileNamesMakesNoGuesses(t *testing.T) {
	t.Parallel()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	put(t, root, map[string]string{"quay.go": "package harbour\n\n" + strings.Repeat("// Nothing is said here.\n", 20) +
		"\n// toll is due on unpaid billable tonnage.\nfunc toll() {}\n", "crane.go": "package harbour\n"})
	index := onDisk(t, search.Names)
	fill(t, index, root)
	rt := retrieve.New(retrieve.Options{Index: index, Queue: &bench{}, Embedders: finds(embedder),
		Log: slog.New(slog.DiscardHandler)})
	for text, want := range map[string]int{
		"unpaid billable tonnage of vessels that wait outside the quay": 0,
		"quay": 1,
	} {
		r := rt.Query(t.Context(), retrieve.Request{Text: text, Target: access.Target{Project: "p", Root: root},
			Deadline: time.Minute}.WithGuesses())
		guesses := slices.ContainsFunc(r.Results, func(x retrieve.Result) bool { return x.Grade == gates.Possible })
		if len(r.Results) < want || guesses || want == 0 && len(r.Results)+len(r.Nearest) > 0 {
			t.Errorf("%q: %q, nearest %v, guesses %v; want %d results", text, paths(r), r.Nearest, guesses, want)
		}
	}
}

func TestWhatIsTakenBackAsStaleIsNotToldAsNearest(t *testing.T) {
	b := setup(t, quay())
	ask := func(stale gates.Mode) *retrieve.Reply {
		return b.ask("renew a mooring lease", func(r *retrieve.Request) {
			r.Gates = gates.Options{MinRelevance: 1e-9, Pointers: 3, MaxResults: 9, MaxBytes: 1 << 16, Stale: stale}
		})
	}
	b.write(map[string]string{
		"crane.go": "package harbour\n\n// lift looks at the mooring and the lease.\nfunc lift() {}\n"})
	if r := ask(gates.Verify); len(r.Results) == 0 {
		t.Fatalf("nothing is found: %+v", r)
	}
	if r := ask(gates.Skip); len(r.Results)+len(r.Nearest) != 0 || !slices.Contains(r.Reasons, retrieve.IndexStale) {
		t.Errorf("%d results, nearest %+v, %v; want nothing of a stale index", len(r.Results), r.Nearest, r.Reasons)
	}
}
