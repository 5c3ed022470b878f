package obs

import (
	"context"
	"sync/atomic"
)

// Fact is a number or a fixed word about a stage. Text of files, questions and prompts is none: facts may leave the
// machine.
type Fact struct {
	Key    string
	Word   string // "": Number counts
	Number int64
}

// Count is a number as a fact.
func Count(key string, n int) Fact { return Fact{Key: key, Number: int64(n)} }

// Word is one of a few words, or an id, as a fact.
func Word[T ~string](key string, word T) Fact { return Fact{Key: key, Word: string(word)} }

// Tracer keeps account of stages.
type Tracer interface {
	// Begin begins a stage within that of ctx. end is called once; of err it keeps only the kind.
	Begin(ctx context.Context, name string) (_ context.Context, end func(err error, facts []Fact))
	// Remote makes stages of ctx parts of what a traceparent header names; a header that is wrong changes nothing.
	Remote(ctx context.Context, traceparent string) context.Context
}

var tracer atomic.Pointer[Tracer]

// SetTracer chooses who keeps account from now on; nil: nobody.
func SetTracer(t Tracer) {
	if t == nil {
		tracer.Store(nil)
		return
	}
	tracer.Store(&t)
}

func noEnd(error, ...Fact) {}

// Stage begins a stage of work and returns what ends it. Without a tracer it costs next to nothing.
func Stage(ctx context.Context, name string) (context.Context, func(err error, facts ...Fact)) {
	t := tracer.Load()
	if t == nil {
		return ctx, noEnd
	}
	ctx, end := (*t).Begin(ctx, name)
	return ctx, func(err error, facts ...Fact) { end(err, facts) }
}

// Remote makes the stages of ctx parts of what a traceparent header names.
func Remote(ctx context.Context, traceparent string) context.Context {
	if t := tracer.Load(); t != nil && traceparent != "" {
		return (*t).Remote(ctx, traceparent)
	}
	return ctx
}
