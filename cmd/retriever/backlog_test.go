package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/embed/static"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/retrieve"
)

// busy is a store with an indexed root and a queue that a test fills.
type busy struct {
	t      *testing.T
	opts   backend.Options
	root   string
	queue  queue.Queue
	pushed int // requests in the intake
}

func bothBusy(t *testing.T, test func(b *busy)) {
	run := func(name string, open func(t *testing.T) *rdbtest.Server) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			b := &busy{t: t, root: filepath.Join(dir, "tree"),
				opts: backend.Options{StateDir: filepath.Join(dir, "state"), Prefix: "ctx"}}
			if s := open(t); s != nil {
				b.opts.Redis, b.opts.Prefix = s.URL, s.Prefix
			}
			if err := os.MkdirAll(b.root, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(b.root, "gate.go"), []byte("package harbour\n\nfunc OpenGate() {}\n"),
				0o644); err != nil {
				t.Fatal(err)
			}
			back, err := backend.Open(b.opts)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { back.Close() })
			if b.queue, err = back.Queue(); err != nil {
				t.Fatal(err)
			}
			e, err := static.Default()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := ingest.New(back.Index, ingest.Options{Embedder: e}).Refresh(t.Context(),
				ingest.Request{Project: "web", Root: b.root}); err != nil {
				t.Fatal(err)
			}
			test(b)
		})
	}
	run("embedded", func(*testing.T) *rdbtest.Server { return nil })
	run("redis", func(t *testing.T) *rdbtest.Server { return rdbtest.Own(t, rdbtest.Search) })
}

func (b *busy) push(project string, paths int) {
	b.t.Helper()
	r := queue.Request{Project: project, Root: "/srv/" + project, At: time.Now()}
	for i := range paths {
		r.Paths = append(r.Paths, code.Path(fmt.Sprintf("f%d.go", i)))
	}
	if _, err := b.queue.Push(b.t.Context(), r); err != nil {
		b.t.Fatal(err)
	}
	b.pushed++
}

// drain takes all that was pushed out of the intake.
func (b *busy) drain() {
	b.t.Helper()
	for b.pushed > 0 {
		n, err := b.queue.Drain(b.t.Context(), func(*queue.Request) error { return nil })
		if err != nil {
			b.t.Fatal(err)
		}
		b.pushed -= n
	}
}

// ask runs the command and returns its reply, which must hold the one result.
func (b *busy) ask() *retrieve.Reply {
	b.t.Helper()
	var out, errs bytes.Buffer
	args := []string{"query", "OpenGate", "--root", b.root, "--json", "--deadline", "10s", "--state-dir",
		b.opts.StateDir, "--prefix", b.opts.Prefix}
	if b.opts.Redis != "" {
		args = append(args, "--redis", b.opts.Redis)
	}
	status := cli.Run(context.Background(), command(), args, &out, &errs)
	var r retrieve.Reply
	if err := json.Unmarshal(out.Bytes(), &r); err != nil || status != 0 || errs.Len() > 0 {
		b.t.Fatalf("exit %d, %v: %s%s", status, err, out.String(), errs.String())
	}
	if len(r.Results) != 1 || r.Results[0].Path != "gate.go" {
		b.t.Errorf("results %+v", r.Results)
	}
	return &r
}

func (b *busy) want(what string, reasons ...retrieve.Reason) {
	b.t.Helper()
	if r := b.ask(); !slices.Equal(r.Reasons, reasons) || (r.Status == retrieve.Degraded) != (len(reasons) > 0) {
		b.t.Errorf("%s: %s for %q, want %q", what, r.Status, r.Reasons, reasons)
	}
}

func TestOver100WaitingProjectsAreABacklog(t *testing.T) {
	t.Parallel()
	bothBusy(t, func(b *busy) {
		for i := range 100 {
			b.push(fmt.Sprintf("p%d", i), 1)
		}
		b.want("100 projects in the intake")
		b.push("p100", 1)
		b.want("101 projects in the intake", retrieve.Backlog)
		b.drain()
		b.want("101 projects that are due", retrieve.Backlog)
		if err := b.queue.Forget(b.t.Context(), "p7"); err != nil {
			b.t.Fatal(err)
		}
		b.want("100 projects again")
	})
}

func TestOver10000WaitingPathsAreABacklog(t *testing.T) {
	t.Parallel()
	bothBusy(t, func(b *busy) {
		b.push("big", 5000)
		b.push("large", 5000)
		b.want("10,000 paths in the intake")
		b.push("small", 1)
		b.want("10,001 paths in the intake", retrieve.Backlog)
		b.drain()
		b.want("10,001 paths that are due", retrieve.Backlog)
		if err := b.queue.Forget(b.t.Context(), "large"); err != nil {
			b.t.Fatal(err)
		}
		b.want("5,001 paths")
	})
}
