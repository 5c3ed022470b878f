//go:build unix

package e2etest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Reply is the document of "retriever query".
type Reply struct {
	Query   string
	Status  string
	Reasons []string
	Results []Served
	Took    time.Duration `json:"-"` // of the whole process, or of the request
	CPU     time.Duration `json:"-"` // of the process; 0 for a request

	Generation int64
}

// Served is one result.
type Served struct {
	Path       string
	Start      int `json:"start_line"`
	End        int `json:"end_line"`
	Relevance  float64
	Freshness  string
	SnippetAt  int `json:"snippet_line"`
	Snippet    string
	Truncated  bool
	Symbol     string
	Kind, Lang string
}

var reasons = strings.Fields(
	"index_missing index_building index_stale backlog redis_unreachable redis_auth search_unsupported " +
		"embedder_unavailable deadline state_rebuilt changes_waiting store_full vectors_building generation_behind")

// Query asks a question. An error is a broken promise: exit 2, an unknown reason, a degraded reply without one, an exit
// status that does not fit.
func (w *World) Query(root, text string, flags ...string) (*Reply, error) {
	return w.QueryContext(context.Background(), root, text, flags...)
}

// QueryContext is Query that gives up with ctx.
func (w *World) QueryContext(ctx context.Context, root, text string, flags ...string) (*Reply, error) {
	r, err := w.ExecContext(ctx, "retriever", append([]string{"query", text, "--root", root, "--json"}, flags...)...)
	if err != nil {
		return nil, err
	}
	reply := &Reply{Took: r.Took, CPU: r.CPU}
	if r.Code == 2 {
		return nil, fmt.Errorf("want an answer from %v", r)
	}
	if err := json.Unmarshal([]byte(r.Out), reply); err != nil {
		return nil, fmt.Errorf("read the reply of %v: %w", r, err)
	}
	err = reply.check()
	if (r.Code == 0) != (len(reply.Results) > 0) {
		err = fmt.Errorf("exit %d with %d results", r.Code, len(reply.Results))
	}
	if err != nil {
		return nil, fmt.Errorf("%v: %w", r, err)
	}
	return reply, nil
}

// check returns an error if the reply is not of the form that is promised.
func (r *Reply) check() error {
	known := func(reason string) bool { return slices.Contains(reasons, reason) }
	switch {
	case r.Status == "degraded" && len(r.Reasons) == 0, !all(r.Reasons, known):
		return fmt.Errorf("status %q with reasons %q", r.Status, r.Reasons)
	case r.Status != "degraded" && (r.Status == "ok") != (len(r.Results) > 0):
		return fmt.Errorf("status %q with %d results", r.Status, len(r.Results))
	}
	return nil
}

func all[T any](list []T, f func(T) bool) bool {
	return !slices.ContainsFunc(list, func(v T) bool { return !f(v) })
}

// Has reports whether path is among the results.
func (r *Reply) Has(path string) bool {
	return slices.ContainsFunc(r.Results, func(s Served) bool { return s.Path == path })
}

// Finds asks until path is among the results.
func (w *World) Finds(within time.Duration, root, text, path string, flags ...string) error {
	return Eventually(within, func() error {
		r, err := w.Query(root, text, append([]string{"--deadline", "5s"}, flags...)...)
		if err == nil && !r.Has(path) {
			err = fmt.Errorf("%q is no answer to %q: %s %q %+v", path, text, r.Status, r.Reasons, r.Results)
		}
		return err
	})
}
