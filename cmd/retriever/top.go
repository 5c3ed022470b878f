package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/prompt"
	"github.com/contextd/contextd/internal/servers"
	"github.com/contextd/contextd/internal/top"
	"github.com/contextd/contextd/internal/wire"
)

const (
	topProjects = 20              // whose contexts are looked for, those indexed last
	topContexts = 10              // of each
	topWait     = 5 * time.Second // how long a frame waits for a store that does not answer
	topFastest  = 100 * time.Millisecond
)

func topCommand() *cobra.Command {
	var project string
	var interval time.Duration
	cmd := &cobra.Command{Use: "top", Short: "watch the queue, the projects and the last contexts",
		Args: cli.Args("", 0, 0),
		Long: `top shows what waits, how fresh the projects are and which contexts were compiled last, and draws it again every second, until q or Ctrl-C. Piped, it
prints that once. It asks the store, as "indexer status" does, and needs no server. Contexts are those of the 20 projects that were
indexed last. Exit status: 0, or 2 on an error.`,
		Example: `  retriever top --interval 5s`}
	cmd.Flags().StringVar(&project, "project", "", "show only this project")
	cmd.Flags().DurationVar(&interval, "interval", time.Second, "time between two looks, from 100ms")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if interval < topFastest {
			return fmt.Errorf("flag --interval: want a duration from %v (got %v)", topFastest, interval)
		}
		if cmd.Flags().Changed("project") {
			if err := code.CheckProjectID(project); err != nil {
				return err
			}
		}
		cfg, log, err := cli.Load(cmd)
		if err != nil {
			return err
		}
		back, err := cli.Backend(cfg, log, topWait)
		if err != nil {
			return err
		}
		w := &storeWatch{back: back, project: project}
		if terminal := cli.Live(cmd); terminal != nil {
			err = w.live(cmd, interval)
		} else {
			err = w.once(cmd)
		}
		return errors.Join(err, back.Close())
	}
	return cmd
}

// storeWatch looks at a store.
type storeWatch struct {
	back    *backend.Backend
	project string // "": all
}

// once prints one frame as plain text.
func (w *storeWatch) once(cmd *cobra.Command) error {
	f, err := w.look(cmd.Context())
	if err != nil {
		return err
	}
	return top.Print(cmd.OutOrStdout(), top.Draw(f, top.Size{}, ""))
}

// live draws frames on the terminal until a key or a signal ends it.
func (w *storeWatch) live(cmd *cobra.Command, interval time.Duration) (err error) {
	terminal := cli.Live(cmd)
	keys, restore, err := cli.Keys(cmd)
	if err != nil {
		return err
	}
	defer restore()
	screen, err := top.NewScreen(terminal, cli.Styled(cmd))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, screen.End()) }()
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	frames := make(chan top.Frame)
	done := make(chan struct{})
	go func() { // a store that hangs does not keep q from ending it
		defer close(done)
		w.looks(ctx, interval, frames)
	}()
	defer func() { cancel(); <-done }()
	for {
		select {
		case <-ctx.Done(): // asked for by Ctrl-C, as by q
			return nil
		case k := <-keys:
			if k == 'q' || k == 'Q' {
				return nil
			}
		case f := <-frames:
			width, height := cli.Size(terminal)
			if err := screen.Show(top.Draw(f, top.Size{Width: width, Height: height}, "q ends")); err != nil {
				return err
			}
		}
	}
}

// looks sends a frame each interval until ctx is done. Where the store does not answer it is the last one, with the
// reason.
func (w *storeWatch) looks(ctx context.Context, interval time.Duration, frames chan<- top.Frame) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	last := top.Frame{Backend: w.back.Name}
	for {
		f, err := w.look(ctx)
		if err != nil {
			f, f.At, f.Fault = last, time.Now(), err.Error()
		} else {
			last = f
		}
		select {
		case frames <- f:
		case <-ctx.Done():
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// look asks the store.
func (w *storeWatch) look(ctx context.Context) (f top.Frame, err error) {
	ctx, cancel := context.WithTimeout(ctx, topWait)
	defer cancel()
	f = top.Frame{At: time.Now(), Backend: w.back.Name}
	stats, fault := w.back.Stats(ctx)
	if fault != nil && !servers.Partial(fault) {
		return f, fault
	}
	f.Queue = top.Queue{Waiting: stats.Depth, Delayed: stats.Delayed, InWork: stats.Inflight, Dead: stats.Dead,
		Changes: stats.Paths, Oldest: stats.Oldest}
	daemons, err := w.back.Daemons(ctx)
	if err != nil {
		return f, err
	}
	f.Daemon = len(daemons) > 0
	states, err := w.back.Projects(ctx, "")
	if err != nil && !servers.Partial(err) {
		return f, err
	}
	for _, s := range wire.Servers(w.back, servers.Join(fault, err), states) {
		f.Servers = append(f.Servers, top.Server{Name: s.Name, Address: s.Address, Projects: s.Projects, Fault: s.Error, Down: s.DownSince})
	}
	if w.project != "" {
		if err := servers.ForOwner(err, w.project); err != nil {
			return f, err
		}
		states = slices.DeleteFunc(states, func(s backend.State) bool { return s.ProjectID() != w.project })
	}
	for _, p := range states {
		f.Projects = append(f.Projects, row(p, f.At))
	}
	f.Contexts, err = w.contexts(ctx, states)
	return f, err
}

// row is a project as it is shown.
func row(p backend.State, now time.Time) top.Project {
	r := top.Project{ID: p.ProjectID(), Root: p.Root, State: "fresh", Stale: p.Stale, Pending: p.Pending,
		Files: p.Files, Chunks: p.Chunks, Indexed: p.IndexedAt, RetrievalOff: p.Off.After(now)}
	switch {
	case p.Stale:
		r.State = "stale"
	case p.Next.Exists():
		r.RebuiltPercent = max(1, min(99, 100*p.Next.Files/max(p.Files, 1)))
	case p.Pending > 0:
		r.State = "waiting"
	}
	return r
}

// contexts are the last ones of the projects that were indexed last, and of no project.
func (w *storeWatch) contexts(ctx context.Context, states []backend.State) ([]top.Context, error) {
	docs, err := w.back.ExistingDocuments()
	if docs == nil || err != nil {
		return nil, err
	}
	states = slices.Clone(states)
	slices.SortStableFunc(states, func(a, b backend.State) int {
		return cmp.Compare(b.IndexedAt.UnixNano(), a.IndexedAt.UnixNano())
	})
	var ids []string
	for _, s := range states {
		if id := s.ProjectID(); len(ids) < topProjects && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if w.project != "" {
		ids = []string{w.project}
	} else {
		ids = append(ids, "")
	}
	var all []top.Context
	a := &prompt.Assembler{Store: docs}
	for _, id := range ids {
		list, err := a.Receipts(ctx, id, topContexts)
		if servers.Partial(err) {
			continue // its server is down, which is said above
		} else if err != nil {
			return nil, err
		}
		for _, r := range list {
			all = append(all, top.Context{ID: r.ID, Project: r.Project, Agent: r.Agent, Profile: r.Profile,
				Task: r.TaskID, Status: r.Status, Reasons: r.Reasons, At: r.At, Tokens: r.Tokens,
				Budget: r.BudgetTokens})
		}
	}
	return all, nil
}
