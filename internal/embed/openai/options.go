package openai

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/embed/modelhttp"
)

// Where texts go if only a key is given.
const (
	DefaultURL   = "https://api.openai.com/v1"
	DefaultModel = "text-embedding-3-small"
)

// Options of an Embedder.
type Options struct {
	// URL is the API's base, such as http://127.0.0.1:11434/v1; without a path it gets /v1. "" means DefaultURL, which
	// wants a Key.
	URL   string
	Model string // as the server calls it; "" means DefaultModel at DefaultURL, and is wrong elsewhere
	Key   string // sent as bearer token; "": none

	BatchTexts   int           // texts of one request, from 1; 0 means 32, what Text Embeddings Inference takes
	BatchBytes   int           // their bytes, from 1,000; 0 means 100,000
	Parallel     int           // requests at once, from 1; 0 means 4
	Window       time.Duration // how long a batch that is not full waits for more; 0 means 2 ms
	Timeout      time.Duration // for one request; 0 means 60 s
	ProbeTimeout time.Duration // for the first request; 0 means Timeout
	Tries        int           // of one request, from 1; 0 means 3
	MaxWait      time.Duration // between two tries: a server that asks for more is unavailable; 0 means 90 s
	CacheBytes   int           // of vectors kept for texts that come again; 0 means 32 MB

	BreakerFailures int           // failures in a row that open the breaker, from 1; 0 means 5
	BreakerMin      time.Duration // how long it is open at first; doubles with each failure; 0 means 1 s
	BreakerMax      time.Duration // and at most; 0 means 1 min

	Log *slog.Logger
}

// WithDefaults fills what is not set and completes the URL.
func (o Options) WithDefaults() Options {
	o.URL = cmp.Or(o.URL, DefaultURL)
	o.URL = modelhttp.BaseURL(o.URL, "/embeddings") // Validate tells of what is none
	if o.URL == DefaultURL {
		o.Model = cmp.Or(o.Model, DefaultModel)
	}
	o.BatchTexts = cmp.Or(o.BatchTexts, 32)
	o.BatchBytes = cmp.Or(o.BatchBytes, 100_000)
	o.Parallel = cmp.Or(o.Parallel, 4)
	o.Window = cmp.Or(o.Window, 2*time.Millisecond)
	o.Timeout = cmp.Or(o.Timeout, time.Minute)
	o.ProbeTimeout = cmp.Or(o.ProbeTimeout, o.Timeout)
	o.Tries = cmp.Or(o.Tries, 3)
	o.MaxWait = cmp.Or(o.MaxWait, 90*time.Second)
	o.CacheBytes = cmp.Or(o.CacheBytes, 32<<20)
	o.BreakerFailures = cmp.Or(o.BreakerFailures, 5)
	o.BreakerMin = cmp.Or(o.BreakerMin, time.Second)
	o.BreakerMax = cmp.Or(o.BreakerMax, time.Minute)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return o
}

// Validate names the first option that is wrong.
func (o Options) Validate() error {
	u, err := url.Parse(o.URL)
	switch {
	case err != nil:
		// err would repeat what may hold a password
		return errors.New("embedder url: want http://host:port/v1 or https://…")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return fmt.Errorf("embedder url %q: want http://host:port/v1 or https://…", u.Redacted())
	case u.User != nil:
		return errors.New("embedder url: want none with a user or a password; the key comes only from OPENAI_API_KEY")
	case u.RawQuery != "" || u.Fragment != "":
		return fmt.Errorf("embedder url %q: want none with ? or #", u.Host+u.Path)
	case o.URL == DefaultURL && o.Key == "":
		return hinted{errors.New("embedder openai: want a server or a key"),
			"give --embedder-url and --embedder-model, or set OPENAI_API_KEY for OpenAI's own"}
	case o.Model == "":
		return hinted{fmt.Errorf("embedder openai: want the name of a model at %q", u.Host),
			"give --embedder-model, as the server calls it"}
	case !modelhttp.ModelName(o.Model):
		return fmt.Errorf("embedder model %.200q: want at most 200 characters without spaces", o.Model)
	case strings.ContainsAny(o.Key, "\r\n\x00"):
		return errors.New("OPENAI_API_KEY: want one line")
	}
	for _, n := range []struct {
		name         string
		value, least int
	}{{"batch texts", o.BatchTexts, 1}, {"batch bytes", o.BatchBytes, 1000}, {"parallel", o.Parallel, 1},
		{"tries", o.Tries, 1},
		{"cache bytes", o.CacheBytes, 1}, {"breaker failures", o.BreakerFailures, 1}} {
		if n.value < n.least {
			return fmt.Errorf("%s must be at least %d (got %d)", n.name, n.least, n.value)
		}
	}
	for _, d := range []struct {
		name  string
		value time.Duration
	}{{"window", o.Window}, {"timeout", o.Timeout}, {"probe timeout", o.ProbeTimeout}, {"max wait", o.MaxWait},
		{"breaker min", o.BreakerMin}, {"breaker max", o.BreakerMax}} {
		if d.value <= 0 {
			return fmt.Errorf("%s must be above 0 (got %v)", d.name, d.value)
		}
	}
	return nil
}

type hinted struct {
	error
	hint string
}

// Hint says what to do about the error.
func (h hinted) Hint() string { return h.hint }
