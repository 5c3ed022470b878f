package openai

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	openai "github.com/sashabaranov/go-openai"

	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/recent"
	"github.com/contextd/contextd/internal/safetext"
)

// Embedder makes vectors with a server. Safe for concurrent use.
type Embedder struct {
	opts    Options
	name    string
	where   string // for people
	prompt  prompt
	client  *openai.Client
	http    *transport
	breaker *breaker
	cache   *recent.Map[[16]byte, []float32] // vectors by the hashes of texts: a run that an outage ended pays for none twice
	line    *batcher
	dims    atomic.Int64 // 0: not known
	ctx     context.Context
	close   context.CancelCauseFunc

	mu      sync.Mutex
	probing *probing // the probe under way
}

var _ embed.Remote = (*Embedder)(nil)

// probing is one probe that several callers wait for.
type probing struct {
	done chan struct{}
	err  error
}

var errClosed = fmt.Errorf("embedder closed: %w", embed.ErrUnavailable)

// New returns an Embedder. It asks the server nothing yet; the error is of the options.
func New(o Options) (*Embedder, error) {
	o = o.WithDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	u, err := url.Parse(o.URL)
	if err != nil {
		return nil, err
	}
	host := strings.ToLower(u.Host)
	e := &Embedder{opts: o, name: "openai/" + o.Model + "@" + host + "/" + layout,
		where: fmt.Sprintf("%q at %q", o.Model, host), prompt: promptOf(o.Model), http: newTransport(o.Parallel),
		cache: recent.New[[16]byte](o.CacheBytes/2, vectorBytes)}
	conf := openai.DefaultConfig(o.Key)
	conf.BaseURL, conf.HTTPClient = o.URL, e.http
	e.client = openai.NewClientWithConfig(conf)
	e.breaker = &breaker{limit: o.BreakerFailures, min: o.BreakerMin, max: o.BreakerMax, log: o.Log, where: e.where}
	e.ctx, e.close = context.WithCancelCause(context.Background())
	e.line = &batcher{opts: o, ctx: e.ctx, send: e.send, made: e.known, items: map[string]*item{}, pace: newPace(o)}
	return e, nil
}

// Close ends what is under way and drops idle connections.
func (e *Embedder) Close() {
	e.close(errClosed)
	e.http.client.CloseIdleConnections()
}

// Name is "openai/MODEL@HOST/VERSION": the same name on another host may be another model. Version is of how texts are
// put together.
func (e *Embedder) Name() string { return e.name }

// Dims is the length of the server's vectors, 0 while it is not known.
func (e *Embedder) Dims() int { return int(e.dims.Load()) }

// Calls is enough for the batches of all parallel requests to be full: many files have four chunks and less.
func (e *Embedder) Calls() int { return 2 + e.opts.Parallel*e.opts.BatchTexts/4 }

// Ready returns a fault while the server is left alone.
func (e *Embedder) Ready() error { return e.breaker.ready() }

// Probe embeds a short text unless Dims is known. Callers that come meanwhile wait for the same probe.
func (e *Embedder) Probe(ctx context.Context) error {
	e.mu.Lock()
	if e.dims.Load() > 0 {
		e.mu.Unlock()
		return nil
	}
	f := e.probing
	if f == nil {
		f = &probing{done: make(chan struct{})}
		e.probing = f
		go func() {
			within, cancel := context.WithTimeout(e.ctx, batchTimeout)
			defer cancel()
			f.err = e.probe(within)
			e.mu.Lock()
			e.probing = nil
			e.mu.Unlock()
			close(f.done)
		}()
	}
	e.mu.Unlock()
	select {
	case <-f.done:
		return f.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (e *Embedder) probe(ctx context.Context) error {
	vectors, err := e.try(ctx, []string{probeText}, e.opts.ProbeTimeout, e.opts.Tries)
	if err == nil && vectors[0] == nil {
		return e.errNoVectors()
	}
	return err
}

// Documents embeds chunks. Errors are those of [embed.Remote], or the cause of ctx.
func (e *Embedder) Documents(ctx context.Context, texts []embed.Text) ([][]float32, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	if err := e.Probe(ctx); err != nil {
		return nil, err
	}
	passages := make([]string, len(texts))
	for i, t := range texts {
		passages[i] = e.prompt.passage(t)
	}
	out, err := e.line.wait(ctx, passages)
	if err != nil {
		return nil, err
	}
	for _, v := range out {
		if len(v) != len(out[0]) {
			return nil, e.bad(dimensions, "vectors of two lengths")
		}
	}
	return out, nil
}

func zero(v []float32) bool { return !slices.ContainsFunc(v, func(x float32) bool { return x != 0 }) }

// known returns the vector that was made of a text; nil if it is not remembered.
func (e *Embedder) known(text string) []float32 {
	v, _ := e.cache.Get(keyOf(text))
	return v
}

func keyOf(text string) [16]byte {
	sum := sha256.Sum256([]byte(text))
	return [16]byte(sum[:16])
}

// vectorBytes is about what a vector takes in the cache.
func vectorBytes(v []float32) int { return 4*len(v) + 64 }

// Query embeds a question with one try, past the line. Of one that is too long for the model, the beginning counts. It
// ends with ctx.
func (e *Embedder) Query(ctx context.Context, text string) ([]float32, error) {
	text = e.prompt.question(text)
	for {
		vectors, err := e.try(ctx, []string{text}, e.opts.Timeout, 1)
		var f *fault
		switch {
		case errors.As(err, &f) && f.kind == rejected && len(text) >= 2*minPart:
			text = safetext.Cut(text, len(text)/2)
			continue
		case err != nil:
			return nil, err
		case vectors[0] == nil:
			return nil, e.errNoVectors()
		}
		return vectors[0], nil
	}
}
