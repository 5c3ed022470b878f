package retrieve_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/retrieve"
)

// Names in small letters whose ends the stemmer would cut.
func TestNamesInSmallLettersAreFoundWhateverTheirEnd(t *testing.T) {
	root, on, _ := onBoth(t, map[string]string{
		"a/keeper.go":  "package a\n\n// SluiceKeeper opens one.\ntype SluiceKeeper struct{ open bool }\n",
		"a/options.go": "package a\n\ntype MooringOptions struct{ berth int }\n\nfunc (MooringOptions) withDefaults() {}\n",
		"a/tide.py":    "def read_tide_table(path):\n    return path\n\ndef isFloating(ship):\n    return ship\n",
		"a/other.go":   "package a\n\n// withdraw pulls a sluice or mooring up.\nfunc withdraw() {}\n",
		"a/Http2.java": "class Http2Connection {\n  int open;\n}\n",
	})
	for typed, want := range map[string]string{
		"sluicekeeper":             "a/keeper.go",
		"mooringoptions":           "a/options.go",
		"withdefaults":             "a/options.go",
		"readtidetable":            "a/tide.py",
		"isfloating":               "a/tide.py",
		"http2connection":          "a/Http2.java",
		"mooringoptions of a ship": "a/options.go",
		"the sluicekeeper":         "a/keeper.go",
	} {
		for name, rt := range on {
			r := rt.Query(context.Background(),
				retrieve.Request{Text: typed, Target: access.Target{Project: "p", Root: root},
					Deadline: time.Minute}.WithGuesses())
			if got := where(r.Results); len(got) == 0 || got[0] != want {
				t.Errorf("%s: %q is answered by %v (missing %q), want %s", name, typed, got, r.MissingWords, want)
			}
			if slices.Contains(r.MissingWords, "sluicekeeper") || slices.Contains(r.MissingWords, "mooringoptions") {
				t.Errorf("%s: %q: missing words %q, but they are names", name, typed, r.MissingWords)
			}
		}
	}
}
