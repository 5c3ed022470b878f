//go:build unix

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	client "github.com/contextd/contextd/clients/go"
	"github.com/contextd/contextd/internal/e2e/e2etest"
)

func TestTwoServersShareOneStoreAndLoseNothing(t *testing.T) {
	both(t, func(b *bundle) {
		s := supervise(b)
		first := s.api
		s.startServer()
		const rounds = 12
		var recorded atomic.Int64
		var work sync.WaitGroup
		for n, api := range []*client.Client{first, s.api, first, s.api} {
			work.Go(func() {
				for i := range rounds {
					for _, d := range []client.Draft{
						{ItemType: "FACT", Content: fmt.Sprintf("Worker %d has found out about %s.", n,
							e2etest.Question(i))},
						{ItemType: "CONVENTION", Scope: "project", Tags: []string{fmt.Sprint("worker", n)},
							Content: fmt.Sprintf("All agree on %s.", e2etest.Question(i))},
					} {
						if _, err := api.Save(s.Context(), "knight-1", shop, d); err != nil {
							s.Errorf("save: %v", err)
						}
					}
					_, err := api.CompleteTask(s.Context(), shop,
						client.Task{ID: fmt.Sprintf("task-%d", i), Intent: fmt.Sprintf("Work of %d", n),
							Success: new(true)}, "knight-1", "")
					if err == nil {
						recorded.Add(1)
					} else if !client.Is(err, "conflict") {
						s.Errorf("complete: %v", err)
					}
					if _, err := api.Block(s.Context(), shop,
						client.Blocker{ID: fmt.Sprintf("task-9%d%d", n, i), Reason: "waits"}); err != nil {
						s.Errorf("block: %v", err)
					}
				}
			})
		}
		work.Wait()
		items, err := first.Load(s.Context(), "knight-1", shop, "HOT", "WARM", "COLD")
		s.ok(err)
		again, err := s.api.Load(s.Context(), "knight-1", shop, "HOT", "WARM", "COLD")
		s.ok(err)
		if len(items) != 5*rounds || !slices.Equal(contents(items), contents(again)) {
			s.Errorf("%d items by the one server, %d by the other, want %d", len(items), len(again), 5*rounds)
		}
		for _, it := range items {
			if it.Scope == "project" && (len(it.Tags) != 4 || it.AccessCount < 3) {
				s.Errorf("four have said the same, and it says %+v", it)
			}
		}
		tasks, err := first.Tasks(s.Context(), shop, 0)
		s.ok(err)
		blockers, err := s.api.Blockers(s.Context(), shop)
		if err != nil || len(tasks) != rounds || recorded.Load() != rounds || len(blockers) != 4*rounds {
			s.Errorf("%d tasks of %d that were confirmed, want %d; %d blockers, want %d; %v", len(tasks),
				recorded.Load(), rounds, len(blockers), 4*rounds, err)
		}
	})
}

func TestWithoutRedisContextsDegradeAndWritesAreProblems(t *testing.T) {
	s := supervise(onRedis(t))
	s.past()
	s.compile("knight")
	before := s.everything("squire-1", "knight-1")
	for name, fault := range map[string]struct{ begin, end func(testing.TB) }{
		"killed":  {s.redis.Kill, s.redis.Restart},
		"hanging": {s.redis.Pause, s.redis.Resume},
	} {
		fault.begin(t)
		r := client.ContextRequest{Project: shop, Agent: "knight-1", AgentKind: "knight", Task: work(),
			DeadlineMS: 1000}
		began := time.Now()
		c, err := s.api.Context(s.Context(), r)
		s.ok(err)
		if took := time.Since(began); took > 10*time.Second {
			s.Errorf("%s: a context with a deadline of a second took %v", name, took)
		}
		if c.Status != "degraded" || len(c.Reasons) == 0 || !slices.Contains(c.Reasons, "memory_unavailable") ||
			!slices.Contains(c.Reasons, "history_unavailable") ||
			!slices.Contains(c.Reasons, "receipt_not_stored") ||
			!strings.Contains(textOf(c), "Delete sessions with their user") {
			s.Errorf("%s: %s %q:\n%s", name, c.Status, c.Reasons, textOf(c))
		}
		_, err = s.api.Save(s.Context(), "knight-1", shop, client.Draft{ItemType: "FACT", Content: "Redis was " + name})
		if !client.Is(err, "backend-unavailable") && !client.Is(err, "timeout") {
			s.Errorf("%s: save: %v", name, err)
		}
		fault.end(t)
		s.ok(s.server.Ready(soon))
		s.upToDate(shop)
	}
	s.compile("knight")
	after := s.everything("squire-1", "knight-1")
	for path, want := range before {
		if strings.Contains(path, "knight-1") || strings.Contains(path, "receipts?") {
			continue // a write that was not confirmed may have been made, and there is one receipt more
		}
		if fmt.Sprint(after[path]) != fmt.Sprint(want) {
			s.Errorf("%s is another:\n%v\nbefore:\n%v", path, after[path], want)
		}
	}
}

func TestAFlushedRedisForgetsAndTheServerGoesOn(t *testing.T) {
	s := supervise(onRedis(t))
	s.past()
	s.compile("knight")
	s.do("FLUSHALL")
	_, err := s.api.Refresh(s.Context(), shop, s.root)
	s.ok(err)
	s.upToDate(shop)
	items, err := s.api.Load(s.Context(), "squire-1", shop, "HOT", "WARM", "COLD")
	s.ok(err)
	tasks, err := s.api.Tasks(s.Context(), shop, 0)
	if err != nil || len(items)+len(tasks) != 0 {
		s.Errorf("after a flush: %+v, %+v, %v", items, tasks, err)
	}
	s.past()
	text := textOf(s.compile("knight"))
	for _, want := range []string{
		"Each fix comes with a test", "Let sessions expire", "waits for the mail server", "DeleteSessionsOf",
	} {
		if !strings.Contains(text, want) {
			s.Errorf("the context lacks %q:\n%s", want, text)
		}
	}
}

func TestADamagedFileOfDocumentsIsSetAsideAndTheServerGoesOn(t *testing.T) {
	t.Parallel()
	s := supervise(newBundle(t, nil))
	s.past()
	file := filepath.Join(s.State(), "documents.db")
	for i, running := range []bool{false, true} {
		if !running {
			s.server.Kill()
		}
		whole, err := os.ReadFile(file)
		s.ok(err)
		s.ok(os.WriteFile(file, slices.Repeat([]byte("\x00\xff\x13contextd\x01"), len(whole)/12), 0o600))
		s.ok(os.RemoveAll(file + "-wal"))
		if !running {
			s.startServer()
		}
		s.eventually(func() error { // the call that meets the damage says so
			_, err := s.api.Save(s.Context(), "squire-1", shop,
				client.Draft{ItemType: "FACT", Content: fmt.Sprintf("The file was damaged, time %d.", i)})
			return err
		})
		if c := s.compile("knight"); !strings.Contains(textOf(c), "DeleteSessionsOf") {
			s.Errorf("the context:\n%s", textOf(c))
		}
		aside, err := filepath.Glob(file + ".bad-*")
		s.ok(err)
		if len(aside) <= i {
			s.Errorf("set aside: %q", aside)
		}
		if data, err := os.ReadFile(aside[0]); err != nil || len(data) == 0 {
			s.Errorf("%d bytes were set aside, %v", len(data), err)
		}
		audit, err := filepath.Glob(filepath.Join(s.State(), "audit", "*"))
		s.ok(err)
		kept := false
		for _, f := range audit {
			data, err := os.ReadFile(f)
			s.ok(err)
			kept = kept || strings.Contains(string(data), "task-039")
		}
		if !kept {
			s.Errorf("the audit log does not tell of what was completed: %q", audit)
		}
	}
}

func TestAFullDiskConfirmsNothingThatIsNotThere(t *testing.T) {
	t.Parallel()
	b := newBundle(t, nil)
	failed, n := 0, 0
	var confirmed []string
	for _, blocks := range []int{1, 8, 32, 100, 200, 400} {
		for range 2 {
			n++
			text := fmt.Sprintf("Fact %d of a disk: %s.", n, strings.Repeat(e2etest.Question(n)+" ", 200))
			r, err := b.Limited(blocks, "retriever", "memory", "save", text, "--agent", "knight-1", "--project", shop)
			b.ok(err)
			switch {
			case r.Code == 0:
				confirmed = append(confirmed, strings.TrimSpace(text))
			case r.Code != 2 || strings.Count(r.Err, "error: ") != 1:
				b.Errorf("want exit 0, or 2 and one error: %v", r)
			default:
				failed++
			}
		}
	}
	if failed == 0 || len(confirmed) == 0 {
		b.Errorf("%d failed, %d were confirmed", failed, len(confirmed))
	}
	var list struct{ Items []struct{ Content string } }
	b.ok(b.JSON(&list, "retriever", "memory", "list", "--agent", "knight-1", "--project", shop))
	for _, text := range confirmed {
		if !slices.ContainsFunc(list.Items, func(it struct{ Content string }) bool {
			return strings.TrimSpace(it.Content) == text
		}) {
			b.Errorf("%.40q was confirmed and is not there", text)
		}
	}
}

func TestNoContextExceedsItsBudget(t *testing.T) {
	both(t, func(b *bundle) {
		s := supervise(b)
		s.past()
		for i := range 40 {
			s.save("squire-1", client.Draft{ItemType: "DECISION", Scope: "project",
				Content: fmt.Sprintf("Decision %d is that %s deletes sessions %s.", i, e2etest.Question(i),
					strings.Repeat("again and again ", i%7))})
		}
		for _, kind := range kinds {
			for _, encoding := range []string{"o200k_base", "cl100k_base"} {
				for budget := 250; budget <= 4000; budget *= 2 {
					c, err := s.api.Context(s.Context(), client.ContextRequest{Project: shop, Agent: kind + "-1",
						AgentKind: kind, Task: work(), DeadlineMS: 10_000, BudgetTokens: budget, Encoding: encoding})
					switch {
					case client.Is(err, "budget-too-small"):
					case err != nil:
						s.Errorf("%s with %d: %v", kind, budget, err)
					case c.Tokens > budget || c.BudgetTokens != budget:
						s.Errorf("%s with %d of %s: %d tokens", kind, budget, encoding, c.Tokens)
					}
				}
			}
		}
	})
}
