package prompt

import (
	"errors"
	"testing"

	"github.com/contextd/contextd/internal/memory"
)

func TestFadeIsAskedForByARequest(t *testing.T) {
	t.Parallel()
	b := setup(t, harbour)
	const fact = "The lamp of the harbour burns paraffin in winter."
	it := b.save(memory.Draft{Kind: "decision", Content: fact})
	for fade, want := range map[float64]bool{0: true, 1: true, .5: false} {
		req := task()
		req.DedupFade = fade
		req.Conversation = []Message{{Role: "user",
			Content: "As said: the lamp of the harbour burns paraffin in winter, always."},
			{Role: "assistant", Content: "I see."}, {Role: "user", Content: "Go on."}}
		if l := account(t, b, b.build(req).ID, it.ID); (l.Reason == "redundant") != want {
			t.Errorf("fade %v: %s %s", fade, l.Decision, l.Reason)
		}
	}
	req := task()
	req.DedupFade = 1.5
	var wrong *RequestError
	if _, err := b.Build(t.Context(), req); !errors.As(err, &wrong) || wrong.Field != "dedup_fade" {
		t.Errorf("%v", err)
	}
}
