//go:build unix

// Command fleet measures many indexers and retrievers on one Redis, all of them real processes on this machine: whether
// each claim is run once, how evenly the indexers share the work, how long changes wait, and what a search of the
// server costs beside all of it, against the same server at rest.
//
//	go run ./tools/fleet -indexers 8 -retrievers 32 -projects 200 -files 50 -for 2m
//
// changes a tenth of the files a minute. It exits with 1 if a claim was lost, a request died or an answer was false.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/contextd/contextd/internal/e2e/e2etest"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
)

// options are the flags.
type options struct {
	indexers, retrievers, projects, files, lines int
	length                                       time.Duration
	changes, asks                                float64
	keep                                         bool
}

func main() {
	var o options
	flag.IntVar(&o.indexers, "indexers", 8, "processes of \"indexer run\"")
	flag.IntVar(&o.retrievers, "retrievers", 32, "processes of \"retriever serve\", each asked by one client")
	flag.IntVar(&o.projects, "projects", 200, "projects")
	flag.IntVar(&o.files, "files", 50, "files of each")
	flag.IntVar(&o.lines, "lines", 60, "lines of a file")
	flag.Float64Var(&o.changes, "changes", .1, "share of the files that change in a minute")
	flag.Float64Var(&o.asks, "asks", .5, "questions a second to each retriever")
	flag.DurationVar(&o.length, "for", 2*time.Minute, "how long files change")
	flag.BoolVar(&o.keep, "keep", false, "leave the files and logs behind")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	wrong, err := run(ctx, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
	if wrong {
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) (wrong bool, err error) {
	dir, err := os.MkdirTemp("", "fleet")
	if err != nil {
		return false, fmt.Errorf("make a folder: %w", err)
	}
	if o.keep {
		fmt.Println("files in", dir)
	} else {
		defer os.RemoveAll(dir)
	}
	bin := filepath.Join(dir, "bin")
	prog, err := rdbtest.Find(rdbtest.Search)
	if err := errors.Join(err, os.Mkdir(bin, 0o700), os.Mkdir(filepath.Join(dir, "redis"), 0o700), e2etest.Build(bin, false)); err != nil {
		return false, err
	}
	server, err := rdbtest.Launch(prog, filepath.Join(dir, "redis"))
	if err != nil {
		return false, err
	}
	defer server.Kill()
	f := &fleet{options: o, dir: dir, world: &e2etest.World{Bin: bin, Dir: filepath.Join(dir, "world"), Redis: server.URL, Prefix: "fleet"}}
	defer f.end()
	if err := f.begin(ctx); err != nil {
		return false, err
	}
	r, err := f.measure(ctx)
	if err != nil {
		return false, err
	}
	fmt.Print(r)
	return r.wrong(), nil
}
