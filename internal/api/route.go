package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// route is one operation. Exactly one of serve and raw is set.
type route struct {
	method string
	path   string // as net/http matches it
	query  string // the parameters that it takes, separated by spaces; others are refused, unless it is anyQuery
	serve  func(s *Server, w http.ResponseWriter, r *http.Request) (reply, error)
	raw    func(s *Server, w http.ResponseWriter, r *http.Request) error // writes its answer itself
}

// anyQuery is the query of a route that does not look at it.
const anyQuery = "*"

// reply is an answer that is not a problem.
type reply struct {
	code int // 0 means 200
	body any // nil: none
}

func ok(body any) (reply, error) { return reply{body: body}, nil }

// result is ok, or err where it is not nil.
func result(body any, err error) (reply, error) {
	if err != nil {
		return reply{}, err
	}
	return ok(body)
}

// call is what a handler is given beside its request, and what it leaves for observe.
type call struct {
	query map[string]string
	route string
	err   error
}

// queryOf are the parameters of a request's query, of those that its route takes.
func queryOf(r *http.Request) map[string]string {
	c, _ := r.Context().Value(callKey{}).(*call)
	return c.query
}

type callKey struct{}

// dispatch is everything behind observe.
func (s *Server) dispatch(w http.ResponseWriter, r *http.Request) (string, error) {
	if err := s.admit(r); err != nil {
		return "none", err
	}
	if _, pattern := s.mux.Handler(r); pattern == "" {
		return "none", s.unmatched(w, r)
	}
	c := &call{route: "none"}
	s.mux.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callKey{}, c)))
	return c.route, c.err
}

// unmatched is the problem of a request that no route takes.
func (s *Server) unmatched(w http.ResponseWriter, r *http.Request) error {
	var allowed []string
	for _, m := range []string{"GET", "POST", "PATCH", "DELETE"} {
		try := r.Clone(r.Context())
		try.Method = m
		if _, pattern := s.mux.Handler(try); pattern != "" {
			allowed = append(allowed, m)
		}
	}
	if len(allowed) == 0 {
		return &fault{slug: notFound, err: refuse(notFound, "no such path %q", r.URL.Path),
			hint: "GET /openapi.json lists all paths"}
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	return &fault{slug: methodRefused, err: refuse(methodRefused, "%s is not a method of %q", r.Method, r.URL.Path),
		known: allowed}
}

// handler is a route for the multiplexer.
func (s *Server) handler(rt route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, _ := r.Context().Value(callKey{}).(*call)
		c.route = rt.method + " " + rt.path
		if rt.query != anyQuery {
			if c.query, c.err = params(r, strings.Fields(rt.query)); c.err != nil {
				return
			}
		}
		if rt.raw != nil {
			c.err = rt.raw(s, w, r)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), answerTime)
		defer cancel()
		b := &body{ReadCloser: r.Body, of: &s.bodies}
		r.Body = b
		defer b.release()
		rep, err := rt.serve(s, w, r.WithContext(ctx))
		if err == nil {
			err = send(w, rep)
		}
		c.err = err
	})
}

// send writes an answer, whole or not at all.
func send(w http.ResponseWriter, rep reply) error {
	code := rep.code
	code = cmp.Or(code, http.StatusOK)
	if rep.body == nil {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(rep.body); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write(b.Bytes()) // the client is gone
	return nil
}

// params are the parameters of a request's query: only those named, each once.
func params(r *http.Request, names []string) (map[string]string, error) {
	given, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil { // what cannot be read would be left out in silence
		return nil, refuse(invalidRequest, "the query: %w", err)
	}
	out := map[string]string{}
	for name, values := range given {
		switch {
		case !utf8.ValidString(name):
			return nil, refuse(invalidEncoding, "the query is not UTF-8")
		case !slices.Contains(names, name):
			return nil, &fault{slug: unknownField, field: name, err: fmt.Errorf("there is no parameter %q", name),
				known: names}
		case len(values) > 1:
			return nil, wrong(name, "want it once")
		case !utf8.ValidString(values[0]):
			return nil, &fault{slug: invalidEncoding, field: name, err: fmt.Errorf("%s is not UTF-8", name)}
		}
		out[name] = values[0]
	}
	return out, nil
}

// pathText is a part of the path. It is UTF-8 without control characters.
func pathText(r *http.Request, name string) (string, error) {
	v := r.PathValue(name)
	switch {
	case !utf8.ValidString(v):
		return "", &fault{slug: invalidEncoding, field: name, err: fmt.Errorf("%s in the path is not UTF-8", name)}
	case strings.ContainsFunc(v, func(c rune) bool { return c < ' ' || c == 0x7f }):
		return "", wrong(name, "want no control characters")
	}
	return v, nil
}
