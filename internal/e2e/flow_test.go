//go:build unix

package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/e2e/e2etest"
	"github.com/contextd/contextd/internal/search"
)

// slack is how much longer than promised a process may take here, where other tests run beside it.
const slack = 4 * time.Second

// projectOf is the default id of a root.
func (b *bundle) projectOf() string {
	b.Helper()
	real, err := filepath.EvalSymlinks(b.root)
	b.ok(err)
	return search.IndexOfRoot(nil, real)
}

// xadd asks for a refresh as a supervisor does.
func (b *bundle) xadd(paths ...string) {
	b.Helper()
	values := []string{"project_id", b.projectOf(), "sandbox_root", b.root}
	if paths != nil {
		list, err := json.Marshal(paths)
		b.ok(err)
		values = append(values, "changed_files", string(list))
	}
	b.ok(b.redis.Client(b).XAdd(b.Context(), &redis.XAddArgs{Stream: b.Prefix + ":refresh", Values: values}).Err())
}

func TestARawXADDMakesAFileSearchable(t *testing.T) {
	b := onRedis(t)
	b.tree(0, 20, 0, 20)
	b.daemon("--allow-root", b.root)
	b.xadd()
	b.finds(e2etest.Question(3), e2etest.SourceName(3))
	b.tree(20, 21, 0, 20)
	b.xadd(e2etest.SourceName(20))
	b.finds(e2etest.Question(20), e2etest.SourceName(20))
	b.settled()
	b.fresh(questions(0, 21)...)
}

func TestChangesAndCheckoutsLeaveWhatAFreshIndexHolds(t *testing.T) {
	both(t, func(b *bundle) {
		b.tree(0, 40, 0, 20)
		b.commit("first")
		b.daemon("--watch", b.root, "--reconcile-interval", "2s")
		b.finds(e2etest.Question(39), e2etest.SourceName(39))

		b.write(e2etest.SourceName(1), e2etest.Source(1, 1, 30))
		b.remove(e2etest.SourceName(2))
		b.rename(e2etest.SourceName(3), "pkg0/renamed.py")
		b.finds(e2etest.Question(3), "pkg0/renamed.py")
		qs := questions(0, 48)
		b.fresh(qs[:8]...)

		b.git("checkout", "-q", "-b", "other")
		b.tree(4, 20, 2, 24)
		b.tree(40, 48, 0, 20)
		b.remove(e2etest.SourceName(21))
		b.commit("other")
		b.fresh(append(qs[3:10], qs[40:44]...)...)
		b.git("checkout", "-q", "main")
		b.fresh(append(qs[:10], qs[40:44]...)...)
		b.git("checkout", "-q", "other")
		b.git("checkout", "-q", "main")
		b.fresh(append(qs[:6], qs[21], qs[47])...)
	})
}

func TestAThousandMessagesAreAFewRuns(t *testing.T) {
	b := onRedis(t)
	b.tree(0, 50, 0, 20)
	d := b.daemon("--allow-root", b.root)
	c := b.redis.Client(b)
	_, err := c.Pipelined(b.Context(), func(p redis.Pipeliner) error {
		for i := range 1000 {
			p.XAdd(b.Context(), &redis.XAddArgs{Stream: b.Prefix + ":refresh",
				Values: []string{"project_id", b.projectOf(), "sandbox_root", b.root,
					"changed_files", fmt.Sprintf("[%q]", e2etest.SourceName(i%50))}})
		}
		return nil
	})
	b.ok(err)
	b.settled()
	b.finds(e2etest.Question(49), e2etest.SourceName(49))
	runs, err := d.Metric("contextd_index_runs_total", "")
	b.ok(err)
	if runs < 1 || runs > 3 {
		b.Errorf("1,000 messages made %v runs, want 1 to 3", runs)
	}
	if p, err := b.Project(b.root); err != nil || p.Files != 50 || p.Pending != 0 {
		b.Errorf("%+v, %v", p, err)
	}
}

func TestAKilledDaemonIsCompletedByTheNext(t *testing.T) {
	both(t, func(b *bundle) {
		b.tree(0, 600, 0, 40)
		b.enqueue()
		for turn := range 3 {
			d := b.daemonNotReady("--allow-root", b.root)
			b.inMidIndex(d, 600)
			d.Kill()
			b.ok(d.Crashed())
			b.remove(e2etest.SourceName(turn))
			b.write(e2etest.SourceName(10+turn), e2etest.Source(10+turn, 1, 30))
		}
		b.daemon("--allow-root", b.root)
		b.settled()
		b.fresh(append(questions(0, 15), questions(595, 600)...)...)
		if s, err := b.Status(); err != nil || s.Queue.Dead > 0 {
			b.Errorf("dead letters: %+v, %v", s.Queue, err)
		}
	})
}

// inMidIndex waits until the daemon is at work and may have done some of it.
func (b *bundle) inMidIndex(d *e2etest.Daemon, _ int) {
	b.Helper()
	b.eventually(func() error {
		s, err := b.Status()
		switch {
		case err != nil:
			return err
		case s.Queue.Inflight == 0 && !slices.ContainsFunc(s.Projects, func(p e2etest.Project) bool {
			return p.Files > 0 && p.Pending == 0
		}):
			return errors.New("no run has begun")
		}
		return nil
	})
}

func TestSIGTERMInMidIndexEndsAtASafePoint(t *testing.T) {
	both(t, func(b *bundle) {
		b.tree(0, 600, 0, 40)
		b.enqueue()
		d := b.daemon("--allow-root", b.root)
		b.inMidIndex(d, 600)
		b.ok(d.Stop(10*time.Second + slack))
		b.daemon("--allow-root", b.root)
		b.settled()
		b.fresh(questions(0, 600)[:12]...)
	})
}

func TestTwoSIGTERMsInARowAreOne(t *testing.T) {
	both(t, func(b *bundle) {
		b.tree(0, 600, 0, 40)
		b.enqueue()
		d := b.daemon("--allow-root", b.root)
		b.inMidIndex(d, 600)
		b.ok(d.Term())
		b.ok(d.Term())
		b.ok(d.Ended(10*time.Second + slack))
	})
}

func TestRedisGoneInMidRunIsResumedAndAnswersStayTyped(t *testing.T) {
	b := onRedis(t)
	b.tree(0, 30, 0, 20)
	d := b.daemon("--allow-root", b.root)
	b.enqueue()
	b.finds(e2etest.Question(29), e2etest.SourceName(29))
	b.tree(30, 600, 0, 40)
	b.enqueue()
	b.inMidIndex(d, 600)
	b.redis.Kill(b)
	b.write("late/gull.py", e2etest.Source(700, 0, 20))
	for _, deadline := range []time.Duration{200 * time.Millisecond, time.Second} {
		r := b.ask(e2etest.Question(3), "--deadline", deadline.String())
		if r.Status != "degraded" || !slices.Contains(r.Reasons, "redis_unreachable") || len(r.Results) > 0 {
			b.Errorf("without Redis: %+v", r)
		}
		b.within(r, deadline)
	}
	if r, err := b.Exec("indexer", "status"); err != nil || r.Code != 2 {
		b.Errorf("status without Redis: %v, %v", r, err)
	}
	b.eventually(func() error {
		if code, body := d.Get("/readyz"); code != 503 || !json.Valid([]byte(body)) {
			return fmt.Errorf("/readyz says %d %s", code, body)
		}
		return nil
	})
	if code, _ := d.Get("/healthz"); code != 200 {
		b.Errorf("/healthz says %d", code)
	}
	b.redis.Restart(b)
	b.ok(d.Ready(soon))
	b.enqueue()
	b.finds(e2etest.Question(700), "late/gull.py")
	b.settled()
	b.fresh(append(questions(25, 40), e2etest.Question(700))...)
}

func TestIndexBesideADaemonIsSafe(t *testing.T) {
	both(t, func(b *bundle) {
		b.tree(0, 120, 0, 20)
		d := b.daemon("--watch", b.root, "--reconcile-interval", "2s")
		for turn := range 3 {
			b.tree(turn, 100+turn, turn+1, 20+turn)
			var flags []string
			if turn%2 == 1 {
				flags = []string{"--full"}
			}
			b.index(flags...)
			b.finds(e2etest.Question(50), e2etest.SourceName(50))
		}
		b.settled()
		b.fresh(questions(0, 8)...)
		b.ok(d.Stop(10*time.Second + slack))
	})
}

func TestASecondDaemonOnAStateDirectoryIsRefused(t *testing.T) {
	both(t, func(b *bundle) {
		b.daemon("--watch", b.root)
		ctx, cancel := context.WithTimeout(b.Context(), soon)
		defer cancel()
		r, err := b.ExecContext(ctx, "indexer", "run", "--listen", "127.0.0.1:0", "--watch", b.root)
		if err != nil || r.Code != 2 {
			b.Errorf("a second daemon: %v, %v", r, err)
		}
	})
}
