package history

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/store"
	"github.com/contextd/contextd/internal/store/redis"
	"github.com/contextd/contextd/internal/store/sqlite"
)

const envWhere = "HISTORY_TEST_WHERE"

// TestMain is also the process that a test kills: it completes tasks at a place and says each when it is done.
func TestMain(m *testing.M) {
	where := os.Getenv(envWhere)
	if where == "" {
		goleak.VerifyTestMain(m)
		return
	}
	h, _, err := at(where)
	for i := 0; err == nil && i < 1_000_000; i++ {
		id := fmt.Sprintf("%d-%d", os.Getpid(), i)
		if _, err = h.Complete(context.Background(), "web",
			Task{ID: id, Intent: "Do " + id, Success: new(true)}); err == nil {
			fmt.Println(id)
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// at opens a history, and the store below it, at "DIR" or "DIR|URL|PREFIX".
func at(where string) (*History, store.Store, error) {
	dir, server, isRedis := strings.Cut(where, "|")
	var s store.Store
	var err error
	if url, prefix, _ := strings.Cut(server, "|"); isRedis {
		s, err = redis.Open(redis.Options{URL: url, Prefix: prefix})
	} else {
		s, err = sqlite.Open(filepath.Join(dir, "documents.db"), slog.New(slog.DiscardHandler))
	}
	if err != nil {
		return nil, nil, err
	}
	return New(s, filepath.Join(dir, "audit"), time.Now), s, nil
}

// playUntilKilled completes tasks in another process, kills it some time after n of them, and returns those that it
// said were done.
func playUntilKilled(where string, n int) (done []string, err error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(exe, "-test.run=^$")
	cmd.Env = append(os.Environ(), envWhere+"="+where)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if done = append(done, lines.Text()); len(done) == n {
			_ = cmd.Process.Kill()
		}
	}
	_ = cmd.Wait()
	if len(done) < n {
		err = fmt.Errorf("it ended after %d tasks: %s", len(done), said.String())
	}
	return done, err
}

func TestKilledProcessesLoseNoTaskThatTheySaidWasDone(t *testing.T) {
	t.Parallel()
	test := func(t *testing.T, where string) {
		type result struct {
			done []string
			err  error
		}
		results := make(chan result, 2)
		for _, n := range []int{9, 14} {
			go func() {
				done, err := playUntilKilled(where, n)
				results <- result{done, err}
			}()
		}
		done := map[string]bool{}
		for range 2 {
			r := <-results
			if r.err != nil {
				t.Fatal(r.err)
			}
			for _, id := range r.done {
				done[id] = true
			}
		}
		h, docs, err := at(where)
		if err != nil {
			t.Fatal(err)
		}
		defer docs.Close()
		audited, stored := map[string]int{}, map[string]bool{}
		torn, err := h.Audit("web", func(e Event) bool { audited[e.Task.ID]++; return true })
		if err != nil || torn > 2 {
			t.Fatalf("%d torn lines, %v", torn, err)
		}
		for _, task := range load(t, h).Tasks {
			stored[task.ID] = true
			if audited[task.ID] != 1 {
				t.Errorf("%s stands %d times in the audit log", task.ID, audited[task.ID])
			}
		}
		for id := range done {
			if !stored[id] && len(stored) < MaxTasks {
				t.Errorf("%s was done and is lost", id)
			}
			if audited[id] != 1 {
				t.Errorf("%s was done and stands %d times in the audit log", id, audited[id])
			}
		}
		if extra := len(audited) - len(done); extra < 0 || len(stored) < MaxTasks && extra > len(stored)-len(done)+2 {
			t.Errorf("%d in the audit log, %d stored, %d done", len(audited), len(stored), len(done))
		}
		if _, err := h.Complete(t.Context(), "web", Task{ID: "after"}); err != nil { // and no lock is left
			t.Error(err)
		}
	}
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		test(t, filepath.Join(t.TempDir(), "state"))
	})
	t.Run("redis", func(t *testing.T) {
		t.Parallel()
		s := rdbtest.Own(t, rdbtest.Plain)
		test(t, strings.Join([]string{filepath.Join(t.TempDir(), "state"), s.URL, s.Prefix}, "|"))
	})
}

func TestTaskThatOptsOutGetsNothing(t *testing.T) {
	t.Parallel()
	s := State{Tasks: []Task{{ID: "a"}}, Blockers: []Blocker{{ID: "b"}}}
	yes, no := true, false
	for says, want := range map[*bool]bool{nil: true, &yes: true, &no: false} {
		if got := s.For(says).Render() != ""; got != want {
			t.Errorf("requires_context %v: %v", says, got)
		}
	}
}
