package app_test

import (
	"slices"
	"testing"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/app/apptest"
	"github.com/contextd/contextd/internal/freshness"
	"github.com/contextd/contextd/internal/prompt"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/retrieve"
)

// "skip" of a context shows no code while changes of its project wait, "verify" what is on the disk.
func TestAContextThatWantsNothingStaleHoldsNoCodeWhileChangesWait(t *testing.T) {
	t.Parallel()
	b := apptest.Open(t)
	b.Ask("OpenGate", access.Where{Project: "web", Root: b.Root}, freshness.First)
	q, err := b.Backend.Queue()
	if err == nil {
		_, err = q.Push(t.Context(), queue.Request{Project: "web", Root: b.Root})
	}
	if err != nil {
		t.Fatal(err)
	}
	for stale, want := range map[string]bool{"": true, "verify": true, "skip": false} {
		reply, err := b.Prompts().Build(t.Context(),
			prompt.Request{Project: "web", Query: "OpenGate", Stale: stale, DeadlineMS: 10_000})
		if err != nil {
			t.Fatal(err)
		}
		code := slices.ContainsFunc(reply.Sections, func(s prompt.Section) bool { return s.Source == "index" })
		if code != want || slices.Contains(reply.Reasons, string(retrieve.IndexStale)) == want {
			t.Errorf("stale %q: code %v, want %v; %v %+v", stale, code, want, reply.Reasons, reply.Sections)
		}
	}
	if _, err := b.Prompts().Build(t.Context(),
		prompt.Request{Project: "web", Query: "x", Stale: "maybe"}); err == nil {
		t.Error("an unknown value is taken")
	}
}
