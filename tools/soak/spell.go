//go:build unix

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/contextd/contextd/internal/e2e/e2etest"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
)

const (
	files   = 60              // of a tree at its start
	askers  = 2               // who ask without end
	patient = 3 * time.Minute // how long an index may take to be whole again: leases of 30 s and backoff included
	slack   = 5 * time.Second // what a busy machine may add to the second that a command may take beyond its deadline
)

// spell is the work on one backing.
type spell struct {
	name  string
	rnd   *rand.Rand // of the one who does the faults
	world *e2etest.World
	root  string
	disk  *e2etest.Disk
	redis *rdbtest.Process // nil: embedded

	daemon *e2etest.Daemon
	next   int // the next new source
	rev    int
	beside sync.WaitGroup // commands beside the daemon

	faults  map[string]int
	answers atomic.Int64 // that were checked
	results atomic.Int64 // within them
	none    atomic.Int64 // degraded ones
	rest    atomic.Int64 // when the index was last equal to a fresh one, in ns; 0: never
	quiet   int          // quiet moments at which the index was compared
	wrong   atomic.Int64
}

// fail reports something false.
func (s *spell) fail(err error) {
	s.wrong.Add(1)
	fmt.Printf("%s %s FALSE: %v\n", time.Now().Format("15:04:05.000"), s.name, err)
}

func (s *spell) run(ctx context.Context, end time.Time) {
	if err := s.setUp(); err != nil {
		s.fail(fmt.Errorf("set up: %w", err))
		return
	}
	asking, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	for i := range askers {
		rnd := rand.New(rand.NewPCG(s.rnd.Uint64(), uint64(i)))
		all.Go(func() { s.ask(asking, rnd) })
	}
	for ctx.Err() == nil && time.Now().Before(end) && s.wrong.Load() < 20 {
		for range 1 + s.rnd.IntN(8) {
			s.act(ctx)
			s.pause(ctx, 300)
		}
		s.settle(ctx)
	}
	stop()
	all.Wait()
	s.stopDaemon()
}

func (s *spell) setUp() (err error) {
	if err := e2etest.Tree(s.root, 0, files, 0, 20); err != nil {
		return err
	}
	if err := e2etest.Commit(s.root, "first"); err != nil {
		return err
	}
	s.next = files
	if s.disk, err = e2etest.NewDisk(s.root); err != nil {
		return err
	}
	s.startDaemon()
	return s.world.Settled(s.root, patient)
}

// pause waits for up to n milliseconds.
func (s *spell) pause(ctx context.Context, n int) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Duration(s.rnd.IntN(n)) * time.Millisecond):
	}
}

// settle ends the faults and compares the index with a fresh one.
func (s *spell) settle(ctx context.Context) {
	s.beside.Wait()
	if s.daemon == nil || !s.daemon.Alive() {
		s.startDaemon()
	}
	if ctx.Err() != nil {
		return
	}
	if err := s.daemon.Ready(patient); err != nil {
		s.fail(err)
		return
	}
	var qs []string
	for range 8 {
		qs = append(qs, s.question(s.rnd))
	}
	if err := s.world.EqualsFresh(s.root, qs, patient); err != nil {
		s.fail(fmt.Errorf("%w; the daemon's log: %s", err, s.daemon.Log()))
		return
	}
	s.quiet++
	s.rest.Store(time.Now().UnixNano())
}

func (s *spell) question(rnd *rand.Rand) string { return e2etest.Question(rnd.IntN(files + 40)) }

// ask asks until ctx ends and proves each answer.
func (s *spell) ask(ctx context.Context, rnd *rand.Rand) {
	for ctx.Err() == nil {
		deadline := []time.Duration{50 * time.Millisecond, 200 * time.Millisecond, time.Second}[rnd.IntN(3)]
		flags := []string{"--deadline", deadline.String(), "--max-chars", "1500", "--max-bytes", "20000"}
		timed := true
		if s.redis == nil {
			if timed = rnd.IntN(2) == 0; timed { // else the time to index comes on top
				flags = append(flags, "--no-index")
			}
		}
		began, rest, q := time.Now(), s.rest.Load(), s.question(rnd)
		r, err := s.world.QueryContext(ctx, s.root, q, flags...)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			s.fail(err)
			continue
		}
		s.answers.Add(1)
		if r.Status == "degraded" {
			s.none.Add(1)
		}
		if timed && r.Took > deadline+time.Second+slack {
			s.fail(fmt.Errorf("an answer with a deadline of %v took %v: %s %q", deadline, r.Took, r.Status, r.Reasons))
		}
		if r.Status == "empty" && rest > 0 && s.disk.Stands("def "+q+"(", time.Unix(0, rest)) {
			s.fail(fmt.Errorf("%q: nothing relevant, though a file that defines it was in the index and stands unchanged", q))
		}
		for _, served := range r.Results {
			s.results.Add(1)
			if err := s.disk.Prove(served, began); err != nil {
				s.fail(err)
			}
		}
	}
}

func (s *spell) summary() string {
	total := 0
	var each []string
	for name, n := range s.faults {
		total += n
		each = append(each, fmt.Sprintf("%s %d", name, n))
	}
	slices.Sort(each)
	return fmt.Sprintf("%s: %d changes and faults (%s), %d answers (%d degraded) with %d results checked, %d times equal to a fresh index: %d false",
		s.name, total, strings.Join(each, ", "), s.answers.Load(), s.none.Load(), s.results.Load(), s.quiet, s.wrong.Load())
}
