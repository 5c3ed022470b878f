package api

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/contextd/contextd/internal/obs"
)

var (
	httpRequests = obs.Metric(prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "contextd_http_requests_total", Help: "Requests by route and status; route is none for an unknown path."},
		[]string{"route", "code"}))
	httpSeconds = obs.Metric(prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "contextd_http_seconds", Help: "Time to answer a request; WebSocket connections are not counted.",
		Buckets: prometheus.ExponentialBuckets(0.0005, 2, 14)}))
)

// goodID reports whether a request id is taken over from the client: 1 to 128 letters, digits, '.', '_', ':' or '-'.
func goodID(id string) bool {
	for _, c := range []byte(id) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' ||
			c == ':' || c == '-') {
			return false
		}
	}
	return id != "" && len(id) <= 128
}

const idHeader = "X-Request-Id"

// requestID is the client's id of a request if it is sane, else a new one.
func requestID(r *http.Request) string {
	if id := r.Header.Get(idHeader); goodID(id) {
		return id
	}
	var b [12]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

type idKey struct{}

// idOf is the id of the request that a context is of.
func idOf(ctx context.Context) string {
	id, _ := ctx.Value(idKey{}).(string)
	return id
}

// recorder notes what was answered.
type recorder struct {
	http.ResponseWriter
	code  int // 0: nothing yet
	bytes int64
}

func (w *recorder) WriteHeader(code int) {
	if w.code == 0 || w.code < 200 && w.code != http.StatusSwitchingProtocols {
		w.code = code
	}
	w.ResponseWriter.WriteHeader(code)
}

func (w *recorder) Write(p []byte) (int, error) {
	w.code = cmp.Or(w.code, http.StatusOK)
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// Unwrap lets the connection be taken over.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// observe is the outermost gate: it gives a request its id, catches panics, logs and counts.
func (s *Server) observe(next func(w http.ResponseWriter, r *http.Request) (route string, err error)) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		began, id, w := time.Now(), requestID(r), &recorder{ResponseWriter: rw}
		r = r.WithContext(context.WithValue(obs.Remote(r.Context(), r.Header.Get("Traceparent")), idKey{}, id))
		h := w.Header()
		h.Set(idHeader, id)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		route, err := s.recovered(next, w, r)
		if err != nil && w.code == 0 {
			sendProblem(w, err, id)
		}
		s.note(r, route, id, w, err, time.Since(began))
	})
}

// recovered calls next and turns a panic into an error.
func (s *Server) recovered(
	next func(http.ResponseWriter, *http.Request) (string, error), w http.ResponseWriter, r *http.Request,
) (route string, err error) {
	defer func() {
		if p := recover(); p != nil {
			if p == http.ErrAbortHandler {
				panic(p)
			}
			s.log.Error("panic in a handler", "request_id", idOf(r.Context()), "panic", fmt.Sprint(p),
				"stack", string(debug.Stack()))
			route, err = "none", errors.New("a defect of the server: its log tells more under this request's id")
		}
	}()
	return next(w, r)
}

// note counts and logs an answered request.
func (s *Server) note(r *http.Request, route, id string, w *recorder, err error, took time.Duration) {
	code := w.code
	if code == 0 {
		code = http.StatusOK // an empty answer
	}
	httpRequests.WithLabelValues(route, strconv.Itoa(code)).Inc()
	if code != http.StatusSwitchingProtocols {
		httpSeconds.Observe(took.Seconds())
	}
	level := slog.LevelInfo
	switch {
	case code >= 500:
		level = slog.LevelError
	case quiet[r.URL.Path]:
		level = slog.LevelDebug
	}
	attrs := []slog.Attr{slog.String("request_id", id), slog.String("method", r.Method),
		slog.String(obs.KeyPath, r.URL.Path), slog.String("route", route), slog.Int("code", code),
		slog.Int64("bytes", w.bytes), slog.Duration(obs.KeyTook, took), slog.String("remote", r.RemoteAddr)}
	if err != nil {
		attrs = append(attrs, slog.Any(obs.KeyError, err))
	}
	s.log.LogAttrs(context.WithoutCancel(r.Context()), level, "request", attrs...)
}

// quiet are paths that are asked for all the time.
var quiet = map[string]bool{"/healthz": true, "/readyz": true, "/metrics": true}
