package retrieve_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/retrieve"
)

// A function in a cell is found at its line of the file, whatever picture stands beside it.
func TestADefinitionInANotebookIsFoundOnItsLine(t *testing.T) {
	t.Parallel()
	cell := func(kind, outputs, source string) string {
		return "  {\n   \"cell_type\": \"" + kind + "\",\n" + outputs + "   \"source\": [\n    " + source +
			"\n   ]\n  }"
	}
	root, on, _ := onBoth(t, map[string]string{
		"study/moorings.ipynb": "{\n \"cells\": [\n" + cell("markdown", "", `"## How ships are moored"`) + ",\n" +
			cell("code", "   \"outputs\": [{\"data\": {\"image/png\": \""+strings.Repeat("iVBOR", 200_000)+"\"}}],\n",
				`"def moor_ship(ship, bollard):\n",`+"\n    "+`"    return bollard.tie(ship)"`) +
			"\n ],\n \"metadata\": {\"kernelspec\": {\"language\": \"python\"}},\n \"nbformat\": 4\n}\n",
		"a/other.py": "def unmoor():\n    return 1\n",
	})
	for name, rt := range on {
		r := rt.Query(context.Background(),
			retrieve.Request{Text: "moor_ship", Target: access.Target{Project: "p", Root: root},
				Deadline: time.Minute}.WithGuesses())
		if len(r.Results) == 0 {
			t.Errorf("%s: nothing is found: %v", name, r.Reasons)
			continue
		}
		got := r.Results[0]
		line := 13 // of the file
		text := strings.Split(got.Snippet, "\n")
		if got.Path != "study/moorings.ipynb" || got.Language != "python" || got.Symbol != "moor_ship" ||
			line < got.SnippetLine || line-got.SnippetLine >= len(text) {
			t.Errorf("%s: %+v", name, got)
		} else if text[line-got.SnippetLine] != "def moor_ship(ship, bollard):" {
			t.Errorf("%s: line %d is %q", name, line, text[line-got.SnippetLine])
		}
	}
}
