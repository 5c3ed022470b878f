package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/presence"
)

// heldBack remembers what this daemon knows of and the store does not take: changes of watched roots, and its own registration. It
// warns once when that begins and tells once when it is over. Safe for concurrent use.
type heldBack struct {
	log  *slog.Logger
	mark func(held bool) error // tells other processes; may be nil

	mu    sync.Mutex // guards what follows, and mark
	why   map[string]error
	paths map[string]int // by the same keys; a rescan counts 1
}

// The keys of what is held back beside the changes of watched roots.
const (
	registration   = "registration"   // this daemon's own entry in the store
	reconciliation = "reconciliation" // what a comparison found
)

func newHeldBack(log *slog.Logger, mark func(bool) error) *heldBack {
	return &heldBack{log: log, mark: mark, why: map[string]error{}, paths: map[string]int{}}
}

// add notes that the store did not take n changes of key, a root, because of err.
func (h *heldBack) add(key string, n int, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	began := len(h.why) == 0
	h.why[key], h.paths[key] = err, n
	if !began {
		return
	}
	h.log.Warn("the store takes no changes: they are held back", "of", key, obs.KeyError, err,
		"hint", "indexer doctor names the cause; what is held back is queued by itself once it is over")
	h.tell(true)
}

// end notes that the store takes what comes of key.
func (h *heldBack) end(key string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.why[key]; !ok {
		return
	}
	delete(h.why, key)
	delete(h.paths, key)
	if len(h.why) == 0 {
		h.log.Info("the store takes changes again")
		h.tell(false)
	}
}

func (h *heldBack) tell(held bool) {
	if h.mark == nil {
		return
	}
	if err := h.mark(held); err != nil {
		h.log.Debug("others are not told that changes are held back", obs.KeyError, err)
	}
}

// remark tells other processes by mark from now on, in place of the one before.
func (h *heldBack) remark(mark func(held bool) error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.mark != nil {
		h.tell(false)
	}
	if h.mark = mark; len(h.why) > 0 {
		h.tell(true)
	}
}

// unmark tells other processes that nothing is held back: the daemon ends.
func (h *heldBack) unmark() { h.remark(nil) }

// count is the number of changes that are held back.
func (h *heldBack) count() (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, k := range h.paths {
		n += k
	}
	return n
}

// err says why changes are held back; nil if none are.
func (h *heldBack) err() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for key, err := range h.why {
		return fmt.Errorf("the store takes no changes of %q: %w", key, err)
	}
	return nil
}

// markHeld opens the mark by which other processes see that changes are held back.
func (d *daemon) markHeld() {
	mark, err := presence.MarkHeldBack(d.opts.StateDir)
	if err != nil {
		d.log.Warn("others will not be told of changes that are held back", obs.KeyError, err)
		return
	}
	d.held.remark(mark)
}

// ready is for /readyz: the store answers, and takes what this daemon knows.
func (d *daemon) ready(ctx context.Context) error {
	if err := d.opts.Backend.Ping(ctx); err != nil {
		return err
	}
	return d.held.err()
}

// refused reports whether a store that answers did not take a write: an outage is told of by others.
func (d *daemon) refused(ctx context.Context, err error) bool {
	return err != nil && !errors.Is(err, context.Canceled) && d.opts.Backend.Ping(ctx) == nil
}
