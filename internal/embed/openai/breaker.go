package openai

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/contextd/contextd/internal/obs"
)

// maxPause bounds how long a server that names a time is left alone.
const maxPause = 5 * time.Minute

// breaker leaves a server alone that keeps failing.
//
//	closed ──failures in a row──▶ open ──pause over──▶ half-open: one request at a time
//	  ▲                            ▲                      │ │
//	  └────────────────────────────┼────── it succeeds ───┘ │
//	                               └────── it fails: the pause doubles
type breaker struct {
	limit    int
	min, max time.Duration
	log      *slog.Logger
	where    string

	mu       sync.Mutex
	failures int           // in a row
	pause    time.Duration // the last one; 0 when closed
	until    time.Time     // end of the pause
	trying   bool          // half-open, and a request is under way
}

// ready returns a fault while the breaker is open.
func (b *breaker) ready() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if left := time.Until(b.until); b.pause > 0 && left > 0 {
		return b.fault(left)
	}
	return nil
}

// enter lets a request through or returns a fault. A request that was let through tells leave how it ended, and whether
// it is the one that tries a server left alone.
func (b *breaker) enter() (trial bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch left := time.Until(b.until); {
	case b.pause == 0:
		return false, nil
	case left > 0:
		return false, b.fault(left)
	case b.trying:
		return false, b.fault(b.min)
	}
	b.trying = true
	return true, nil
}

func (b *breaker) fault(left time.Duration) error {
	return &fault{kind: breakerOpen, where: b.where, after: left,
		detail: fmt.Sprintf("left alone for %v after failures", left.Round(time.Millisecond))}
}

// leave takes how a request ended.
func (b *breaker) leave(trial bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if trial {
		b.trying = false
	}
	var f *fault
	if err != nil && !errors.As(err, &f) {
		return // the caller gave up: nothing is known
	}
	if f == nil || !f.outage() {
		if b.pause > 0 {
			b.log.Info("embedder answers again", "embedder", b.where)
		}
		b.failures, b.pause = 0, 0
		obs.EmbedBreakerOpen.Set(0)
		return
	}
	if b.failures++; !trial && (b.failures < b.limit || b.pause > 0) {
		return
	}
	if b.pause == 0 {
		b.log.Warn("embedder fails and is left alone", "embedder", b.where, obs.KeyError, f)
	}
	b.pause = min(max(2*b.pause, b.min), b.max)
	b.until = time.Now().Add(max(b.pause, min(f.after, maxPause)))
	obs.EmbedBreakerOpen.Set(1)
}
