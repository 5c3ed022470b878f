package retrieve

import (
	"log/slog"
	"slices"
	"testing"

	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/search"
)

// TestProjectWithABrokenQueueKeyIsStale: nothing of it is indexed, however short it has waited.
func TestProjectWithABrokenQueueKeyIsStale(t *testing.T) {
	t.Parallel()
	rt := New(Options{Log: slog.New(slog.DiscardHandler)})
	for _, broken := range []bool{false, true} {
		var reply Reply
		rt.stale(Request{}, search.Project{ID: "web"}, queue.Backlog{Paths: 1, Broken: broken}, nil, &reply)
		if got := slices.Contains(reply.Reasons, IndexStale); got != broken {
			t.Errorf("broken %v: reasons %v", broken, reply.Reasons)
		}
	}
}
