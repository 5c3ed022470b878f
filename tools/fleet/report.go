//go:build unix

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/contextd/contextd/internal/e2e/e2etest"
)

// report is what a run has shown.
type report struct {
	idle, busy    []time.Duration // searches of the server, at rest and beside the work
	asked         []time.Duration
	missed        int            // answers that lack the file that they were asked for
	reasons       map[string]int // of all answers
	ages          []time.Duration
	runs          []int // of each indexer
	changed       int
	dropped, dead int
	behind        time.Duration // from the last change until nothing waited
}

func (r report) wrong() bool { return r.dropped > 0 || r.dead > 0 || r.missed > 0 }

func (r report) String() string {
	sum := 0
	for _, n := range r.runs {
		sum += n
	}
	mean := float64(sum) / float64(len(r.runs))
	return fmt.Sprintf(`%d changes, %d runs; all done %s after the last change
claims lost: %d; dead letters: %d
runs an indexer: %d to %d, %+.0f %% and %+.0f %% of even
age of the oldest change in the queue: p50 %s, p99 %s (%d samples)
FT.SEARCH at rest: p50 %s, p99 %s; beside the work: p50 %s, p99 %s: %.1f times
answers: %d, p50 %s, p99 %s; %d without the file asked for; reasons: %v
`, r.changed, sum, short(r.behind), r.dropped, r.dead,
		slices.Min(r.runs), slices.Max(r.runs), 100*(float64(slices.Min(r.runs))/mean-1), 100*(float64(slices.Max(r.runs))/mean-1),
		short(quantile(r.ages, .5)), short(quantile(r.ages, .99)), len(r.ages),
		short(quantile(r.idle, .5)), short(quantile(r.idle, .99)), short(quantile(r.busy, .5)), short(quantile(r.busy, .99)),
		float64(quantile(r.busy, .99))/float64(max(1, quantile(r.idle, .99))),
		len(r.asked), short(quantile(r.asked, .5)), short(quantile(r.asked, .99)), r.missed, r.reasons)
}

func short(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }

func quantile(all []time.Duration, q float64) time.Duration {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[min(len(all)-1, int(q*float64(len(all))))]
}

// measure searches at rest, then beside changes and questions.
func (f *fleet) measure(ctx context.Context) (r report, err error) {
	if r.idle, err = f.probe(ctx, 15*time.Second); err != nil {
		return r, err
	}
	before, err := f.runs()
	if err != nil {
		return r, err
	}
	during, stop := context.WithTimeout(ctx, f.length)
	defer stop()
	var all sync.WaitGroup
	var changeErr, askErr, ageErr error
	all.Go(func() { r.changed, changeErr = f.change(during) })
	all.Go(func() { askErr = f.ask(during, &r) })
	all.Go(func() { r.ages, ageErr = f.queueAges(during) })
	r.busy, err = f.probe(during, f.length)
	all.Wait()
	for _, err := range []error{err, changeErr, askErr, ageErr} {
		if err != nil {
			return r, err
		}
	}
	last := time.Now()
	if err := f.idle(2 * time.Minute); err != nil {
		return r, err
	}
	r.behind = time.Since(last)
	after, err := f.runs()
	if err != nil {
		return r, err
	}
	for i := range after {
		r.runs = append(r.runs, after[i]-before[i])
	}
	for _, d := range f.indexers {
		r.dropped += strings.Count(d.Log(), "run dropped")
	}
	s, err := f.world.Status()
	r.dead = s.Queue.Dead
	return r, err
}

// probe searches one index after the other, 50 times a second.
func (f *fleet) probe(ctx context.Context, length time.Duration) (took []time.Duration, err error) {
	ctx, stop := context.WithTimeout(ctx, length)
	defer stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return took, nil
		case <-tick.C:
		}
		began := time.Now()
		if err := f.client.Do(context.WithoutCancel(ctx), "FT.SEARCH", f.indexes[i%len(f.indexes)], e2etest.Word(i%f.files), "LIMIT", 0, 10, "NOCONTENT").Err(); err != nil {
			return took, fmt.Errorf("search index %q: %w", f.indexes[i%len(f.indexes)], err)
		}
		took = append(took, time.Since(began))
	}
}

// queueAges looks five times a second at how long the oldest change has waited.
func (f *fleet) queueAges(ctx context.Context) (ages []time.Duration, err error) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return ages, nil
		case <-tick.C:
		}
		seconds, err := f.indexers[i%len(f.indexers)].Metric("contextd_queue_oldest_age_seconds", "")
		if err != nil {
			return ages, err
		}
		ages = append(ages, time.Duration(seconds*float64(time.Second)))
	}
}

// runs is how many projects each indexer has refreshed.
func (f *fleet) runs() (all []int, err error) {
	for _, d := range f.indexers {
		n, err := d.Metric("contextd_index_runs_total", `result="ok"`)
		if err != nil {
			return nil, err
		}
		all = append(all, int(n))
	}
	return all, nil
}
