package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"time"

	"github.com/spf13/cobra"

	client "github.com/contextd/contextd/clients/go"
	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/servers"
	"github.com/contextd/contextd/internal/wire"
)

// status is what "status --json" prints.
type status struct {
	Backend  string             `json:"backend"`
	Daemon   bool               `json:"daemon"`
	Servers  []serverStatus     `json:"servers,omitempty"` // where there are several
	Unlisted []unlisted         `json:"unlisted,omitempty"`
	HeldBack []string           `json:"held_back,omitempty"` // watched folders that wait for a server that does not answer
	Queue    client.QueueCounts `json:"queue"`
	Projects []projectStatus    `json:"projects"`
}

// projectStatus is a project as the API shows it, with what the last walk through all of it left out and what is built
// beside it.
type projectStatus struct {
	client.Project
	// Server is the one of several servers that it lies on.
	Server string `json:"server,omitempty"`
	// Skipped is what was left out, by reason, a pruned folder counted once.
	Skipped map[code.Reason]int `json:"skipped"`
	// Next is how far the version is that is being built beside the one above; absent if none is.
	Next *nextStatus `json:"next,omitempty"`
}

// serverStatus is one of several servers; what one with an error holds is missing everywhere else.
type serverStatus struct {
	client.Server
	Projects int `json:"projects"` // also where it is 0
}

// unlisted is a server that was one of several before: what is remembered there is missing.
type unlisted struct {
	Name     string `json:"name"`
	Address  string `json:"address"`
	Projects int    `json:"projects"`
}

type nextStatus struct {
	Model  string `json:"model"`
	Files  int    `json:"files"`
	Chunks int    `json:"chunks"`
}

func statusCommand() *cobra.Command {
	var project string
	var asJSON bool
	cmd := &cobra.Command{Use: "status", Short: "show the queue and what is indexed", Args: cli.Args("", 0, 0),
		RunE: withTimeout(func(cmd *cobra.Command, _ []string, s *setup) error {
			if err := checkProject(cmd, project); err != nil {
				return err
			}
			doc, err := readStatus(cmd.Context(), s.back, project)
			if err != nil {
				return err
			}
			return cli.Answer(cmd, asJSON, doc, project == "" || len(doc.Projects) > 0,
				func(w io.Writer) { doc.print(w, project != "") })
		})}
	projectFlag(cmd, &project, "show only this project")
	jsonFlag(cmd, &asJSON)
	return cmd
}

func readStatus(ctx context.Context, back *backend.Backend, project string) (status, error) {
	doc := status{Backend: back.Name, Projects: []projectStatus{}}
	stats, fault := back.Stats(ctx)
	if fault != nil && !servers.Partial(fault) {
		return doc, fault
	}
	doc.Queue = wire.QueueCounts(stats)
	daemons, err := back.Daemons(ctx)
	if err != nil {
		return doc, err
	}
	doc.Daemon = len(daemons) > 0
	states, err := back.Projects(ctx, project)
	if fault = cmp.Or(fault, err); err != nil && !servers.Partial(err) {
		return doc, err
	}
	for _, s := range wire.Servers(back, fault, states) {
		doc.Servers = append(doc.Servers, serverStatus{s, s.Projects})
	}
	gone, err := back.Unlisted()
	if err != nil {
		return doc, err
	}
	for _, s := range gone {
		doc.Unlisted = append(doc.Unlisted, unlisted{s.Name, s.Address, s.Projects})
	}
	if doc.HeldBack, err = back.HeldRoots(ctx); err != nil {
		return doc, err
	}
	for _, p := range states {
		row := projectStatus{Project: wire.Project(p), Server: back.ServerOf(p.ID), Skipped: map[code.Reason]int{}}
		skipped, err := ingest.Skipped(ctx, back.Index, p.ID)
		if err != nil && servers.ForOwner(fault, p.ProjectID()) == nil {
			return doc, err
		}
		maps.Copy(row.Skipped, skipped)
		if p.Next.Exists() {
			row.Next = &nextStatus{p.Next.Model.Embedder, p.Next.Files, p.Next.Chunks}
		}
		doc.Projects = append(doc.Projects, row)
	}
	return doc, nil
}

// print writes the status for people. one: of one project, that was named.
func (doc status) print(out io.Writer, one bool) {
	daemon := "no daemon"
	if doc.Daemon {
		daemon = "a daemon runs"
	}
	q := doc.Queue
	fmt.Fprintf(out, "backend  %s, %s\n", doc.Backend, daemon)
	fmt.Fprintf(out, "queue    %d waiting, %d delayed, %d in work, %d dead", q.Depth, q.Delayed, q.Inflight, q.Dead)
	if q.OldestAgeMS > 0 {
		fmt.Fprintf(out, ", the oldest for %s", cli.Age(q.Oldest()))
	}
	fmt.Fprintln(out)
	for _, s := range doc.Servers {
		how := fmt.Sprintf("answers, %d roots of projects", s.Projects)
		if s.Error != "" {
			how = "does not answer"
			if !s.DownSince.IsZero() {
				how += fmt.Sprintf(" since %s (%s)", s.DownSince.Local().Format(time.DateTime), cli.Age(time.Since(s.DownSince)))
			}
			if s.Projects > 0 {
				how += fmt.Sprintf(", held %d roots of projects", s.Projects)
			}
			how += ", which are missing below: " + s.Error
		}
		fmt.Fprintf(out, "server   %s (%s) %s\n", s.Name, s.Address, how)
	}
	for _, s := range doc.Unlisted {
		fmt.Fprintf(out, "server   %s (%s) is no longer in the list and held %d roots of projects: indexer move --from URL\n",
			s.Name, s.Address, s.Projects)
	}
	for _, root := range doc.HeldBack {
		fmt.Fprintf(out, "waiting  %s is watched, and may be a project of a server that does not answer\n", root)
	}
	if len(doc.Projects) == 0 {
		what := "no projects yet"
		if one {
			what = "no such project"
		}
		fmt.Fprintln(out, what)
		return
	}
	t := cli.NewTable([]string{"PROJECT", "FILES", "CHUNKS", "GEN", "PENDING", "INDEXED", "STATE", "ROOT"}, 1, 2, 3, 4)
	for _, p := range doc.Projects {
		state := "fresh"
		switch {
		case p.Files > 0 && missing(p.Root):
			state = "no root"
		case p.Stale:
			state = "stale"
		case p.Next != nil:
			state = fmt.Sprintf("rebuilding %d %%", min(99, 100*p.Next.Files/max(p.Files, 1)))
		case p.Pending > 0:
			state = "waiting"
		}
		t.Row(p.ID, p.Files, p.Chunks, p.Generation, p.Pending, cmp.Or(ago(p.IndexedAt), "never"), state, p.Root)
	}
	fmt.Fprintln(out)
	t.Print(out)
	for _, p := range doc.Projects {
		for _, c := range caps {
			if n := p.Skipped[c.reason]; n > 0 {
				fmt.Fprintf(out, "%s left %d paths out of %s: see %s\n", c.reason, n, p.ID, c.flag)
			}
		}
		if p.RetrievalOffUntil != "" {
			fmt.Fprintf(out, "code is left out of contexts of %s until %s: finding it was slow (retrieval_off)\n", p.ID,
				p.RetrievalOffUntil)
		}
	}
}

// caps are the reasons of what a limit left out, and the setting that raises it.
var caps = []struct {
	reason code.Reason
	flag   string
}{{code.CapFiles, "--max-files"}, {code.CapBytes, "--max-project-bytes"}, {code.CapMemory, "--max-walk-bytes"}}

// missing reports whether there is no such folder, as far as this process can see.
func missing(dir string) bool {
	info, err := os.Stat(dir)
	return errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir()
}

func ago(at string) string {
	when, err := time.Parse(time.RFC3339Nano, at)
	if err != nil {
		return ""
	}
	return cli.Age(max(0, time.Since(when))) + " ago"
}
