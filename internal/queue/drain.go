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
	accepted    = messages.WithLabelValues("accepted")
	refused     = messages.WithLabelValues("refused")
	handedOn    = messages.WithLabelValues("handed_on")
	deadDropped = obs.Metric(prometheus.NewCounter(prometheus.CounterOpts{Name: "contextd_queue_dead_dropped_total",
		Help: "Dead letters dropped because there were too many."}))
)

// Validate parses messages and asks accept about each. It returns those to merge, in order, the ids of those that were
// handed on, and a dead letter for each other one.
func Validate(ms []Message, accept func(*Request) error, now time.Time) (good []Accepted, on []string, dead []DeadLetter) {
	for _, m := range ms {
		r, err := Parse(m.ID, m.Fields)
		if err == nil && accept != nil {
			if err = accept(&r); errors.Is(err, ErrRetryLater) {
				err = nil
			}
		}
		if errors.Is(err, ErrHandedOn) {
			on = append(on, m.ID)
			continue
		}
		if err != nil {
			dead = append(dead, LetterForMessage(m, err, now))
			continue
		}
		good = append(good, Accepted{r, m.At})
	}
	return good, on, dead
}

// CountDrained counts messages once they have left the intake.
func CountDrained(merged, on, died int) {
	accepted.Add(float64(merged))
	handedOn.Add(float64(on))
	refused.Add(float64(died))
}

// CountDropped counts dead letters that fell out over MaxDead.
func CountDropped(n int) { deadDropped.Add(float64(n)) }

// DrainLoop drains q until ctx is done. While the backend fails it waits 0.5 s to 30 s between attempts and logs one
// line when that begins and one when it ends.
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
			if !Sleep(ctx, wait.NextBackOff()) {
				return
			}
		case down:
			down = false
			wait.Reset()
			log.Info("queue is drained again")
		}
	}
}

// NewBackOff returns the exponential backoff for reaching a backend: 0.5 s to 30 s, randomized by half, without end.
func NewBackOff() *backoff.ExponentialBackOff {
	return backoff.NewExponentialBackOff(backoff.WithInitialInterval(500*time.Millisecond), backoff.WithMultiplier(2),
		backoff.WithMaxInterval(30*time.Second), backoff.WithMaxElapsedTime(0))
}

// maxBackOffSteps bounds the loop of BackOffAfter: the interval has long reached its maximum by then.
const maxBackOffSteps = 64

// BackOffAfter returns the pause that b, which must be new, gives after n failed attempts. It serves callers that keep
// only the number of attempts.
func BackOffAfter(b *backoff.ExponentialBackOff, n int) time.Duration {
	for range min(n, maxBackOffSteps) {
		b.NextBackOff()
	}
	return b.NextBackOff()
}

// Sleep waits for d. It returns false if ctx ended first.
func Sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
