package queue

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/cenkalti/backoff/v4"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/contextd/contextd/internal/obs"
)

var (
	messages = obs.Metric(prometheus.NewCounterVec(prometheus.CounterOpts{Name: "contextd_queue_messages_total",
		Help: "Messages taken from the intake, by what became of them."}, []string{"result"}))
	accepted = messages.WithLabelValues("accepted")
	refused  = messages.WithLabelValues("refused")
	overflow = obs.Metric(prometheus.NewCounter(prometheus.CounterOpts{Name: "contextd_queue_dead_dropped_total",
		Help: "Dead letters dropped because there were too many."}))
)

// Judge tells what becomes of messages: those that are merged, in order, and the dead letters of the others.
func Judge(ms []Message, accept func(*Request) error, now time.Time) (good []Accepted, dead []Corpse) {
	for _, m := range ms {
		r, err := Parse(m.ID, m.Fields)
		if err == nil && accept != nil {
			if err = accept(&r); errors.Is(err, ErrRetryLater) {
				err = nil
			}
		}
		if err != nil {
			dead = append(dead, Refused(m, err, now))
			continue
		}
		good = append(good, Accepted{r, m.At})
	}
	return good, dead
}

// CountDrained counts messages once they have left the intake.
func CountDrained(merged, died int) {
	accepted.Add(float64(merged))
	refused.Add(float64(died))
}

// CountDropped counts dead letters that fell out over MaxDead.
func CountDropped(n int) { overflow.Add(float64(n)) }

// DrainLoop drains q until ctx is done. While the backend fails it waits 0.5 s to 30 s between tries and logs one line
// when that begins and one when it ends.
func DrainLoop(ctx context.Context, q Queue, accept func(*Request) error, log *slog.Logger) {
	wait := NewBackOff()
	down := false
	for ctx.Err() == nil {
		_, err := q.Drain(ctx, accept)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			if !down {
				log.Error("queue cannot be drained", obs.KeyError, err)
			}
			down = true
			if !sleep(ctx, wait.NextBackOff()) {
				return
			}
		case down:
			down = false
			wait.Reset()
			log.Info("queue is drained again")
		}
	}
}

// NewBackOff spaces the tries to reach a backend: from 0.5 s to 30 s, spread by half, without end.
func NewBackOff() *backoff.ExponentialBackOff {
	return backoff.NewExponentialBackOff(backoff.WithInitialInterval(500*time.Millisecond), backoff.WithMultiplier(2),
		backoff.WithMaxInterval(30*time.Second), backoff.WithMaxElapsedTime(0))
}

// mostTries is how many tries BackOffAfter counts: the interval has long been the greatest by then.
const mostTries = 64

// BackOffAfter is the pause that b, which is new, gives after n tries: for who knows only their number.
func BackOffAfter(b *backoff.ExponentialBackOff, n int) time.Duration {
	for range min(n, mostTries) {
		b.NextBackOff()
	}
	return b.NextBackOff()
}

// sleep waits for d; false if ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
