package retrieve_test

import (
	"slices"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/retrieve"
)

func TestWhatCountsAsStaleAndAsABacklogIsASetting(t *testing.T) {
	b := setup(t, harbour)
	b.set(func(o *retrieve.Options) {
		o.Limits = queue.Limits{StaleAfter: time.Second, BacklogProjects: 2, BacklogPaths: 5}
	})
	for _, tt := range []struct {
		waiting queue.Backlog
		want    retrieve.Reason
	}{
		{queue.Backlog{Paths: 1, Oldest: 2 * time.Second}, retrieve.IndexStale},
		{queue.Backlog{AllProjects: 3}, retrieve.Backlog},
		{queue.Backlog{AllPaths: 6}, retrieve.Backlog},
	} {
		b.waiting = tt.waiting
		if r := b.ask("light_lamp"); !slices.Equal(r.Reasons, []retrieve.Reason{tt.want}) {
			t.Errorf("%+v: %v, want %v", tt.waiting, r.Reasons, tt.want)
		}
	}
}
