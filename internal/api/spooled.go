package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/presence"
	"github.com/contextd/contextd/internal/queue"
)

// maxRoots is how many roots, and projects, the server remembers for requests that come while the store is away.
const maxRoots = 20_000

// knownRoots are the roots of projects as this process last saw them. Safe for concurrent use.
type knownRoots struct {
	mu   sync.Mutex // guards what follows
	real map[string]string
}

// note remembers a root of a project; of too many it forgets any one. main: it is meant where none is named.
func (k *knownRoots) note(project, root string, main bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.real == nil {
		k.real = map[string]string{}
	}
	keys := []string{project + "\x00" + root}
	if k.real[project] == "" || main {
		keys = append(keys, project)
	}
	for _, key := range keys {
		if _, ok := k.real[key]; !ok && len(k.real) >= maxRoots {
			for other := range k.real {
				delete(k.real, other)
				break
			}
		}
		k.real[key] = root
	}
}

// of is the root given if it was seen; the one that is meant without a root for "".
func (k *knownRoots) of(project, root string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if root == "" {
		return k.real[project]
	}
	return k.real[project+"\x00"+root]
}

// rootFor is the real path of the root that a refresh is asked for: the one given or, for "", the project's own. While
// the store is away it is the one that this process saw last; whoever indexes it checks whether it is allowed.
func (s *Server) rootFor(r *http.Request, project, given string) (string, error) {
	root, err := s.askedRoot(r, project, given)
	if err == nil {
		s.roots.note(project, root, false)
		return root, nil
	}
	last := s.roots.of(project, given)
	if s.opts.Spool == nil || !away(err) || last == "" {
		return "", err
	}
	if root, wrong := s.opts.App.Access.Confine(r.Context(), last); wrong == nil {
		return root, nil
	} else if !away(wrong) {
		return "", asked(wrong)
	}
	return last, nil // without allowed roots the store alone knows what is allowed
}

func (s *Server) askedRoot(r *http.Request, project, given string) (string, error) {
	if given == "" {
		p, err := s.known(r)
		if err != nil {
			return "", err
		}
		given = p.Root
	} else if _, err := whereOf(project, given); err != nil {
		return "", err
	}
	root, err := s.opts.App.Access.Confine(r.Context(), given)
	if err != nil {
		return "", asked(err)
	}
	return root, nil
}

// away reports whether the store did not answer, which may pass.
func away(err error) bool {
	kind := kindOf(err)
	return (kind == unavailable || kind == timedOut) && !backend.NeverServes(err) && !errors.Is(err, context.Canceled)
}

// push gives a request to the queue or, where that takes none, to the spool.
func (s *Server) push(ctx context.Context, q queue.Request) (id string, spooled bool, err error) {
	jobs, err := s.opts.App.Backend.Queue()
	if err == nil {
		id, err = jobs.Push(ctx, q)
	}
	if err == nil || s.opts.Spool == nil || backend.NeverServes(err) || errors.Is(err, context.Canceled) {
		return id, false, err
	}
	if id, spoolErr := s.opts.Spool.Put(q); spoolErr == nil {
		return id, true, nil
	} else {
		return "", false, &fault{slug: unavailable, err: fmt.Errorf("%w; %w", err, spoolErr)}
	}
}

// sees tells who brings a project up to date that a request waits for, and starts it here where no daemon does.
func (s *Server) sees(ctx context.Context, project, root string) (by string) {
	if daemons, err := s.opts.App.Backend.Daemons(ctx); err == nil && presence.Covers(daemons, root) {
		return "daemon"
	}
	if s.opts.App.Fresh.Start(s.opts.App.Access.TargetOf(ctx, project, root), true) {
		return "server"
	}
	return "nobody"
}

// deliver pushes a request of the spool. Its root is started here only if it is allowed; the daemon checks it for
// itself.
func (s *Server) deliver(ctx context.Context, q queue.Request) error {
	jobs, err := s.opts.App.Backend.Queue()
	if err != nil {
		return err
	}
	if _, err := jobs.Push(ctx, q); err != nil {
		return err
	}
	if root, err := s.opts.App.Access.Confine(ctx, q.Root); err == nil {
		s.sees(ctx, q.Project, root)
	}
	return nil
}
