package worker

import (
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v4"

	"github.com/contextd/contextd/internal/queue"
)

// ErrNoProgress is the cause of the context of a run that was stopped because its handler reported no progress.
var ErrNoProgress = errors.New("the run made no progress")

// ErrTooLong is the cause of the context of a run that took longer than Options.MaxRun.
var ErrTooLong = errors.New("the run took too long")

// errStopped is the error of a run that ended because the worker stops.
var errStopped = errors.New("the worker stops")

type fatalError struct{ err error }

func (e *fatalError) Error() string { return e.err.Error() }
func (e *fatalError) Unwrap() error { return e.err }

// Fatal marks an error that a retry cannot fix: the request becomes a dead letter at once.
func Fatal(err error) error { return &fatalError{err} }

type retryAfterError struct {
	err   error
	delay time.Duration
}

func (e *retryAfterError) Error() string { return e.err.Error() }
func (e *retryAfterError) Unwrap() error { return e.err }

// RetryAfter marks an error that is not the request's fault (a lock that another holds, an embedder that is down): the
// run is repeated after delay and no attempt is counted.
func RetryAfter(err error, delay time.Duration) error { return &retryAfterError{err, delay} }

// panicError is a panic of a handler.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("the run panicked: %v", e.value) }

// maxRetryDelay is the longest backoff between two failed runs.
const maxRetryDelay = 5 * time.Minute

// retryDelay returns the backoff after a failed run that n failed runs preceded: random, up to 1 s doubled n times.
func retryDelay(n int) time.Duration {
	// A randomization factor of 1 gives pauses from 0 to twice the interval.
	b := backoff.NewExponentialBackOff(backoff.WithInitialInterval(time.Second/2), backoff.WithMultiplier(2), backoff.WithRandomizationFactor(1),
		backoff.WithMaxInterval(maxRetryDelay/2), backoff.WithMaxElapsedTime(0))
	return max(queue.BackOffAfter(b, n), 1)
}
