package daemon

import (
	"context"
	"time"

	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/presence"
)

// noteServers keeps in the state directory what this daemon sees of its several servers, until ctx ends.
func (r *run) noteServers(ctx context.Context) {
	tick := time.NewTicker(presence.RegisterEvery)
	defer tick.Stop()
	for {
		look, cancel := context.WithTimeout(ctx, listTimeout)
		if err := r.opts.Backend.NoteServers(look); err != nil {
			r.log.Debug("servers not noted", obs.KeyError, err)
		}
		cancel()
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// tellUnlisted says, at the start, which servers were used before and are no longer in the list.
func (r *run) tellUnlisted() {
	gone, err := r.opts.Backend.Unlisted()
	if err != nil {
		r.log.Warn("servers seen before not read", obs.KeyError, err)
	}
	for _, s := range gone {
		r.log.Warn("a server that held projects is no longer in the list: what is remembered there is missing",
			"server", s.Name, "address", s.Address, "projects", s.Projects, "hint", "indexer move --from URL")
	}
}
