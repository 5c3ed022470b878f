package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/receipt"
)

// A receipt of any age is explained; what it does not tell is not made up.
func TestExplainTellsTheRelevanceOfWhatAGateKeptAway(t *testing.T) {
	t.Parallel()
	const line = `{"source":"file:%s","kind":"code","scope":"project","section":"","importance":0,"boost":1,"score":0,"decision":"dropped","reason":"below_threshold","tokens":0,`
	doc := `{"id":"ctx_1","items":[` + strings.ReplaceAll(line, "%s", "new.go") +
		`"id":"code:new.go","hash":"","relevance":0.2187},` +
		strings.ReplaceAll(line, "%s", "old.go") + `"id":"code:old.go","hash":"","relevance":0},` +
		strings.ReplaceAll(line, "%s", "zero.go") + `"id":"code:zero.go","hash":"0123456789abcdef","relevance":0}]}`
	r := &receipt.Receipt{}
	if err := json.Unmarshal([]byte(doc), r); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	printReceipt(&b, r)
	want := map[string]string{"file:new.go": "0.22", "file:old.go": "-", "file:zero.go": "0.00"}
	for text := range strings.Lines(b.String()) {
		f := strings.Fields(text)
		if len(f) < 8 || want[f[7]] == "" {
			continue
		}
		if f[2] != want[f[7]] {
			t.Errorf("relevance %s of %s, want %s in\n%s", f[2], f[7], want[f[7]], b.String())
		}
		delete(want, f[7])
	}
	if len(want) > 0 {
		t.Errorf("no line for %v in\n%s", want, b.String())
	}
}
