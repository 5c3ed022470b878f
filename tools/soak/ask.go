//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/contextd/contextd/internal/e2e/e2etest"
	"github.com/contextd/contextd/tools/soak/campaign"
)

// tolerance is how much later than its deadline an answer may come on a machine without noise.
const tolerance = 50 * time.Millisecond

// hindsight is how far back the noise counts: thousands of answers are held against it, so that a few of them would be
// unluckier than the few children of their own second.
const hindsight = time.Minute

var deadlines = []time.Duration{50 * time.Millisecond, 200 * time.Millisecond, time.Second}

func (s *spell) question(rnd *rand.Rand) string { return e2etest.Question(rnd.IntN(files + 40)) }

// askCommand asks by "retriever query" until ctx ends and proves each answer.
func (s *spell) askCommand(ctx context.Context, rnd *rand.Rand) {
	for ctx.Err() == nil {
		deadline := deadlines[rnd.IntN(len(deadlines))]
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
			s.fail("answer", err)
			continue
		}
		s.prove(q, r, began, rest)
		if timed {
			s.time("a command", r, deadline, began)
		}
		sleep(ctx, time.Duration(20+rnd.IntN(150))*time.Millisecond)
	}
}

// askServer asks by POST /v1/search until ctx ends and proves each answer. The time of a server that still starts is
// not held against its answers.
func (s *spell) askServer(ctx context.Context, rnd *rand.Rand) {
	var up *e2etest.Daemon // the last one that was seen to answer
	for ctx.Err() == nil {
		deadline := deadlines[rnd.IntN(len(deadlines))]
		began, rest, q := time.Now(), s.rest.Load(), s.question(rnd)
		turn, d := s.turns.Load(), s.serving()
		serves := d == up
		asking, cancel := context.WithTimeout(ctx, time.Minute)
		r, err := d.Search(asking, map[string]any{"query": q, "root": s.root, "deadline_ms": deadline.Milliseconds(),
			"max_chars": 1500, "max_bytes": 20000})
		cancel()
		undisturbed := turn%2 == 0 && s.turns.Load() == turn
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, e2etest.ErrAway):
			s.count(func(c *campaign.Counts) { c.Refused++ })
			if undisturbed && time.Since(began) > 10*time.Second {
				s.fail("answer", fmt.Errorf("from a server that runs: %w; its log: %s", err, d.Log()))
			}
		case err != nil:
			s.fail("answer", err)
		default:
			s.prove(q, r, began, rest)
			if up = d; undisturbed && serves {
				s.time("the server", r, deadline, began)
			}
		}
		sleep(ctx, time.Duration(20+rnd.IntN(150))*time.Millisecond)
	}
}

// prove holds an answer against the disk.
func (s *spell) prove(q string, r *e2etest.Reply, began time.Time, rest int64) {
	if r.Status == "empty" && rest > 0 && s.disk.Stands("def "+q+"(", time.Unix(0, rest)) {
		s.fail("answer",
			fmt.Errorf("%q: nothing relevant, though a file that defines it was in the index and stands unchanged", q))
	}
	for _, served := range r.Results {
		if err := s.disk.Prove(served, began); err != nil {
			s.fail("answer", fmt.Errorf("%q: %w (status %s, reasons %q, freshness %s)", q, err, r.Status, r.Reasons,
				served.Freshness))
		}
	}
	s.count(func(c *campaign.Counts) {
		c.Answers++
		c.Results += len(r.Results)
		if r.Status == "degraded" {
			c.Degraded++
		}
	})
}

// time holds the time of an answer against its deadline and what children that do nothing took in the minute before.
func (s *spell) time(who string, r *e2etest.Reply, deadline time.Duration, began time.Time) {
	noise, measured := s.bench.noise.Beside(began.Add(-hindsight), began.Add(r.Took), r.CPU)
	if !measured {
		return
	}
	excess := r.Took - deadline
	beyond := excess > tolerance+noise
	s.count(func(c *campaign.Counts) {
		c.Timed++
		c.Worst = max(c.Worst, float64(excess.Milliseconds()))
		if excess > tolerance {
			c.Over++
		}
		if beyond {
			c.Beyond++
		}
	})
	if beyond {
		s.fail("late",
			fmt.Errorf("an answer of %s with a deadline of %v took %v with %v of a processor, the noise being %v: %s %q", who, deadline, r.Took.Round(time.Millisecond), r.CPU.Round(time.Millisecond), noise.Round(time.Millisecond), r.Status, r.Reasons))
	}
}
