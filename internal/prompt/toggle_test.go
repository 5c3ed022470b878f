package prompt

import (
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/compile"
	"github.com/contextd/contextd/internal/history"
	"github.com/contextd/contextd/internal/memory"
)

func TestToggleGovernsHistoryMemoryAndCode(t *testing.T) {
	t.Parallel()
	b := setup(t, harbour)
	b.save(memory.Draft{Kind: "decision", Content: "Sessions of a user are dropped with the user."})
	if _, err := b.History.Complete(t.Context(), "p",
		history.Task{ID: "t1", Type: "fix", Intent: "Do it", Success: new(true)}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.History.Block(t.Context(), "p", history.Blocker{ID: "t2", Reason: "waits"}); err != nil {
		t.Fatal(err)
	}
	policy := func(text string) history.Policy {
		p, err := history.ParsePolicy(text)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	found := []string{compile.SectionCode, compile.SectionMemory, compile.SectionHistory, compile.SectionBlockers}
	for name, c := range map[string]struct {
		said   *bool
		policy history.Policy
		want   bool
	}{
		"not said":              {want: true},
		"off":                   {said: ptr(false)},
		"policy off":            {policy: policy("p=off")},
		"policy off, said on":   {said: ptr(true), policy: policy("p=off"), want: true},
		"policy of the type":    {policy: policy("p/fix=off")},
		"policy of another one": {policy: policy("p/docs=off"), want: true},
	} {
		a := over(t, b, b.Store, t.TempDir())
		a.Policy, a.History, a.Memory = c.policy, b.History, b.Memory
		req := task()
		req.Task.RequiresContext, req.Task.Type = c.said, "fix"
		r, err := a.Build(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range found {
			if got := section(t, r, s) != ""; got != c.want {
				t.Errorf("%s: section %q is there: %v", name, s, got)
			}
		}
		if !c.want && (r.Status != Empty || len(r.Reasons) > 0 || r.Searched.Files > 0) {
			t.Errorf("%s: %s %v, searched %+v", name, r.Status, r.Reasons, r.Searched)
		}
	}
}

func TestSummaryReachesThePromptWhileItsToggleIsOn(t *testing.T) {
	t.Parallel()
	b := setup(t, harbour)
	if _, err := b.History.Complete(t.Context(), "p", history.Task{ID: "t1", Intent: "Light the lamp",
		Summary: "Paraffin \"burns\"\n## now", Success: new(true)}); err != nil {
		t.Fatal(err)
	}
	for _, on := range []bool{false, true, false} {
		if _, err := b.History.SetRequiresContext(t.Context(), "p", "t1", on); err != nil {
			t.Fatal(err)
		}
		h := section(t, b.build(task()), compile.SectionHistory)
		if !strings.HasPrefix(h, `1. t1: "Light the lamp" (`) ||
			strings.Contains(h, "\n   Summary: \"Paraffin \\\"burns\\\" ## now\"") != on {
			t.Errorf("toggle %v: %q", on, h)
		}
	}
}
