package api

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	client "github.com/contextd/contextd/clients/go"
	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/servers"
	"github.com/contextd/contextd/internal/wire"
)

func (s *Server) listProjects(_ http.ResponseWriter, r *http.Request) (reply, error) {
	states, err := s.opts.App.Backend.Projects(r.Context(), "")
	if err != nil && !servers.Partial(err) {
		return reply{}, err
	}
	all := make([]client.Project, 0, len(states))
	for _, p := range states {
		s.roots.note(p.ProjectID(), p.Root, !code.IsFurther(p.ID))
		all = append(all, wire.Project(p))
	}
	return ok(client.Projects{Projects: all, Servers: wire.Servers(s.opts.App.Backend, err, states)})
}

func (s *Server) getProject(_ http.ResponseWriter, r *http.Request) (reply, error) {
	p, err := s.known(r)
	if err != nil {
		return reply{}, err
	}
	return ok(wire.Project(p))
}

// projectID is the id in a request's path.
func projectID(r *http.Request) (string, error) {
	id, err := pathText(r, "id")
	if err != nil {
		return "", err
	}
	if err := code.CheckProjectID(id); err != nil {
		return "", &fault{slug: invalidRequest, field: "id", err: err}
	}
	return id, nil
}

// known is the project in a request's path, which is indexed or waits to be.
func (s *Server) known(r *http.Request) (backend.State, error) {
	id, err := projectID(r)
	if err != nil {
		return backend.State{}, err
	}
	states, err := s.opts.App.Backend.Projects(r.Context(), id)
	if err != nil {
		return backend.State{}, err
	}
	if len(states) == 0 {
		return backend.State{}, &fault{slug: notFound, field: "id", err: refuse(notFound, "no project %q", id),
			hint: "GET /v1/projects lists all"}
	}
	p, err := s.rootOf(r, states)
	if err != nil {
		return backend.State{}, err
	}
	s.roots.note(id, p.Root, queryOf(r)["root"] == "")
	return p, nil
}

// rootOf is the root that a request names in its query, of those of a project; without one the first, or while that is
// gone another.
func (s *Server) rootOf(r *http.Request, states []backend.State) (backend.State, error) {
	given := queryOf(r)["root"]
	if given == "" {
		for _, p := range states {
			if info, err := os.Stat(p.Root); err == nil && info.IsDir() {
				return p, nil
			}
		}
		return states[0], nil
	}
	if !filepath.IsAbs(given) {
		return backend.State{}, wrong("root", "want an absolute path (got %q)", given)
	}
	root, err := s.opts.App.Access.Confine(r.Context(), given)
	if err != nil {
		return backend.State{}, asked(err)
	}
	i := slices.IndexFunc(states, func(p backend.State) bool { return p.Root == root })
	if i < 0 {
		return backend.State{}, &fault{slug: notFound, field: "root",
			err:  refuse(notFound, "project %q has no root %q", states[0].ProjectID(), given),
			hint: "GET /v1/projects lists all"}
	}
	return states[i], nil
}

func (s *Server) refreshProject(w http.ResponseWriter, r *http.Request) (reply, error) {
	id, err := projectID(r)
	if err != nil {
		return reply{}, err
	}
	var q client.RefreshRequest
	if err := decode(w, r, maxBody, true, &q); err != nil {
		return reply{}, err
	}
	paths, err := relativePaths(q.ChangedFiles)
	if err != nil {
		return reply{}, err
	}
	root, err := s.rootFor(r, id, q.Root)
	if err != nil {
		return reply{}, err
	}
	ticket, spooled, err := s.push(r.Context(), queue.Request{Project: id, Root: root, Paths: paths, At: s.opts.Now()})
	if err != nil {
		return reply{}, err
	}
	by := "nobody"
	if !spooled {
		by = s.sees(r.Context(), id, root)
	}
	return reply{code: http.StatusAccepted,
		body: client.RefreshReply{Project: id, Root: root, ID: ticket, By: by, Spooled: spooled}}, nil
}

// relativePaths checks what a client says has changed. More than a request may hold, and a root itself, mean
// everything.
func relativePaths(files []string) ([]code.Path, error) {
	var out []code.Path
	for _, f := range files {
		clean := filepath.ToSlash(filepath.Clean(filepath.FromSlash(f)))
		switch {
		case f == "" || !filepath.IsLocal(filepath.FromSlash(f)) || strings.ContainsRune(f, 0):
			return nil, wrong("changed_files", "want paths relative to the root and inside it (got %.200q)", f)
		case clean == "." || len(files) > queue.MaxPaths:
			return nil, nil
		}
		out = append(out, clean)
	}
	return out, nil
}

func (s *Server) why(_ http.ResponseWriter, r *http.Request) (reply, error) {
	q := queryOf(r)
	if q["path"] == "" || strings.ContainsRune(q["path"], 0) {
		return reply{}, wrong("path", "want a path relative to the root")
	}
	p, err := s.known(r)
	if err != nil {
		return reply{}, err
	}
	v, err := s.opts.App.Answers.Why(r.Context(), access.Where{Project: p.ProjectID(), Root: p.Root}, q["path"])
	if err != nil {
		return reply{}, asked(err)
	}
	return ok(v)
}
