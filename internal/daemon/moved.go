package daemon

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/search"
)

// handOnWithin is how long the server of a project may take for a request that was sent to another one.
const handOnWithin = 2 * time.Second

// projects lists the projects that lie on this server.
func (d *daemon) projects(ctx context.Context) ([]search.Project, error) {
	all, err := d.opts.Backend.All().Index.Projects(ctx)
	return d.own(all), d.opts.Backend.Mine(err)
}

// own are those of all projects that lie on this server.
func (d *daemon) own(all []search.Project) []search.Project {
	return slices.DeleteFunc(slices.Clone(all), func(p search.Project) bool { return !d.opts.Backend.Owns(p.ID) })
}

// indexesOf returns the ids of those indexes of a root, a real path, that lie on this server. Without any on any server
// it is the root's default id, if that lies here. While another server does not answer, which may have the root under
// another id, that is not known.
func (d *daemon) indexesOf(ctx context.Context, root string) (ids []string, err error) {
	all, fault := d.opts.Backend.All().Index.Projects(ctx)
	if err := d.opts.Backend.Mine(fault); err != nil {
		return nil, err
	}
	found := search.IndexesOfRoot(all, root)
	ids = slices.DeleteFunc(slices.Clone(found), func(id string) bool { return !d.opts.Backend.Owns(id) })
	if fault != nil && len(ids) > 0 && !slices.ContainsFunc(all, func(p search.Project) bool { return p.Root == root }) {
		return nil, fmt.Errorf("tell whether root %q is a project: %w", root, fault)
	}
	return ids, nil
}

// accepted hands on a request that was sent to another server than the project's.
func (d *daemon) accepted(r queue.Request) error {
	ctx, cancel := context.WithTimeout(context.Background(), handOnWithin)
	defer cancel()
	if err := d.handOn(ctx, r); err != nil {
		return err
	}
	return queue.ErrHandedOn
}

// handOn pushes a request to the server of its project or, while that takes none, puts it into the spool.
func (d *daemon) handOn(ctx context.Context, r queue.Request) error {
	all := d.opts.Backend.All()
	jobs, err := all.Queue()
	if err == nil {
		_, err = jobs.Push(ctx, r)
	}
	if err == nil {
		d.log.Debug("request handed on to the server of its project", obs.KeyProject, r.Project,
			"to", all.ServerOf(r.Project))
		return nil
	}
	if d.opts.Spool != nil {
		if _, spoolErr := d.opts.Spool.Put(r); spoolErr == nil {
			return nil
		}
	}
	return fmt.Errorf("project %q lies on server %q, which the request could not be handed on to: %w", r.Project,
		all.ServerOf(r.Project), err)
}

// settleMoved asks the servers of projects that this one holds, though they lie on others, to index them, and removes
// what lies here once that is done. everything are the projects of all servers.
func (d *daemon) settleMoved(ctx context.Context, everything []search.Project) error {
	if d.opts.Backend.Names() == nil {
		return nil
	}
	here, err := d.index.Projects(ctx)
	if err != nil {
		return err
	}
	for _, p := range here {
		i := slices.IndexFunc(everything, func(o search.Project) bool { return o.ID == p.ID })
		if d.opts.Backend.Owns(p.ID) || i < 0 {
			continue
		}
		if everything[i].IndexedAt.IsZero() {
			if missing, ok := d.mayServe(p.Root); missing || !ok {
				continue
			}
			if err := d.handOn(ctx, queue.Request{Project: p.ProjectID(), Root: p.Root, At: time.Now()}); err != nil {
				d.log.Debug("moved project not asked for", obs.KeyProject, p.ID, obs.KeyError, err)
			}
			continue
		}
		var locked *search.LockedError
		if err := d.index.Remove(ctx, p.ID, 0); errors.As(err, &locked) || errors.Is(err, search.ErrNoProject) {
			continue
		} else if err != nil {
			return err
		}
		d.opts.Backend.NoteRemoved(ctx, p.ID)
		d.log.Info("index removed here: it lies on the server of its project now", obs.KeyProject, p.ID,
			"to", d.opts.Backend.All().ServerOf(code.ProjectOf(p.ID)))
	}
	if !d.documentsMoved {
		d.moveDocuments(ctx)
	}
	return nil
}

// moveDocuments moves what is remembered here of projects and agents that belong to other servers: once, for whoever
// uses it moves it too. A server that does not answer is tried again.
func (d *daemon) moveDocuments(ctx context.Context) {
	done, err := d.opts.Backend.MoveDocuments(ctx, false)
	if done.Documents+done.Logs > 0 {
		d.log.Info("documents moved to the servers of their owners", "documents", done.Documents, "logs", done.Logs)
	}
	for _, left := range done.Left {
		d.log.Warn("documents lie on two servers and differ: those of their own server count", "what", left.What,
			"owner", left.Owner, "own", left.Own, "documents", left.Count, "hint", `"indexer move --drop" removes those here`)
	}
	if err != nil {
		d.log.Info("documents not moved yet", obs.KeyError, err)
		return
	}
	d.documentsMoved = true
}
