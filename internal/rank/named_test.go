package rank

import (
	"math"
	"testing"

	"github.com/contextd/contextd/internal/code"
)

// byPath are the relevances of files for a question.
func byPath(t *testing.T, question string, files ...*code.File) map[string]float64 {
	t.Helper()
	out := make(map[string]float64)
	for _, x := range score(t, question, files...) {
		out[files[x.File].Path] = x.Relevance
	}
	return out
}

func checkRelevance(t *testing.T, name string, got, want map[string]float64) {
	t.Helper()
	for path, x := range want {
		if math.Abs(got[path]-x) > 1e-9 {
			t.Errorf("%s: %s has relevance %v, want %v", name, path, got[path], x)
		}
	}
}

func TestOfADefinedNameOnlyTheDefinitionIsCertain(t *testing.T) {
	t.Parallel()
	got := byPath(t, "MoorShip",
		define(file("dock/moor.go", []string{"MoorShip", "sail"}), 0, "MoorShip", code.KindFunc),
		define(file("old/legacy/moors.go", []string{"MoorShip", "sail"}), 0, "MoorShip", code.KindFunc),
		define(file("api/moor.h", []string{"MoorShip"}), 0, "MoorShip", code.KindDecl),
		define(file("web/moor.js", []string{"moorShip"}), 0, "moorShip", code.KindFunc),
		file("MoorShip.md", []string{"MoorShip", "MoorShip", "MoorShip"}),
		file("quay.go", []string{"MoorShip"}),
		file("other.go", []string{"sail"}))
	checkRelevance(t, "MoorShip", got,
		map[string]float64{"dock/moor.go": 1, "old/legacy/moors.go": .6, "api/moor.h": .4, "web/moor.js": .4,
			"MoorShip.md": .4, "quay.go": .4, "other.go": 0})
}

func TestAQualifiedNameIsDefinedWhereItsQualifierIs(t *testing.T) {
	t.Parallel()
	files := []*code.File{
		define(define(file("dock/pier.go", []string{"Pier", "Moor", "sail"}), 0, "Pier", code.KindType), 0, "Moor",
			code.KindFunc),
		define(file("rope/line.go", []string{"Moor", "Rope"}), 0, "Moor", code.KindFunc),
	}
	for question, want := range map[string]map[string]float64{
		"Pier.Moor":    {"dock/pier.go": 1},
		"pier.Moor()":  {"dock/pier.go": 1},
		"rope.Moor":    {"rope/line.go": 1},
		"Moor":         {"dock/pier.go": .6, "rope/line.go": 1},
		"Lantern.Moor": {"dock/pier.go": .4, "rope/line.go": .4}, // of another
	} {
		checkRelevance(t, question, byPath(t, question, files...), want)
	}
}

func TestANameThatNothingDefinesIsFoundWhereItStands(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		question string
		files    []*code.File
		want     map[string]float64
	}{
		"a file named after it": {"quantize", []*code.File{file("lib/quantize.py", []string{"quantize"}),
			file("a.py", []string{"quantize"}), file("b.py", []string{"sail"})},
			map[string]float64{"lib/quantize.py": .9, "a.py": .4, "b.py": 0}},
		"a word": {"quantize", []*code.File{file("a.py", []string{"quantize", "quantize"}),
			file("b.py", []string{"quantize"})}, map[string]float64{"a.py": .5, "b.py": .4}},
		"a name of several parts": {"HARBOUR_LOG_URL",
			[]*code.File{file("a.sh", []string{"HARBOUR_LOG_URL"}), file("b.sh", []string{"harbour"})},
			map[string]float64{"a.sh": .8}},
		"another spelling": {"moor_ship",
			[]*code.File{define(file("a.go", []string{"MoorShip"}), 0, "MoorShip", code.KindFunc),
				file("b.go", []string{"sail"})}, map[string]float64{"a.go": .6, "b.go": 0}},
		"a declaration": {"moor_ship",
			[]*code.File{define(file("a.h", []string{"moor_ship"}), 0, "moor_ship", code.KindDecl),
				file("b.c", []string{"moor_ship"})}, map[string]float64{"a.h": .8, "b.c": .4}},
		"a heading": {"quantize",
			[]*code.File{define(file("a.md", []string{"quantize"}), 0, "quantize", code.KindSection)},
			map[string]float64{"a.md": .5}},
	} {
		checkRelevance(t, name, byPath(t, tt.question, tt.files...), tt.want)
	}
}
