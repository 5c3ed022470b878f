package worker

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/queue"
)

const renewEvery = 10 * time.Second // a third of queue.LeaseTime: two renewals may fail

// run runs the handler on one claim and reports the result to the queue.
func (w *Worker) run(ctx context.Context, c *queue.Claim) {
	if c.Abandoned && w.handleAbandoned(ctx, c) {
		return
	}
	start := time.Now()
	handled, err := w.runHandler(ctx, c)
	took := time.Since(start)
	w.addCost(c.Project, took)
	log := w.opts.Log.With(obs.KeyProject, c.Project, obs.KeyTook, took)

	var fatal *fatalError
	var later *retryAfterError
	var panicked *panicError
	switch {
	case errors.Is(err, queue.ErrLost):
		runsCancelled.Inc()
		log.Warn("run dropped", obs.KeyError, err)
	case err == nil:
		runsOK.Inc()
		runSeconds.Observe(took.Seconds())
		log.Debug("run done", obs.KeyCount, len(handled))
		w.reportEnd(ctx, c, "done", func(ctx context.Context) error { return w.queue.Done(ctx, c, handled) })
	case errors.Is(err, errStopped):
		runsCancelled.Inc()
		log.Info("run stopped, to go on later")
		w.reportEnd(ctx, c, "release", func(ctx context.Context) error { return w.queue.Release(ctx, c, 0) })
	case errors.As(err, &later):
		runsCancelled.Inc()
		log.Info("run put off", obs.KeyError, err, "delay", later.delay)
		w.reportEnd(ctx, c, "release", func(ctx context.Context) error { return w.queue.Release(ctx, c, later.delay) })
	case errors.As(err, &fatal) || c.Attempts+1 >= w.opts.MaxAttempts:
		runsError.Inc()
		runSeconds.Observe(took.Seconds())
		log.Error("run failed, request is dead", obs.KeyError, err, "attempts", c.Attempts+1)
		w.reportEnd(ctx, c, "bury", func(ctx context.Context) error { return w.queue.Bury(ctx, c, err.Error()) })
	default:
		d := retryDelay(c.Attempts)
		runsError.Inc()
		runSeconds.Observe(took.Seconds())
		log.Warn("run failed, to be repeated", obs.KeyError, err, "attempts", c.Attempts+1, "delay", d)
		w.reportEnd(ctx, c, "retry", func(ctx context.Context) error { return w.queue.Retry(ctx, c, d) })
	}
	if errors.As(err, &panicked) {
		log.Error("run panicked", obs.KeyError, err, "stack", string(panicked.stack))
	}
}

// handleAbandoned deals with a claim whose previous runs ended without a result, and reports whether that ended the
// claim. After one such run the claim is run again at once. After more, the project is put off, so that other runs can
// end, and finally its request becomes a dead letter.
func (w *Worker) handleAbandoned(ctx context.Context, c *queue.Claim) bool {
	log := w.opts.Log.With(obs.KeyProject, c.Project, "attempts", c.Attempts)
	switch {
	case c.Attempts >= w.opts.MaxAttempts:
		runsError.Inc()
		log.Error("process ended in mid-run too often, request is dead")
		last := *c
		last.Attempts-- // of the run that Bury would count
		w.reportEnd(ctx, c, "bury", func(ctx context.Context) error { return w.queue.Bury(ctx, &last, abandonedReason(c.Attempts)) })
	case c.Attempts > 1:
		runsCancelled.Inc()
		d := retryDelay(c.Attempts - 1)
		log.Warn("process ended in mid-run again, the project is put off", "delay", d)
		w.reportEnd(ctx, c, "release", func(ctx context.Context) error { return w.queue.Release(ctx, c, d) })
	default:
		return false
	}
	return true
}

func abandonedReason(attempts int) string {
	return fmt.Sprintf("the process ended during the last of %d runs, none of which succeeded: it may need more memory than there is for this project", attempts)
}

// runHandler calls the handler under the lease and the progress timeout. Its error is errStopped or wraps
// queue.ErrLost, ErrNoProgress or ErrTooLong if the run was cut short for that.
func (w *Worker) runHandler(ctx context.Context, c *queue.Claim) ([]queue.Item, error) {
	runCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var last atomic.Int64 // when the handler got further, ns since start
	start := time.Now()
	watched := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(watched)
		w.superviseRun(ctx, c, cancel, ended, func() time.Duration { return time.Since(start) - time.Duration(last.Load()) })
	}()
	handled, err := w.callHandler(runCtx, c, func() { last.Store(int64(time.Since(start))) })
	cause := context.Cause(runCtx)
	close(ended)
	<-watched

	switch {
	case errors.Is(cause, queue.ErrLost):
		return nil, cause
	case err == nil && len(handled) == 0 && len(c.Items) > 0:
		err = errors.New("the run ended without having done anything")
	case err == nil:
		return handled, nil
	}
	switch {
	case ctx.Err() != nil:
		return nil, errStopped
	case errors.Is(cause, ErrNoProgress), errors.Is(cause, ErrTooLong):
		return nil, cause
	}
	return nil, err
}

// callHandler calls the handler and returns a panic as an error.
func (w *Worker) callHandler(ctx context.Context, c *queue.Claim, progress func()) (handled []queue.Item, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &panicError{v, debug.Stack()}
		}
	}()
	return w.handler(ctx, c, progress)
}

// superviseRun renews the lease until the run has ended, and cancels the run when the lease is lost or idle, the time
// without progress, grows too long. A run that was told to stop keeps its lease: it may still write.
func (w *Worker) superviseRun(ctx context.Context, c *queue.Claim, cancel context.CancelCauseFunc, ended <-chan struct{}, idle func() time.Duration) {
	ctx = context.WithoutCancel(ctx)
	renew := time.NewTicker(renewEvery)
	defer renew.Stop()
	tooLong := time.NewTimer(w.opts.MaxRun)
	defer tooLong.Stop()
	check := time.NewTicker(max(w.opts.ProgressTimeout/20, time.Millisecond))
	defer check.Stop()
	held := time.Now()
	for {
		select {
		case <-ended:
			return
		case <-check.C:
			if d := idle(); d >= w.opts.ProgressTimeout {
				cancel(fmt.Errorf("%w for %v", ErrNoProgress, w.opts.ProgressTimeout))
			}
		case <-tooLong.C:
			cancel(fmt.Errorf("%w (%v)", ErrTooLong, w.opts.MaxRun))
		case <-renew.C:
			began := time.Now()
			rctx, stop := context.WithTimeout(ctx, renewEvery/2)
			err := w.queue.Renew(rctx, c)
			stop()
			switch {
			case err == nil:
				held = began
			case errors.Is(err, queue.ErrLost):
				cancel(err)
				return
			case time.Since(held) > queue.LeaseTime:
				cancel(fmt.Errorf("%w: it could not be renewed: %w", queue.ErrLost, err))
				return
			}
		}
	}
}

// reportEnd tells the queue how the claim ended. While the queue does not answer it retries until the claim expires or
// the worker stops; after that the request is simply claimed again.
func (w *Worker) reportEnd(ctx context.Context, c *queue.Claim, what string, f func(context.Context) error) {
	wait := queue.NewBackOff()
	for end := time.Now().Add(queue.LeaseTime); ; {
		tctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		err := f(tctx)
		cancel()
		if err == nil {
			return
		}
		if errors.Is(err, queue.ErrLost) || ctx.Err() != nil || time.Now().After(end) {
			w.opts.Log.Warn("queue was not told that a run ended", obs.KeyProject, c.Project, "what", what, obs.KeyError, err)
			return
		}
		w.waitForWork(ctx, wait.NextBackOff(), false)
	}
}
