package trace

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/safetext"
)

// span is one stage that has ended.
type span struct {
	scope
	parent     [8]byte // zero: none
	name       string
	began      time.Time
	took       time.Duration
	failed     string // kind of the error; "" for none
	facts      []obs.Fact
	fromRemote bool // another process made the parent
}

// scope is where a stage stands: what its own stages are parts of.
type scope struct {
	trace   [16]byte
	id      [8]byte
	sampled bool
	remote  bool
}

type scopeKey struct{}

// maxFacts and maxWord bound what one span carries; words are in bytes.
const maxFacts, maxWord = 16, 256

// Begin is that of obs.Tracer.
func (t *Tracer) Begin(ctx context.Context, name string) (context.Context, func(error, []obs.Fact)) {
	outer, within := ctx.Value(scopeKey{}).(scope)
	sc := scope{trace: outer.trace, sampled: outer.sampled}
	if !within {
		_, _ = rand.Read(sc.trace[:]) // never fails
	}
	if !within || outer.remote && t.opts.Sampler.Always {
		sc.sampled = t.opts.Sampler.keeps(sc.trace)
	}
	_, _ = rand.Read(sc.id[:])
	ctx = context.WithValue(ctx, scopeKey{}, sc)
	if !sc.sampled {
		return ctx, func(error, []obs.Fact) {}
	}
	s := span{scope: sc, parent: outer.id, name: name, began: time.Now(), fromRemote: outer.remote}
	return ctx, func(err error, facts []obs.Fact) {
		s.took, s.failed = time.Since(s.began), kindOf(err)
		for _, f := range facts[:min(len(facts), maxFacts)] {
			f.Word = safetext.Valid(safetext.Cut(f.Word, maxWord))
			s.facts = append(s.facts, f)
		}
		t.add(s)
	}
}

// Remote is that of obs.Tracer.
func (t *Tracer) Remote(ctx context.Context, traceparent string) context.Context {
	if sc, ok := parse(traceparent); ok {
		return context.WithValue(ctx, scopeKey{}, sc)
	}
	return ctx
}

// keeps decides by the trace's id, so every process that is asked decides the same.
func (s Sampler) keeps(trace [16]byte) bool {
	return float64(binary.BigEndian.Uint64(trace[8:])>>1) < s.Share*math.MaxInt64 || s.Share >= 1
}

// parse reads a traceparent header of W3C Trace Context: 00-<32 hex digits>-<16>-<2>; later versions may have more.
func parse(header string) (sc scope, ok bool) {
	if len(header) < 55 || len(header) > 512 || header[2] != '-' || header[35] != '-' || header[52] != '-' ||
		strings.ToLower(header) != header {
		return sc, false
	}
	var version, flags [1]byte
	for _, part := range []struct {
		to   []byte
		text string
	}{{version[:], header[:2]}, {sc.trace[:], header[3:35]}, {sc.id[:], header[36:52]}, {flags[:], header[53:55]}} {
		if _, err := hex.Decode(part.to, []byte(part.text)); err != nil {
			return scope{}, false
		}
	}
	if version[0] == 0xff || version[0] == 0 && len(header) != 55 || len(header) > 55 && header[55] != '-' ||
		sc.trace == [16]byte{} || sc.id == [8]byte{} {
		return scope{}, false
	}
	sc.sampled, sc.remote = flags[0]&1 == 1, true
	return sc, true
}

// kindOf is what of an error may leave the machine: its text may name files.
func kindOf(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.Is(err, context.Canceled):
		return "cancelled"
	}
	return "error"
}
