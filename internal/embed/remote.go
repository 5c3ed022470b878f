package embed

import (
	"context"
	"errors"
	"time"
)

// What a [Remote] fails with. Each error it returns is one of these or that of a cancelled context.
var (
	// ErrUnavailable is an outage: the server is down, slow, overloaded, answers nonsense, or is left alone for that.
	// It is nobody's fault here, and another try later may mend it.
	ErrUnavailable = errors.New("embedder unavailable")
	// ErrRefused is a server that works and does not want this: a wrong key, an unknown model. Only a person can mend
	// it.
	ErrRefused = errors.New("embedder refuses")
	// ErrDimensions is vectors of another length than those before: another model answers under the same name.
	ErrDimensions = errors.New("embedder changed its dimensions")
)

// Remote is an Embedder whose vectors are made by a server. Its Dims is 0 until the server has answered once, and again
// after ErrDimensions.
type Remote interface {
	Embedder
	// Ready returns an ErrUnavailable while the server is left alone because it failed, else nil. It asks nobody.
	Ready() error
	// Probe makes sure that Dims is known; it asks the server if it is not.
	Probe(ctx context.Context) error
	// Calls is how many calls of Documents at once keep the server busy.
	Calls() int
}

type progressKey struct{}

// WithProgress returns a context with which a Remote calls beat each time its server has made progress with a call's
// texts: from any goroutine, and now and then after the call has returned.
func WithProgress(ctx context.Context, beat func()) context.Context {
	return context.WithValue(ctx, progressKey{}, beat)
}

// ReportProgress calls the function that WithProgress has put into ctx, if any.
func ReportProgress(ctx context.Context) {
	if beat, ok := ctx.Value(progressKey{}).(func()); ok {
		beat()
	}
}

// Failed reports whether err is a failure of a Remote, as opposed to one of whoever asked.
func Failed(err error) bool {
	return errors.Is(err, ErrUnavailable) || errors.Is(err, ErrRefused) || errors.Is(err, ErrDimensions)
}

// RetryAfter is when the server wants to be asked again, as err tells it; 0 if it does not.
func RetryAfter(err error) time.Duration {
	var told interface{ RetryAfter() time.Duration }
	if errors.As(err, &told) {
		return told.RetryAfter()
	}
	return 0
}
