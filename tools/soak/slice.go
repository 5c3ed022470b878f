//go:build unix

package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/contextd/contextd/tools/soak/campaign"
)

// bench is what all places share: the programs, a folder, the noise of the machine.
type bench struct {
	dir, bin string
	noise    *campaign.Noise
	clock    error // why the clock of the programs cannot be set; nil: it can
	places   int   // that were made so far
}

// slice goes on with a campaign.
func (b *bench) slice(ctx context.Context, o options) (findings int, err error) {
	state, err := campaign.Resume(o.state, o.seed)
	if err != nil {
		return 0, err
	}
	var spells []*spell
	for _, p := range campaign.Places(o.seed, state.Slices) {
		if o.backing == "both" || o.backing == p.Backing {
			spells = append(spells, b.spell(p, o.seed))
		}
	}
	if len(spells) == 0 {
		return 0, fmt.Errorf("backing %q: want embedded, redis or both", o.backing)
	}
	began, end := time.Now(), time.Now().Add(o.length)
	quiet := b.measure(ctx)
	var all sync.WaitGroup
	for _, s := range spells {
		n := state.Next[s.place.Backing]
		left := -1
		if o.faults > 0 {
			left = max(0, o.faults/len(spells)-state.Counts[s.place.Backing].Faults())
		}
		all.Go(func() {
			s.run(ctx, func() (campaign.Step, bool) {
				if time.Now().After(end) || left >= 0 && s.faults() >= left {
					return campaign.Step{}, false
				}
				n++
				return campaign.Next(s.seed, s.place, n-1), true
			})
			s.next = n
		})
	}
	all.Wait()
	quiet()
	state.Slice(time.Since(began), b.noise.Sum())
	var failed *spell
	for _, s := range spells {
		state.Add(s.place.Backing, s.next, s.counts, s.findings)
		maps.Copy(state.Skipped, s.skipped)
		if findings += len(s.findings); failed == nil && s.record() != nil {
			failed = s
		}
	}
	fmt.Print(state.Report())
	if err := state.Save(o.state); err != nil {
		return findings, err
	}
	if o.report != "" {
		if err := os.WriteFile(o.report, []byte(state.Report()), 0o600); err != nil {
			return findings, fmt.Errorf("write the report: %w", err)
		}
	}
	if failed != nil {
		return findings, b.keepFailure(ctx, o, state.Slices, failed.record())
	}
	return findings, nil
}

// keepFailure writes what failed to a file, makes it shorter, and prints the result.
func (b *bench) keepFailure(ctx context.Context, o options, slice int, r *campaign.Record) error {
	file := filepath.Join(os.TempDir(), fmt.Sprintf("soak-%d-%d.json", o.seed, slice))
	if o.state != "" {
		file = fmt.Sprintf("%s.failed-%d", o.state, slice)
	}
	if err := r.Save(file); err != nil {
		return fmt.Errorf("keep the steps: %w", err)
	}
	fmt.Printf("steps in %s; again by -replay %s\n", file, file)
	if o.shrink <= 0 || ctx.Err() != nil {
		return nil
	}
	short := b.shrink(ctx, r, o.shrink)
	if short == nil {
		fmt.Println("it did not fail again")
		return nil
	}
	if err := short.Save(file + ".short"); err != nil {
		return fmt.Errorf("keep the steps: %w", err)
	}
	fmt.Printf("%d of %d steps still fail, in %s:", len(short.Steps), len(r.Steps), file+".short")
	for _, s := range short.Steps {
		fmt.Printf(" %d %s", s.N, s.Kind)
	}
	fmt.Println()
	return nil
}

// shrink looks for the shortest list that fails in the same way; nil if none did.
func (b *bench) shrink(ctx context.Context, r *campaign.Record, budget time.Duration) *campaign.Record {
	end := time.Now().Add(budget)
	more := func() bool { return ctx.Err() == nil && time.Now().Before(end) }
	fails := func(steps []campaign.Step) bool {
		ctx, cancel := context.WithDeadline(ctx, end)
		defer cancel()
		return b.fails(ctx, r, steps)
	}
	start := r.Steps
	if i := lastRest(r.Steps); i > 0 && fails(r.Steps[i:]) {
		start = r.Steps[i:]
	} else if !more() || !fails(r.Steps) {
		return nil
	}
	short := *r
	short.Steps = campaign.Shrink(start, fails, more)
	return &short
}

// lastRest is where the steps after the last rest but one begin.
func lastRest(steps []campaign.Step) int {
	last := len(steps) - 1
	if last >= 0 && steps[last].Kind == campaign.Settle {
		last--
	}
	for i := last; i >= 0; i-- {
		if steps[i].Kind == campaign.Settle {
			return i + 1
		}
	}
	return 0
}

// fails reports whether steps make a finding of the same kind.
func (b *bench) fails(ctx context.Context, r *campaign.Record, steps []campaign.Step) bool {
	s := b.again(ctx, r, steps)
	return slices.ContainsFunc(s.findings, func(f campaign.Finding) bool { return f.Kind == r.Finding.Kind })
}

// again does steps in a new place.
func (b *bench) again(ctx context.Context, r *campaign.Record, steps []campaign.Step) *spell {
	s := b.spell(r.Place, r.Seed)
	defer b.measure(ctx)()
	s.run(ctx, func() (campaign.Step, bool) {
		if len(steps) == 0 {
			return campaign.Step{}, false
		}
		step := steps[0]
		steps = steps[1:]
		return step, true
	})
	return s
}

func (b *bench) replay(ctx context.Context, r *campaign.Record) (findings int, err error) {
	s := b.again(ctx, r, r.Steps)
	state := campaign.NewState(r.Seed)
	state.Add(r.Place.Backing, 0, s.counts, s.findings)
	fmt.Print(state.Report())
	return len(s.findings), nil
}
