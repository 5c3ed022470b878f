package api

import (
	"strings"
	"testing"

	client "github.com/contextd/contextd/clients/go"
	"github.com/contextd/contextd/internal/compile"
	"github.com/contextd/contextd/internal/prompt"
	"github.com/contextd/contextd/internal/tokens"
)

func TestSavingsCompareCodeGivenWithItsFilesWhole(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w *world) {
		w.write("src/auth/token.go",
			"package auth\n\n// Verify checks the signature of a session token.\nfunc Verify(token string) error {\n\treturn nil\n}\n"+strings.Repeat("\n// padding stands here\nvar _ = 1\n", 200))
		w.index("web")
		w.knight("")
		var v client.Savings
		w.get(&v, "GET", "/v1/projects/web/savings", "")
		if len(v.Contexts) != 1 || v.Contexts[0].Files == 0 || v.GivenTokens == 0 || v.WholeTokens <= v.GivenTokens ||
			v.WholeTokens < 1000 {
			t.Errorf("%+v", v)
		}
		w.remove("src")
		v = client.Savings{}
		w.get(&v, "GET", "/v1/projects/web/savings?limit=5", "")
		if len(v.Contexts) != 1 || v.Contexts[0].Files != 0 || v.Contexts[0].MissingFiles == 0 || v.GivenTokens != 0 ||
			v.WholeTokens != 0 {
			t.Errorf("without its files: %+v", v)
		}
		w.refused(notFound, "GET", "/v1/projects/other/savings", "")
		w.refused(invalidRequest, "GET", "/v1/projects/web/savings?limit=0", "")
	})
}

// Hooks of agents estimate tokens; what they gave is counted by the same measure.
func TestSavingsCountWhatHooksGave(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.index("web")
	reply, err := w.app.Prompts().Build(t.Context(), prompt.Request{Project: "web", Agent: "claude-code",
		AgentKind: "knight", Task: &prompt.Task{Task: compile.Task{Title: "Verify the signature of a session token"}},
		Estimate: true, DeadlineMS: 10_000})
	if err != nil || len(reply.Pieces) == 0 {
		t.Fatalf("%+v, %v", reply, err)
	}
	var v client.Savings
	w.get(&v, "GET", "/v1/projects/web/savings", "")
	if len(v.Contexts) != 1 || v.Contexts[0].Files == 0 || v.Contexts[0].MissingFiles != 0 || v.WholeTokens == 0 {
		t.Errorf("%+v", v)
	}
	if c, err := tokens.For(tokens.Estimated); err == nil {
		t.Errorf("a request may ask for %q", c.Encoding())
	}
}
