package api

import (
	"net/http"
	"slices"

	"github.com/contextd/contextd/internal/code"
)

// queueState is the whole queue, as "indexer status --json" prints it, and the daemons that work on it.
type queueState struct {
	Backend string     `json:"backend"`
	Daemon  bool       `json:"daemon"`
	Daemons []daemon   `json:"daemons"`
	Queue   queueStats `json:"queue"`
}

// daemon is an "indexer run" that serves the store.
type daemon struct {
	Host    string   `json:"host"`
	Roots   []string `json:"roots"`
	Watched []string `json:"watched"`
}

type queueStats struct {
	Depth     int   `json:"depth"`
	Delayed   int   `json:"delayed"`
	Inflight  int   `json:"inflight"`
	Dead      int   `json:"dead"`
	OldestAge int64 `json:"oldest_age_ms"`
}

func (s *Server) getQueue(_ http.ResponseWriter, r *http.Request) (reply, error) {
	b := s.opts.Session.Backend()
	st, err := b.Stats(r.Context())
	if err != nil {
		return reply{}, err
	}
	daemons, err := b.Daemons(r.Context())
	if err != nil {
		return reply{}, err
	}
	alive := make([]daemon, 0, len(daemons))
	for _, d := range daemons {
		alive = append(alive, daemon{d.Host, append([]string{}, d.Roots...), append([]string{}, d.Watched...)})
	}
	return ok(queueState{Backend: b.Name, Daemon: len(daemons) > 0, Daemons: alive, Queue: queueStats{st.Depth, st.Delayed, st.Inflight, st.Dead, st.Oldest.Milliseconds()}})
}

// letter is a dead request.
type letter struct {
	ID       string      `json:"id"`
	Project  string      `json:"project"`
	Root     string      `json:"root"`
	Reason   string      `json:"reason"`
	Attempts int         `json:"attempts"`
	At       string      `json:"at"`
	Paths    []code.Path `json:"paths"`
}

func (s *Server) listDead(_ http.ResponseWriter, r *http.Request) (reply, error) {
	dead, err := s.opts.Session.Backend().Dead(r.Context())
	if err != nil {
		return reply{}, err
	}
	rows := make([]letter, 0, len(dead))
	for _, l := range dead {
		rows = append(rows, letter{l.ID, l.Project, l.Root, l.Reason, l.Attempts, stamp(l.At), append([]code.Path{}, l.Paths...)})
	}
	return ok(map[string]any{"dead": rows})
}

// deadRequest names dead letters.
type deadRequest struct {
	IDs []string `json:"ids"`
	All bool     `json:"all"` // of retry only
}

func (s *Server) retryDead(w http.ResponseWriter, r *http.Request) (reply, error) {
	var q deadRequest
	if err := decode(w, r, maxBody, false, &q); err != nil {
		return reply{}, err
	}
	if q.All == (len(q.IDs) > 0) {
		return reply{}, wrong("ids", "want ids, or all")
	}
	jobs, err := s.opts.Session.Backend().Queue()
	if err != nil {
		return reply{}, err
	}
	ids := unique(q.IDs)
	n, err := jobs.RetryDead(r.Context(), ids)
	if err != nil {
		return reply{}, err
	}
	return ok(map[string]any{"retried": n, "unknown": max(0, len(ids)-n)})
}

func (s *Server) dropDead(w http.ResponseWriter, r *http.Request) (reply, error) {
	var q struct {
		IDs []string `json:"ids"`
	}
	if err := decode(w, r, maxBody, false, &q); err != nil {
		return reply{}, err
	}
	if len(q.IDs) == 0 {
		return reply{}, wrong("ids", "want at least one id")
	}
	jobs, err := s.opts.Session.Backend().Queue()
	if err != nil {
		return reply{}, err
	}
	ids := unique(q.IDs)
	n, err := jobs.DropDead(r.Context(), ids)
	if err != nil {
		return reply{}, err
	}
	return ok(map[string]any{"dropped": n, "unknown": max(0, len(ids)-n)})
}

// unique is ids without those that stand twice; nil stays nil, which means all.
func unique(ids []string) []string {
	if len(ids) == 0 {
		return nil
	}
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return slices.Compact(ids)
}
