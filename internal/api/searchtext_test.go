package api

import (
	"strings"
	"testing"
)

func TestSearchReturnsTheTextFormOnRequest(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w *world) {
		w.index("web")
		var r struct{ Text string }
		w.get(&r, "POST", "/v1/search", `{"project":"web","query":"Verify","format":"text","deadline_ms":5000}`)
		if !strings.HasPrefix(r.Text, "## RELEVANT CODEBASE CONTEXT\n\nFound 1 relevant snippet\n") ||
			!strings.Contains(r.Text, "1. src/auth/token.go:") || !strings.Contains(r.Text, "(Relevance: ") {
			t.Errorf("%q", r.Text)
		}
		r.Text = ""
		if w.get(&r, "POST", "/v1/search", `{"project":"web","query":"Verify"}`); r.Text != "" {
			t.Errorf("unasked: %q", r.Text)
		}
		if p := w.refused(invalidRequest, "POST", "/v1/search",
			`{"project":"web","query":"x","format":"xml"}`); p.Field != "format" {
			t.Errorf("%+v", p)
		}
	})
}
