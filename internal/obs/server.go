package obs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/contextd/contextd/internal/safetext"
)

// readyTimeout is how long /readyz waits for the backend.
const readyTimeout = time.Second

// collectProcess adds the metrics of the process itself, once. A command that serves none is not kept waiting by it.
var collectProcess = sync.OnceFunc(func() {
	Registry().MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
})

// Partly is the error of what is ready for a part of what is asked of it, and says more of that.
type Partly interface {
	error
	Body() map[string]any // members of the answer beside ready and reason
}

// Handler serves /metrics, /healthz (the process lives) and /readyz (ready returns nil within a second; else 503 with
// the reason, or 200 with it where the error is [Partly]). On a loopback address only requests to an address or to
// localhost are answered, others get 403.
func Handler(ready func(context.Context) error) http.Handler {
	collectProcess()
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(Registry(),
		promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, map[string]any{"ok": true})
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
		defer cancel()
		err := ready(ctx)
		var some Partly
		if errors.As(err, &some) { // it is of use to what lies on other servers
			body := some.Body()
			body["ready"], body["reason"] = true, safetext.Line(err.Error())
			answer(w, http.StatusOK, body)
			return
		}
		if err != nil {
			answer(w, http.StatusServiceUnavailable,
				map[string]any{"ready": false, "reason": safetext.Line(err.Error())})
			return
		}
		answer(w, http.StatusOK, map[string]any{"ready": true})
	})
	return guard(mux)
}

// guard refuses what a page in a browser could send to a service of the machine that it runs on: a request that came in
// by the loopback address under a name that is not the machine's own (DNS rebinding). Behind any other address such a
// check would protect nothing, and would refuse the names of clusters.
func guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if at, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok && at.IP.IsLoopback() &&
			!OwnName(r.Host) {
			answer(w, http.StatusForbidden,
				map[string]any{"error": "the Host header names another machine: use localhost or an address"})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// OwnName reports whether a Host header is an address, or a name that only ever means this machine.
func OwnName(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	return net.ParseIP(strings.Trim(name, "[]")) != nil || name == "localhost" || strings.HasSuffix(name, ".localhost")
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client is gone
}

// Listen opens addr for Serve. An address in use is an error at once.
func Listen(addr string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		var op *net.OpError
		if errors.As(err, &op) {
			err = op.Err
		}
		return nil, fmt.Errorf("listen on %q: %w", addr, err)
	}
	return l, nil
}

// Serve answers on l until ctx ends, then lets requests in flight end for a second.
func Serve(ctx context.Context, l net.Listener, h http.Handler, log *slog.Logger) error {
	s := &http.Server{
		Handler: h, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second,
		IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	if err := RunServer(ctx, l, s, time.Second, func() {}); err != nil {
		return fmt.Errorf("serve metrics and health: %w", err)
	}
	return nil
}

// RunServer runs s on l until ctx ends. Then it calls stop and lets requests in flight end for the time drain.
func RunServer(ctx context.Context, l net.Listener, s *http.Server, drain time.Duration, stop func()) error {
	stopped := make(chan struct{})
	unhook := context.AfterFunc(ctx, func() {
		defer close(stopped)
		stop()
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
		defer cancel()
		if s.Shutdown(end) != nil {
			_ = s.Close()
		}
	})
	err := s.Serve(l)
	if !unhook() {
		<-stopped
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// Collect registers c with the [Registry] and returns what takes it out again, for a collector that lives as long as a
// daemon.
func Collect(c prometheus.Collector) (remove func(), err error) {
	if err := Registry().Register(c); err != nil {
		return nil, fmt.Errorf("register metrics: %w", err)
	}
	return func() { registry.Unregister(c) }, nil
}
