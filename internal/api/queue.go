package api

import (
	"net/http"
	"slices"

	client "github.com/contextd/contextd/clients/go"
	"github.com/contextd/contextd/internal/servers"
	"github.com/contextd/contextd/internal/wire"
)

func (s *Server) getQueue(_ http.ResponseWriter, r *http.Request) (reply, error) {
	b := s.opts.App.Backend
	st, fault := b.Stats(r.Context())
	if fault != nil && !servers.Partial(fault) {
		return reply{}, fault
	}
	daemons, err := b.Daemons(r.Context())
	if err != nil {
		return reply{}, err
	}
	alive := make([]client.Daemon, 0, len(daemons))
	for _, d := range daemons {
		alive = append(alive, client.Daemon{Host: d.Host, Roots: append([]string{}, d.Roots...),
			Watched: append([]string{}, d.Watched...)})
	}
	return ok(client.Queue{Backend: b.Name, Daemon: len(daemons) > 0, Daemons: alive, Counts: wire.QueueCounts(st),
		Servers: wire.Servers(b, fault, nil)})
}

func (s *Server) listDead(_ http.ResponseWriter, r *http.Request) (reply, error) {
	dead, err := s.opts.App.Backend.Dead(r.Context())
	if err != nil && !servers.Partial(err) {
		return reply{}, err
	}
	list := wire.DeadLetters(dead)
	list.Servers = wire.Servers(s.opts.App.Backend, err, nil)
	return ok(list)
}

func (s *Server) retryDead(w http.ResponseWriter, r *http.Request) (reply, error) {
	var q client.RetryRequest
	if err := decode(w, r, maxBody, false, &q); err != nil {
		return reply{}, err
	}
	if q.All == (len(q.IDs) > 0) {
		return reply{}, wrong("ids", "want ids, or all")
	}
	jobs, err := s.opts.App.Backend.Queue()
	if err != nil {
		return reply{}, err
	}
	ids := slices.Compact(slices.Sorted(slices.Values(q.IDs)))
	n, err := jobs.RetryDead(r.Context(), ids)
	if err != nil {
		return reply{}, err
	}
	return ok(client.Retried{Retried: n, Unknown: max(0, len(ids)-n)})
}

func (s *Server) dropDead(w http.ResponseWriter, r *http.Request) (reply, error) {
	var q client.DropRequest
	if err := decode(w, r, maxBody, false, &q); err != nil {
		return reply{}, err
	}
	if len(q.IDs) == 0 {
		return reply{}, wrong("ids", "want at least one id")
	}
	jobs, err := s.opts.App.Backend.Queue()
	if err != nil {
		return reply{}, err
	}
	ids := slices.Compact(slices.Sorted(slices.Values(q.IDs)))
	n, err := jobs.DropDead(r.Context(), ids)
	if err != nil {
		return reply{}, err
	}
	return ok(client.Dropped{Dropped: n, Unknown: max(0, len(ids)-n)})
}
