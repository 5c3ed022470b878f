package retrieve_test

import (
	"slices"
	"testing"
)

func TestNamesOfOneLetterAnswer(t *testing.T) {
	b := setup(t, map[string]string{
		"tides/store.js": "const g = { ships: 3 };\n\nfunction $(q) {\n  return g[q];\n}\n",
		"tides/spare.js": "function _(x) {\n  return x;\n}\n",
		"tides/use.js":   "const { g, $ } = require('./store');\n\nfunction moor() {\n  g.ships = $('x');\n}\n",
		"tides/shape.go": "package tides\n\ntype T struct{ depth int }\n",
	})
	for name, want := range map[string]string{
		"g": "tides/store.js",
		"$": "tides/store.js",
		"_": "tides/spare.js",
		"T": "tides/shape.go",
	} {
		if got := paths(b.ask(name)); len(got) == 0 || !slices.Contains(got[:1], want) {
			t.Errorf("%q is answered by %v, want %s", name, got, want)
		}
	}
	if got := paths(b.ask("z")); len(got) != 0 {
		t.Errorf("a letter that nothing defines is answered by %v", got)
	}
}
