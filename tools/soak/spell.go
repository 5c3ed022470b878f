//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/contextd/contextd/internal/e2e/e2etest"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/tools/soak/campaign"
)

const (
	files   = 60              // of a tree at its start
	patient = 2 * time.Minute // how long an index may take to be whole again: leases of 30 s and backoff included
	slack   = 5 * time.Second // what a busy machine may add to the 10 s that a daemon may take for its end
	enough  = 25              // findings after which a slice ends
)

// errSkip is returned by a step that has nothing to do; it is not counted.
var errSkip = errors.New("nothing to do")

// spell is the work at one place.
type spell struct {
	place campaign.Place
	seed  uint64
	bench *bench
	next  int

	rnd    *rand.Rand // of the step that is being done
	world  *e2etest.World
	root   string
	disk   *e2etest.Disk
	redis  *rdbtest.Process // nil: embedded
	relay  *e2etest.Relay   // between all processes and redis
	embed  *embedder        // nil: the static one
	clock  string           // the file that says how far its clock is ahead; "": it cannot be set
	faulty faults
	ballast

	daemon *e2etest.Daemon
	down   bool         // the daemon was ended by a step
	server atomic.Value // *e2etest.Daemon
	turns  atomic.Int64 // odd: the server is down or stopped by a step
	source int          // the next new one
	rev    int
	beside sync.WaitGroup // commands beside the daemon
	memory memories

	mu       sync.Mutex // guards what follows
	counts   campaign.Counts
	findings []campaign.Finding
	steps    []campaign.Step // that were begun
	failedAt int             // how many had been begun at the first finding that can be made shorter
	skipped  map[string]string

	rest atomic.Int64 // when all was last in order, in ns; 0: never
}

func (b *bench) spell(p campaign.Place, seed uint64) *spell {
	b.places++
	home := filepath.Join(b.dir, fmt.Sprintf("place%d", b.places))
	s := &spell{place: p, seed: seed, bench: b, root: filepath.Join(home, "src"), rnd: rand.New(rand.NewPCG(seed, 0)),
		skipped: map[string]string{}, world: &e2etest.World{Bin: b.bin, Dir: filepath.Join(home, "world"),
			Prefix: "soak"}}
	s.counts.Steps = map[string]int{}
	return s
}

// fail reports something false.
func (s *spell) fail(kind string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	step := -1
	if len(s.steps) > 0 {
		step = s.steps[len(s.steps)-1].N
	}
	if kind != "late" && kind != "soak" && s.failedAt == 0 {
		s.failedAt = len(s.steps)
	}
	s.findings = append(s.findings,
		campaign.Finding{Place: s.place, Seed: s.seed, Step: step, Kind: kind, Text: err.Error()})
	fmt.Printf("%s %v, step %d: %s: %v\n", time.Now().Format("15:04:05.000"), s.place, step, kind, err)
}

// record is what led to the first finding that a shorter list may show, too; nil if there is none.
func (s *spell) record() *campaign.Record {
	if s.failedAt == 0 {
		return nil
	}
	i := slices.IndexFunc(s.findings, func(f campaign.Finding) bool { return f.Kind != "late" && f.Kind != "soak" })
	return &campaign.Record{Seed: s.seed, Place: s.place, Finding: s.findings[i], Steps: s.steps[:s.failedAt]}
}

// count changes the counts.
func (s *spell) count(f func(*campaign.Counts)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.counts)
}

func (s *spell) faults() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts.Faults()
}

func (s *spell) failures() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.findings)
}

// run does steps until there are no more, and settles at the end.
func (s *spell) run(ctx context.Context, next func() (campaign.Step, bool)) {
	defer s.tearDown()
	if err := s.setUp(); err != nil {
		s.fail("soak", fmt.Errorf("set up: %w", err))
		return
	}
	asking, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	for i, f := range []func(context.Context, *rand.Rand){s.askCommand, s.askServer, s.remember} {
		rnd := rand.New(rand.NewPCG(s.seed, uint64(i)))
		all.Go(func() { f(asking, rnd) })
	}
	for ctx.Err() == nil && s.failures() < enough {
		step, ok := next()
		if !ok {
			break
		}
		s.do(ctx, step)
	}
	s.settle(ctx)
	stop()
	all.Wait()
	if ctx.Err() == nil {
		s.recallAll(ctx)
	}
	s.end()
}

// do does one step.
func (s *spell) do(ctx context.Context, step campaign.Step) {
	s.mu.Lock()
	s.steps = append(s.steps, step)
	s.mu.Unlock()
	s.rnd = rand.New(rand.NewPCG(step.Rand, 1))
	if step.Kind == campaign.Settle {
		s.settle(ctx)
		return
	}
	switch err := s.acts()[step.Kind](ctx); {
	case ctx.Err() != nil, errors.Is(err, errSkip):
	case err != nil:
		s.fail("command", fmt.Errorf("%s: %w", step.Kind, err))
	default:
		s.count(func(c *campaign.Counts) { c.Steps[step.Kind]++ })
	}
	sleep(ctx, time.Duration(step.Wait)*time.Millisecond)
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
