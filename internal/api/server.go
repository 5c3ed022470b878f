package api

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/contextd/contextd/internal/app"
	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/queue/spool"
)

const (
	// answerTime is how long a handler may take; retrieval has its own, shorter deadline.
	answerTime = 20 * time.Second
	// drainTime is how long requests in flight may take to end when the server stops.
	drainTime = 7 * time.Second
)

// Options of a server.
type Options struct {
	App     *app.App
	Spool   *spool.Spool     // keeps requests for a refresh while the store takes none; nil: they fail
	Token   string           // bearer token; "": none is asked for
	Poll    time.Duration    // how often index and queue are looked at for listeners; 0 means 1 s
	Tools   bool             // offer all tools at /mcp, not the common ones alone
	Version string           // that /mcp tells clients
	Log     *slog.Logger     // nil: none
	Now     func() time.Time // what time it is; nil means time.Now
}

// WithDefaults fills what is not set.
func (o Options) WithDefaults() Options {
	o.Poll = cmp.Or(o.Poll, time.Second)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Validate names the first option that is wrong.
func (o Options) Validate() error {
	switch {
	case o.App == nil:
		return errors.New("api: want an app")
	case o.Poll < 0:
		return fmt.Errorf("poll must be above 0 (got %v)", o.Poll)
	}
	return nil
}

// Server answers requests. Safe for concurrent use.
type Server struct {
	opts  Options
	log   *slog.Logger
	token []byte // sum of the token; nil: none is asked for
	mux   *http.ServeMux
	hub   *hub
	mcp   http.Handler

	roots  knownRoots
	seen   lastViews
	queue  queueHistory
	cold   atomic.Bool // Run loads what a first prompt needs
	bodies bodies      // room for the bodies of all requests
}

// New makes a server; Close ends what it runs beside requests.
func New(o Options) (*Server, error) {
	o = o.WithDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	s := &Server{opts: o, log: o.Log, mux: http.NewServeMux()}
	s.bodies.left.Store(maxBodies)
	if o.Token != "" {
		sum := sha256.Sum256([]byte(o.Token))
		s.token = sum[:]
	}
	s.hub = newHub(s.look, o.Poll, o.Now, o.Log)
	var err error
	if s.mcp, err = s.newMCP(); err != nil {
		return nil, err
	}
	for _, rt := range routes {
		s.mux.Handle(rt.method+" "+rt.path, s.handler(rt))
	}
	for _, at := range []string{"/{$}", "/ui/{file}"} {
		s.mux.Handle("GET "+at, s.handler(route{method: "GET", path: at, query: anyQuery, raw: (*Server).dashboard}))
	}
	watched := obs.Handler(s.ready)
	for _, path := range []string{"/metrics", "/healthz", "/readyz"} {
		s.mux.Handle("GET "+path, s.handler(route{method: "GET", path: path, query: anyQuery, raw: func(
			_ *Server, w http.ResponseWriter, r *http.Request,
		) error {
			watched.ServeHTTP(w, r)
			return nil
		}}))
	}
	return s, nil
}

// Close ends the connections of listeners.
func (s *Server) Close() { s.hub.close() }

// Handler is the whole server, with all its gates.
func (s *Server) Handler() http.Handler { return s.observe(s.dispatch) }

// Run answers on l until ctx ends, then lets requests in flight end for 7 s. It is ready once what a first prompt needs
// is loaded.
func (s *Server) Run(ctx context.Context, l net.Listener) error {
	srv := &http.Server{Handler: s.Handler(), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second,
		WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug)}
	s.cold.Store(true)
	var beside sync.WaitGroup
	running, cancel := context.WithCancel(ctx)
	beside.Go(func() { s.warm(running) })
	beside.Go(func() { s.queue.sample(running, s.opts.App.Backend.Stats, s.opts.Now) })
	if s.opts.Spool != nil {
		beside.Go(func() { s.opts.Spool.Run(running, s.deliver, s.log) })
	}
	defer beside.Wait()
	defer cancel()
	// Listeners are connections that no shutdown waits for; the Close below does.
	err := obs.RunServer(ctx, l, srv, drainTime, func() { go s.Close() })
	s.Close()
	if err != nil {
		return fmt.Errorf("serve the API: %w", err)
	}
	return nil
}

// Listen opens addr. On any address but loopback a token must be set.
func Listen(addr, token string) (net.Listener, error) {
	at, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %q: %w", addr, err)
	}
	if token == "" && !at.IP.IsLoopback() {
		return nil, &openError{addr}
	}
	return obs.Listen(at.String())
}

// openError is a server that everybody could ask.
type openError struct{ addr string }

func (e *openError) Error() string {
	return fmt.Sprintf("listen on %q: that is not a loopback address, and no token is set", e.addr)
}

// Hint tells what to do about it.
func (e *openError) Hint() string {
	return "give --token-file FILE or set CONTEXTD_TOKEN, or listen on 127.0.0.1"
}
