package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"

	"github.com/contextd/contextd/internal/freshness"
	"github.com/contextd/contextd/internal/history"
	"github.com/contextd/contextd/internal/mcp"
	"github.com/contextd/contextd/internal/mcp/bridge"
	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/prompt"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/servers"
	"github.com/contextd/contextd/internal/workspace"
)

// mcpAgent is whose notes those of clients of the protocol are.
const mcpAgent = "mcp"

// newMCP is what serves the Model Context Protocol. A server indexes behind its answers: nothing of the bridge outlives
// a call.
func (s *Server) newMCP() (http.Handler, error) {
	place := &bridge.Place{App: s.opts.App, Roots: s.mcpRoots, Told: mcpEvents{s}}
	b := bridge.New(bridge.Options{Agent: mcpAgent, Refresh: freshness.Behind, Log: s.log,
		Open: func(context.Context) (*bridge.Place, error) { return place, nil }})
	m, err := mcp.New(mcp.Options{Engine: b, All: s.opts.Tools, Version: s.opts.Version, Log: s.log})
	if err != nil {
		return nil, err
	}
	return m.Handler(maxBody), nil
}

func (s *Server) serveMCP(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := context.WithTimeout(r.Context(), answerTime)
	defer cancel()
	b := &body{ReadCloser: r.Body, of: &s.bodies}
	r.Body = b
	defer b.release()
	data, err := readBody(w, r, maxBody, false)
	if err != nil {
		return err
	}
	if !json.Valid(data) { // told as all other operations tell it
		return refuse(invalidJSON, "the body is no JSON, or is nested too deeply")
	}
	r.Body = io.NopCloser(bytes.NewReader(data))
	s.mcp.ServeHTTP(w, r.WithContext(ctx))
	return nil
}

// errNoRoot is told a client that names no root where none is known.
var errNoRoot = errors.New(
	`no project is indexed here: want argument "root", a folder under an allowed root of this server`)

// mcpRoots are the roots that a call without one means: those of the projects that were indexed last and may be read.
func (s *Server) mcpRoots(ctx context.Context) (f workspace.Found, err error) {
	projects, err := s.opts.App.Backend.Index.Projects(ctx)
	if err != nil && !servers.Partial(err) {
		return f, err
	}
	projects = slices.Clone(projects)
	slices.SortStableFunc(projects, newest)
	for _, p := range projects {
		switch _, err := s.opts.App.Access.Confine(ctx, p.Root); {
		case err != nil || slices.Contains(f.Roots, p.Root):
		case len(f.Roots) < workspace.MostRoots:
			f.Roots = append(f.Roots, p.Root)
		default:
			f.Omitted++
		}
	}
	switch len(f.Roots) {
	case 0:
		return f, errNoRoot
	case 1:
		f.Base = f.Roots[0]
	}
	return f, nil
}

// mcpEvents counts what clients of the protocol do, and passes it on to listeners.
type mcpEvents struct{ s *Server }

func (t mcpEvents) Searched(r *retrieve.Reply) {
	reasons := make([]string, len(r.Reasons))
	for i, x := range r.Reasons {
		reasons[i] = string(x)
	}
	retrieved(string(r.Status), reasons, r.Holds(), r.TookMS)
}

func (t mcpEvents) Assembled(e prompt.Event) { t.s.assembled(e) }

func (t mcpEvents) Saved(who memory.Who) { t.s.remembered(who, "save", 1) }

func (t mcpEvents) Completed(project string, task history.Task) {
	t.s.hub.publish(eventTask, project, mcpAgent, task)
}

// newest orders projects by when they were indexed, the latest first.
func newest(a, b search.Project) int {
	return cmp.Or(b.IndexedAt.Compare(a.IndexedAt), cmp.Compare(a.ID, b.ID))
}
