package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/presence"
	"github.com/contextd/contextd/internal/servers"
)

// heldBack records what the store refuses to take from this daemon: changes of watched roots, and the daemon's
// registration. It logs a warning when that begins and a line when it is over. What waits for another server than the
// daemon's own is counted and said, and makes nothing of this server stale or unready. Safe for concurrent use.
type heldBack struct {
	log  *slog.Logger
	mark func(held bool) error // shows other processes that changes are held back; may be nil

	mu     sync.Mutex // guards what follows, and mark
	causes map[string]error
	paths  map[string]int // by the same keys; a rescan counts 1
}

// The keys of what is held back beside the changes of watched roots.
const (
	registration   = "registration"   // this daemon's own entry in the store
	reconciliation = "reconciliation" // what a comparison found
)

func newHeldBack(log *slog.Logger, mark func(bool) error) *heldBack {
	return &heldBack{log: log, mark: mark, causes: map[string]error{}, paths: map[string]int{}}
}

// add records that the store did not take n changes of key, a root, because of err.
func (h *heldBack) add(key string, n int, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	before, refused := h.causes[key], h.refused()
	h.causes[key], h.paths[key] = err, n
	switch {
	case servers.Partial(err) && !servers.Partial(before):
		h.log.Warn("a watched root waits for another server: it may be a project there", obs.KeyRoot, key,
			obs.KeyError, err)
	case !refused && h.refused():
		h.log.Warn("the store takes no changes: they are held back", "of", key, obs.KeyError, err,
			"hint", "indexer doctor names the cause; what is held back is queued by itself once it is over")
	}
	h.mindMark(refused)
}

// clear records that the store takes the changes of key again.
func (h *heldBack) clear(key string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	was, refused := h.causes[key], h.refused()
	delete(h.causes, key)
	delete(h.paths, key)
	switch {
	case servers.Partial(was):
		h.log.Info("a watched root waits no longer", obs.KeyRoot, key)
	case refused && !h.refused():
		h.log.Info("the store takes changes again")
	}
	h.mindMark(refused)
}

// refused reports whether there is something that this server itself does not take.
func (h *heldBack) refused() bool {
	for _, err := range h.causes {
		if !servers.Partial(err) {
			return true
		}
	}
	return false
}

// mindMark sets or lifts the mark where that has changed.
func (h *heldBack) mindMark(before bool) {
	if now := h.refused(); now != before {
		h.writeMark(now)
	}
}

func (h *heldBack) writeMark(held bool) {
	if h.mark == nil {
		return
	}
	if err := h.mark(held); err != nil {
		h.log.Debug("others are not told that changes are held back", obs.KeyError, err)
	}
}

// setMark replaces the mark by which other processes are told.
func (h *heldBack) setMark(mark func(held bool) error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.mark != nil {
		h.writeMark(false)
	}
	if h.mark = mark; h.refused() {
		h.writeMark(true)
	}
}

// clearMark removes the mark when the daemon ends.
func (h *heldBack) clearMark() { h.setMark(nil) }

// count returns the number of changes that are held back.
func (h *heldBack) count() (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, k := range h.paths {
		n += k
	}
	return n
}

// err returns why changes are held back that this server does not take; nil if none are.
func (h *heldBack) err() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for key, err := range h.causes {
		if !servers.Partial(err) {
			return fmt.Errorf("the store takes no changes of %q: %w", key, err)
		}
	}
	return nil
}

// openHeldMark opens the mark that shows other processes that changes are held back.
func (d *daemon) openHeldMark() {
	mark, err := presence.MarkHeldBack(d.opts.StateDir, d.opts.Backend.Server())
	if err != nil {
		d.log.Warn("others will not be told of changes that are held back", obs.KeyError, err)
		return
	}
	d.held.setMark(mark)
}

// ready reports whether this server is of use: it answers and takes this daemon's changes.
func (d *daemon) ready(ctx context.Context) error {
	if err := d.opts.Backend.Ping(ctx); err != nil {
		return err
	}
	return d.held.err()
}

// storeRefusesWrites reports whether the store answers and yet refused a write with err. An outage is reported
// elsewhere.
func (d *daemon) storeRefusesWrites(ctx context.Context, err error) bool {
	return err != nil && !errors.Is(err, context.Canceled) && d.opts.Backend.Ping(ctx) == nil
}
