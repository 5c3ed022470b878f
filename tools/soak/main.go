//go:build unix

// Command soak does to contextd what a bad year does: edits and checkouts, processes killed, stopped past their leases
// and put into pid namespaces, Redis killed, hung, flushed, full, read-only, a line to it that is slow, cut or torn, a
// full disk, an embedding server that is slow, hangs or answers nonsense. Meanwhile it asks without end, by "retriever
// query" and by POST /v1/search, and holds every answer against what stood on the disk between question and answer, and
// against its deadline. At rest every change has to be found, every memory whose save was confirmed has to be there,
// and the index has to equal one made from nothing.
//
//	go run ./tools/soak -faults 10000 -for 5m -seed 7 -state soak.json -report soak.md
//
// does a slice of 5 minutes of a campaign of 10,000 faults, and the next one when it is called again. It exits with 1
// if anything was false. Then it writes the steps to a file, leaves out what is not needed for it to fail, and prints
// the shortest list that still fails, which -replay does again. The same seed makes the same choices; when they fall
// depends on the machine.
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
	"github.com/contextd/contextd/internal/race"
	"github.com/contextd/contextd/tools/soak/campaign"
)

// options are the flags.
type options struct {
	faults  int
	length  time.Duration
	seed    uint64
	backing string
	state   string
	report  string
	replay  string
	shrink  time.Duration
	keep    bool
}

func main() {
	var o options
	flag.IntVar(&o.faults, "faults", 0,
		"end of the campaign: so many faults on all backings and in all slices together; 0: none")
	flag.DurationVar(&o.length, "for", 10*time.Minute, "length of this slice, at most")
	flag.Uint64Var(&o.seed, "seed", uint64(time.Now().UnixNano()%1_000_000), "what the steps are made from")
	flag.StringVar(&o.backing, "backing", "both", "embedded, redis or both at once")
	flag.StringVar(&o.state, "state", "",
		"file of the campaign, which this slice goes on with (default none: a campaign of one slice)")
	flag.StringVar(&o.report, "report", "", "file for the report of the campaign so far, in Markdown")
	flag.StringVar(&o.replay, "replay", "", "file of steps that failed, to be done again instead")
	flag.DurationVar(&o.shrink, "shrink", 3*time.Minute,
		"how long to look for a shorter list of steps that fails; 0: not at all")
	flag.BoolVar(&o.keep, "keep", false, "leave the files behind")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	findings, err := run(ctx, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
	if findings > 0 {
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) (findings int, err error) {
	dir, err := os.MkdirTemp("", "soak")
	if err != nil {
		return 0, fmt.Errorf("make a folder: %w", err)
	}
	if o.keep {
		fmt.Println("files in", dir)
	} else {
		defer os.RemoveAll(dir)
	}
	b := &bench{dir: dir, bin: filepath.Join(dir, "bin"), noise: &campaign.Noise{}}
	var flags []string
	if clock, err := settableClock(dir); err != nil {
		b.clock = err
	} else {
		flags = append(flags, clock)
	}
	if err := errors.Join(os.Mkdir(b.bin, 0o700), e2etest.Build(b.bin, race.Enabled, flags...)); err != nil {
		return 0, err
	}
	if o.replay != "" {
		r, err := campaign.Load(o.replay)
		if err != nil {
			return 0, err
		}
		return b.replay(ctx, r)
	}
	return b.slice(ctx, o)
}
