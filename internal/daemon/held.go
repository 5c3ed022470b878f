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

// heldBack records what the store refuses to take from this daemon: changes of watched roots, and the daemon's
// registration. It logs a warning when that begins and a line when it is over. Safe for concurrent use.
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
	began := len(h.causes) == 0
	h.causes[key], h.paths[key] = err, n
	if !began {
		return
	}
	h.log.Warn("the store takes no changes: they are held back", "of", key, obs.KeyError, err,
		"hint", "indexer doctor names the cause; what is held back is queued by itself once it is over")
	h.writeMark(true)
}

// clear records that the store takes the changes of key again.
func (h *heldBack) clear(key string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.causes[key]; !ok {
		return
	}
	delete(h.causes, key)
	delete(h.paths, key)
	if len(h.causes) == 0 {
		h.log.Info("the store takes changes again")
		h.writeMark(false)
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
	if h.mark = mark; len(h.causes) > 0 {
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

// err returns why changes are held back; nil if none are.
func (h *heldBack) err() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for key, err := range h.causes {
		return fmt.Errorf("the store takes no changes of %q: %w", key, err)
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
