package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/queue/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// script is a queue that hands out given claims and writes down how they end.
type script struct {
	mu     sync.Mutex
	claims []*queue.Claim
	calls  []string
	fail   func(call string) error // what a call returns; nil: nil
}

func (s *script) note(call string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil {
		if err := s.fail(call); err != nil {
			return err
		}
	}
	s.calls = append(s.calls, call)
	return nil
}

func (s *script) Claim(context.Context) (*queue.Claim, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil {
		if err := s.fail("claim"); err != nil {
			return nil, err
		}
	}
	if len(s.claims) == 0 {
		return nil, nil
	}
	c := s.claims[0]
	s.claims = s.claims[1:]
	return c, nil
}

func (s *script) Renew(_ context.Context, c *queue.Claim) error { return s.note("renew " + c.Project) }
func (s *script) Done(_ context.Context, c *queue.Claim, handled []queue.Item) error {
	return s.note(fmt.Sprintf("done %s %d", c.Project, len(handled)))
}
func (s *script) Retry(_ context.Context, c *queue.Claim, d time.Duration) error {
	if d <= 0 || d > time.Second<<c.Attempts+1 {
		return s.note(fmt.Sprintf("retry %s after %v", c.Project, d))
	}
	return s.note("retry " + c.Project)
}
func (s *script) Release(_ context.Context, c *queue.Claim, d time.Duration) error {
	return s.note(fmt.Sprintf("release %s %v", c.Project, d))
}
func (s *script) Bury(_ context.Context, c *queue.Claim, reason string) error {
	return s.note(fmt.Sprintf("bury %s: %s", c.Project, reason))
}

func (s *script) said() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.calls, "; ")
}

func claim(project string, attempts int) *queue.Claim {
	return &queue.Claim{Project: project, Attempts: attempts, Items: []queue.Item{{Path: "a", ID: "1"}}}
}

// play runs a worker in a bubble for d of its time, stops it and returns what it said to the queue.
func play(t *testing.T, s *script, h Handler, d time.Duration) string {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- New(s, h, Options{}).Run(ctx) }()
		time.Sleep(d)
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return s.said()
}

func TestTheHandlersErrorDecidesHowTheClaimEnds(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	for _, tt := range []struct {
		name     string
		attempts int
		err      error
		want     string
	}{
		{"success", 0, nil, "done web 1"},
		{"failure", 0, boom, "retry web"},
		{"failure again", 4, boom, "retry web"},
		{"last failure", queue.MaxAttempts - 1, boom, "bury web: boom"},
		{"fatal", 0, fmt.Errorf("read: %w", Fatal(boom)), "bury web: read: boom"},
		{"later", queue.MaxAttempts, fmt.Errorf("lock: %w", RetryAfter(boom, 3*time.Second)), "release web 3s"},
		{"lost", 0, queue.ErrLost, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := &script{claims: []*queue.Claim{claim("web", tt.attempts)}}
			got := play(t, s, func(_ context.Context, c *queue.Claim, _ func()) ([]queue.Item, error) { return c.Items, tt.err }, time.Second)
			if got != tt.want {
				t.Errorf("said %q, want %q", got, tt.want)
			}
		})
	}
}

// TestProjectThatKillsTheProcessIsSetAside: its first such run is repeated at once, others go on meanwhile.
func TestProjectThatKillsTheProcessIsSetAside(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		attempts int
		want     string // how what is said begins
	}{
		{1, "done web 1"},
		{2, "release web "},
		{queue.MaxAttempts - 1, "release web "},
		{queue.MaxAttempts, fmt.Sprintf("bury web: the process ended during the last of %d runs", queue.MaxAttempts)},
	} {
		t.Run(fmt.Sprint(tt.attempts), func(t *testing.T) {
			t.Parallel()
			c := claim("web", tt.attempts)
			c.Abandoned = true
			s := &script{claims: []*queue.Claim{c}}
			ran := false
			got := play(t, s, func(_ context.Context, c *queue.Claim, _ func()) ([]queue.Item, error) {
				ran = true
				return c.Items, nil
			}, time.Second)
			if !strings.HasPrefix(got, tt.want) || ran != (tt.attempts == 1) {
				t.Errorf("said %q (run: %v), want %q", got, ran, tt.want)
			}
		})
	}
}

func TestAPanicIsAFailedRun(t *testing.T) {
	t.Parallel()
	s := &script{claims: []*queue.Claim{claim("web", 0), claim("shop", queue.MaxAttempts-1)}}
	got := play(t, s, func(context.Context, *queue.Claim, func()) ([]queue.Item, error) { panic("out of luck") }, time.Second)
	if !strings.Contains(got, "retry web") || !strings.Contains(got, "bury shop: the run panicked: out of luck") {
		t.Errorf("said %q", got)
	}
}

func TestARunThatDoesNothingIsAFailedRun(t *testing.T) {
	t.Parallel()
	s := &script{claims: []*queue.Claim{claim("web", 0)}}
	got := play(t, s, func(context.Context, *queue.Claim, func()) ([]queue.Item, error) { return nil, nil }, time.Second)
	if got != "retry web" {
		t.Errorf("said %q", got)
	}
}

func TestALongRunKeepsItsLease(t *testing.T) {
	t.Parallel()
	s := &script{claims: []*queue.Claim{claim("web", 0)}}
	got := play(t, s, func(_ context.Context, c *queue.Claim, progress func()) ([]queue.Item, error) {
		for range 10 {
			time.Sleep(time.Minute)
			progress()
		}
		return c.Items, nil
	}, time.Hour)
	if n := strings.Count(got, "renew web"); n < 55 || !strings.HasSuffix(got, "done web 1") {
		t.Errorf("%d renewals in ten minutes; said %.200q", n, got)
	}
}

func TestARunWithoutProgressIsStoppedAndRepeated(t *testing.T) {
	t.Parallel()
	s := &script{claims: []*queue.Claim{claim("web", 0)}}
	var cause error
	var took time.Duration
	got := play(t, s, func(ctx context.Context, c *queue.Claim, progress func()) ([]queue.Item, error) {
		start := time.Now()
		time.Sleep(time.Minute)
		progress()
		<-ctx.Done()
		cause, took = context.Cause(ctx), time.Since(start)
		return nil, ctx.Err()
	}, time.Hour)
	if !strings.HasSuffix(got, "retry web") || !errors.Is(cause, ErrNoProgress) {
		t.Errorf("cause %v; said %.200q", cause, got)
	}
	if took < 3*time.Minute || took > 3*time.Minute+10*time.Second {
		t.Errorf("stopped after %v, want about 3 min", took)
	}
}

func TestALostLeaseStopsTheRunAndDropsItsResult(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{"taken": queue.ErrLost, "not renewed in time": errors.New("connection refused")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &script{claims: []*queue.Claim{claim("web", 0)}}
			s.fail = func(call string) error {
				if strings.HasPrefix(call, "renew") {
					return err
				}
				return nil
			}
			got := play(t, s, func(ctx context.Context, c *queue.Claim, progress func()) ([]queue.Item, error) {
				<-ctx.Done()
				if !errors.Is(context.Cause(ctx), queue.ErrLost) {
					t.Errorf("cause %v", context.Cause(ctx))
				}
				return c.Items, nil
			}, 10*time.Minute)
			if got != "" {
				t.Errorf("said %q, want nothing", got)
			}
		})
	}
}

// late is a queue with one claim that is due from a time on.
type late struct {
	script
	due time.Time
}

func (q *late) Claim(ctx context.Context) (*queue.Claim, error) {
	if time.Now().Before(q.due) {
		return nil, nil
	}
	return q.script.Claim(ctx)
}

func TestWakeAfterClaimsBeforeTheNextPoll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := &late{due: time.Now().Add(200 * time.Millisecond)}
		q.claims = []*queue.Claim{{Project: "p", Items: []queue.Item{{}}}}
		began, ran := time.Now(), make(chan time.Duration, 1)
		ctx, cancel := context.WithCancel(t.Context())
		w := New(q, func(_ context.Context, c *queue.Claim, _ func()) ([]queue.Item, error) {
			ran <- time.Since(began)
			return c.Items, nil
		}, Options{Poll: time.Hour})
		done := make(chan error, 1)
		go func() { done <- w.Run(ctx) }()
		w.WakeAfter(200 * time.Millisecond)
		if took := <-ran; took != 200*time.Millisecond {
			t.Errorf("run after %v, want 200 ms", took)
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func TestAStoppedWorkerGivesItsClaimsBack(t *testing.T) {
	t.Parallel()
	s := &script{claims: []*queue.Claim{claim("web", 0), claim("shop", 0), claim("never", 0)}}
	got := play(t, s, func(ctx context.Context, c *queue.Claim, _ func()) ([]queue.Item, error) {
		<-ctx.Done()
		time.Sleep(5 * time.Second) // the way to a safe point
		return nil, ctx.Err()
	}, time.Second)
	parts := strings.Split(got, "; ")
	slices.Sort(parts)
	if want := "release shop 0s; release web 0s"; strings.Join(parts, "; ") != want {
		t.Errorf("said %q, want %q", got, want)
	}
}

func TestAStoppedWorkerKeepsAResultThatIsReady(t *testing.T) {
	t.Parallel()
	s := &script{claims: []*queue.Claim{claim("web", 0)}}
	got := play(t, s, func(ctx context.Context, c *queue.Claim, _ func()) ([]queue.Item, error) {
		<-ctx.Done()
		return c.Items, nil
	}, time.Second)
	if got != "done web 1" {
		t.Errorf("said %q", got)
	}
}

func TestAStopDoesNotWaitForeverForARun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &script{claims: []*queue.Claim{claim("web", 0)}}
		ctx, cancel := context.WithCancel(t.Context())
		release := make(chan struct{})
		ended := make(chan error, 1)
		go func() {
			ended <- New(s, func(context.Context, *queue.Claim, func()) ([]queue.Item, error) { <-release; return nil, nil }, Options{}).Run(ctx)
		}()
		time.Sleep(time.Second)
		cancel()
		start := time.Now()
		if err := <-ended; err == nil || time.Since(start) > 10*time.Second {
			t.Errorf("%v after %v, want an error within 10s", err, time.Since(start))
		}
		close(release)
		synctest.Wait()
	})
}

func TestAProjectIsNeverRunTwiceAtOnce(t *testing.T) {
	t.Parallel()
	s := &script{claims: []*queue.Claim{claim("web", 0), claim("web", 0)}}
	var now, most atomic.Int32
	got := play(t, s, func(_ context.Context, c *queue.Claim, _ func()) ([]queue.Item, error) {
		if n := now.Add(1); n > most.Load() {
			most.Store(n)
		}
		defer now.Add(-1)
		time.Sleep(5 * time.Second)
		return c.Items, nil
	}, time.Minute)
	if most.Load() != 1 || got != "release web 1s; done web 1" {
		t.Errorf("%d at once; said %q", most.Load(), got)
	}
}

func TestAQueueThatIsDownIsAskedAgain(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	s := &script{claims: []*queue.Claim{claim("web", 0)}}
	var asked atomic.Int32
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		s.fail = func(call string) error {
			if call == "claim" {
				asked.Add(1)
			}
			if time.Since(start) < 10*time.Minute {
				return errors.New("connection refused")
			}
			return nil
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		h := func(_ context.Context, c *queue.Claim, _ func()) ([]queue.Item, error) { return c.Items, nil }
		w := New(s, h, Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
		go func() { ended <- w.Run(ctx) }()
		time.Sleep(10 * time.Minute)
		if n := asked.Load(); n < 10 || n > 60 {
			t.Errorf("asked %d times in 10 minutes", n)
		}
		time.Sleep(2 * time.Minute)
		cancel()
		<-ended
	})
	if s.said() != "done web 1" || strings.Count(log.String(), "\n") != 2 {
		t.Errorf("said %q; log, want a line each for down and up:\n%s", s.said(), log.String())
	}
}

func TestAResultOutlastsAShortOutage(t *testing.T) {
	t.Parallel()
	s := &script{claims: []*queue.Claim{claim("web", 0)}}
	failed := 0
	s.fail = func(call string) error {
		if strings.HasPrefix(call, "done") && failed < 3 {
			failed++
			return errors.New("connection refused")
		}
		return nil
	}
	got := play(t, s, func(_ context.Context, c *queue.Claim, _ func()) ([]queue.Item, error) { return c.Items, nil }, time.Minute)
	if got != "done web 1" {
		t.Errorf("said %q", got)
	}
}

func TestDelaysGrowUpToALimit(t *testing.T) {
	t.Parallel()
	for n, limit := range map[int]time.Duration{0: time.Second, 1: 2 * time.Second, 5: 32 * time.Second, 9: maxRetryDelay, 1000: maxRetryDelay, -1: time.Second} {
		var most time.Duration
		for range 2000 {
			d := retryDelay(n)
			if d <= 0 || d > limit {
				t.Fatalf("delay(%d) is %v, want at most %v", n, d, limit)
			}
			most = max(most, d)
		}
		if most < limit/2 {
			t.Errorf("delay(%d) is never above %v, want up to %v", n, most, limit)
		}
	}
}

func TestOptionsOutOfRangeAreNamed(t *testing.T) {
	t.Parallel()
	for want, o := range map[string]Options{
		"workers must be at least 1 (got -1)":         {Workers: -1},
		"poll must be above 0 (got -1ns)":             {Poll: -1},
		"progress timeout must be above 0 (got -1ns)": {ProgressTimeout: -1},
		"max attempts must be at least 1 (got -1)":    {MaxAttempts: -1},
	} {
		if err := New(nil, nil, o).Run(t.Context()); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// On a real queue: messages of several projects, one of which fails at first and one always.
func TestWorkersServeARealQueue(t *testing.T) {
	t.Parallel()
	q, err := sqlite.Open(filepath.Join(t.TempDir(), "queue.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	for i := range 60 {
		r := queue.Request{Project: fmt.Sprintf("p%d", i%6), Root: "/srv", Paths: []string{fmt.Sprintf("f%d", i)}}
		if _, err := q.Push(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	seen, failed := map[string]bool{}, false
	h := func(_ context.Context, c *queue.Claim, _ func()) ([]queue.Item, error) {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case c.Project == "p0":
			return nil, Fatal(errors.New("not to be mended"))
		case c.Project == "p1" && !failed:
			failed = true
			return nil, errors.New("once")
		}
		for _, it := range c.Items {
			seen[it.Path] = true
		}
		return c.Items, nil
	}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { queue.DrainLoop(ctx, q, nil, slog.New(slog.DiscardHandler)) })
	wg.Go(func() {
		if err := New(q, h, Options{Workers: 3, Poll: 5 * time.Millisecond}).Run(ctx); err != nil {
			t.Error(err)
		}
	})
	for {
		s, err := q.Stats(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if s.Depth == 0 && s.Inflight == 0 && s.Dead == 1 {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	cancel()
	wg.Wait()
	if len(seen) != 50 || !failed {
		t.Errorf("%d files handled, want 50", len(seen))
	}
}
