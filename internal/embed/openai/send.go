package openai

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cenkalti/backoff/v4"

	"github.com/contextd/contextd/internal/obs"
)

// probeText is what is sent to find out whether the server works at all.
const probeText = "hello"

// leastBatch is the number of texts below which the batches of a server that takes no more are not made smaller for
// good.
const leastBatch = 4

// minPart is the length in bytes below which a text is not halved further.
const minPart = 200

// try sends texts until they are answered, the tries are used up, or trying again is of no use. A server that says when
// to ask again is waited for until ctx ends if there are more tries than one: such an answer uses up none.
func (e *Embedder) try(ctx context.Context, texts []string, limit time.Duration, tries int) ([][]float32, error) {
	wait := backoff.NewExponentialBackOff(backoff.WithInitialInterval(200*time.Millisecond),
		backoff.WithMaxElapsedTime(0))
	for n := 1; ; {
		trial, err := e.breaker.enter()
		if err != nil {
			return nil, e.count(err)
		}
		vectors, err := e.ask(ctx, texts, limit)
		e.count(err)
		var f *fault
		if !errors.As(err, &f) || !f.again() || n == tries || f.after > e.opts.MaxWait || !inTime(ctx, f.after) {
			e.breaker.leave(trial, err)
			return vectors, err
		}
		pause := f.after
		if f.busy() {
			e.breaker.leave(trial, context.Canceled) // it works, and has said when
			if pause >= time.Second {
				e.opts.Log.Info("embedder asks to wait", "embedder", e.where, "status", f.status, "wait", pause)
			}
		} else {
			n++
			e.breaker.leave(trial, err)
			pause = max(pause, min(wait.NextBackOff(), e.opts.MaxWait))
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, err
		}
	}
}

// inTime reports whether ctx outlasts a pause.
func inTime(ctx context.Context, pause time.Duration) bool {
	end, ok := ctx.Deadline()
	return !ok || time.Until(end) > pause
}

// count moves the metric of errors.
func (e *Embedder) count(err error) error {
	var f *fault
	if errors.As(err, &f) {
		obs.EmbedErrors.WithLabelValues(string(f.kind)).Inc()
	}
	return err
}

// send makes one vector for each text, a zero one for a text that the server does not take though it works. It is what
// the line calls. An error comes with the vectors of the first texts until then, and each vector is kept for the next
// run.
func (e *Embedder) send(ctx context.Context, texts []string, answered func()) ([][]float32, error) {
	s := sending{e: e, answered: answered}
	vectors, err := s.all(ctx, texts, len(texts))
	for i, v := range vectors {
		if len(v) == e.Dims() && !zero(v) {
			e.cache.Put(keyOf(texts[i]), v)
		}
	}
	return vectors, err
}

// sending is the work on one batch.
type sending struct {
	e             *Embedder
	serverChecked bool // the server has answered a short text since it rejected something
	rejections    int  // inputs that were not taken
	answered      func()
}

// all embeds texts in requests of at most limit, and of the size that the server keeps up with.
func (s *sending) all(ctx context.Context, texts []string, limit int) (out [][]float32, err error) {
	for len(texts) > 0 && err == nil {
		n := min(len(texts), limit, s.e.line.size())
		var vectors [][]float32
		vectors, err = s.embed(ctx, texts[:n])
		out, texts = append(out, vectors...), texts[n:]
	}
	return out, err
}

// try is Embedder.try within patience, which begins again with each answer.
func (s *sending) try(ctx context.Context, texts []string, limit time.Duration, tries int) ([][]float32, error) {
	within, cancel := context.WithTimeout(ctx, batchTimeout)
	defer cancel()
	vectors, err := s.e.try(within, texts, limit, tries)
	if err == nil {
		s.answered()
	}
	return vectors, err
}

// embed returns the vectors of the first texts until an error.
func (s *sending) embed(ctx context.Context, texts []string) ([][]float32, error) {
	e := s.e
	vectors, err := s.try(ctx, texts, e.opts.Timeout, e.opts.Tries)
	var f *fault
	switch {
	case err == nil:
		e.line.noteAnswered()
		return vectors, s.retryUnusable(ctx, texts, vectors)
	case errors.As(err, &f) && f.kind == timeout && len(texts) > 1:
		e.line.noteTimeout(len(texts))
		s.serverChecked = false
		if proof := s.checkServer(ctx, err); proof != nil {
			return nil, proof
		}
		return s.all(ctx, texts, len(texts)/2) // smaller each time, whatever is measured meanwhile
	case !errors.As(err, &f) || !f.ofInput():
		return nil, err
	}
	s.rejections++
	if err := s.checkServer(ctx, err); err != nil {
		return nil, err
	}
	if len(texts) == 1 {
		v, err := s.parts(ctx, texts[0])
		return [][]float32{v}, err // nil with an error
	}
	half, before := (len(texts)+1)/2, s.rejections
	if vectors, err = s.embed(ctx, texts[:half]); err != nil {
		return vectors, err
	}
	rest, err := s.embed(ctx, texts[half:])
	if err == nil && s.rejections == before && half >= leastBatch {
		e.line.noteLimit(half) // not a text of it was too much, but their number
	}
	return append(vectors, rest...), err
}

// checkServer checks that the server embeds a short text: then the rejected text is to blame. cause is the error of
// that text.
func (s *sending) checkServer(ctx context.Context, cause error) error {
	if s.serverChecked {
		return nil
	}
	vectors, err := s.try(ctx, []string{probeText}, s.e.opts.Timeout/2, 1)
	switch {
	case err != nil:
		return err
	case vectors[0] == nil:
		return s.e.errNoVectors()
	}
	s.serverChecked = true
	s.e.opts.Log.Debug("embedder does not take an input", obs.KeyError, cause)
	return nil
}

// errNoVectors returns an outage: the server does not embed even a short text.
func (e *Embedder) errNoVectors() error {
	f := e.bad(badVector, "vectors of zeros or of what are no numbers")
	e.count(f)
	return f
}

// parts makes a vector of the halves of a text; a zero vector if there is none.
func (s *sending) parts(ctx context.Context, text string) ([]float32, error) {
	out := make([]float32, s.e.Dims())
	if len(text) < 2*minPart {
		return out, nil
	}
	a, b := halves(text)
	vectors := make([][]float32, 2)
	for i, part := range []string{a, b} {
		v, err := s.embed(ctx, []string{part})
		if err != nil {
			return nil, err
		}
		vectors[i] = v[0]
	}
	if len(vectors[0]) != len(vectors[1]) {
		return nil, s.e.bad(dimensions, "vectors of two lengths")
	}
	out = make([]float32, len(vectors[0]))
	for i := range out {
		out[i] = (vectors[0][i]*float32(len(a)) + vectors[1][i]*float32(len(b))) / float32(len(text))
	}
	normalize(out)
	return out, nil
}

// halves splits a text near its middle, at the end of a line or between words where there is one.
func halves(text string) (string, string) {
	at := len(text) / 2
	for _, sep := range []string{"\n", " "} {
		if i := strings.Index(text[at:], sep); i >= 0 && at+i < len(text)*3/4 {
			return text[:at+i+1], text[at+i+1:]
		}
	}
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return text[:at], text[at:]
}

// retryUnusable embeds each text without a usable vector once more, in a request of its own.
func (s *sending) retryUnusable(ctx context.Context, texts []string, vectors [][]float32) error {
	for i, v := range vectors {
		if v != nil {
			continue
		}
		obs.EmbedErrors.WithLabelValues(string(badVector)).Inc()
		again, err := s.try(ctx, texts[i:i+1], s.e.opts.Timeout, 1)
		var f *fault
		switch {
		case err == nil && again[0] != nil:
			vectors[i] = again[0]
			continue
		case err != nil && !(errors.As(err, &f) && f.ofInput()):
			return err
		}
		if err := s.checkServer(ctx, s.e.bad(badVector, "a vector of zeros or of what are no numbers")); err != nil {
			return err
		}
		vectors[i] = make([]float32, s.e.Dims())
	}
	return nil
}
