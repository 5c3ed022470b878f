package spool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/queue"
)

// store takes requests unless it is down.
type store struct {
	down atomic.Bool
	got  []queue.Request
}

var errDown = errors.New("connection refused")

func (s *store) push(_ context.Context, r queue.Request) error {
	if s.down.Load() {
		return errDown
	}
	s.got = append(s.got, r)
	return nil
}

func (s *store) projects() (ids []string) {
	for _, r := range s.got {
		ids = append(ids, r.Project)
	}
	return ids
}

var quiet = slog.New(slog.DiscardHandler)

// root is an absolute path of this system.
func root(t testing.TB) string {
	t.Helper()
	dir, err := filepath.Abs("web")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func put(t *testing.T, s *Spool, r queue.Request) string {
	t.Helper()
	name, err := s.Put(r)
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		all = append(all, e.Name())
	}
	return all
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestRequestsArriveOnceInOrderWhenTheStoreIsBack(t *testing.T) {
	t.Parallel()
	s, to := Open(filepath.Join(t.TempDir(), "a", "spool")), &store{}
	to.down.Store(true)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	want := []queue.Request{{Project: "a", Root: root(t), Paths: []code.Path{"x.go", "<y>.go"}, At: at}, {Project: "b", Root: root(t), At: at}, {Project: "c", Root: root(t), At: at}}
	for _, r := range want {
		put(t, s, r)
	}
	if n, err := s.Deliver(t.Context(), to.push, quiet); n != 0 || !errors.Is(err, errDown) {
		t.Fatalf("while it is away: %d, %v", n, err)
	}
	to.down.Store(false)
	if n, err := s.Deliver(t.Context(), to.push, quiet); n != 3 || err != nil || !reflect.DeepEqual(to.got, want) {
		t.Fatalf("%d, %v:\n got %+v\nwant %+v", n, err, to.got, want)
	}
	if n, err := s.Deliver(t.Context(), to.push, quiet); n != 0 || err != nil || len(names(t, s.Dir())) != 0 {
		t.Errorf("afterwards: %d, %v, %q", n, err, names(t, s.Dir()))
	}
}

// The file goes only after the queue has accepted what it holds: who crashes in between leaves it to the next.
func TestCrashBetweenDeliveryAndRemovalDeliversTwiceAtMost(t *testing.T) {
	t.Parallel()
	s, to := Open(t.TempDir()), &store{}
	put(t, s, queue.Request{Project: "a", Root: root(t)})
	func() {
		defer func() { _ = recover() }()
		_, _ = s.Deliver(t.Context(), func(ctx context.Context, r queue.Request) error {
			_ = to.push(ctx, r)
			panic("crash")
		}, quiet)
	}()
	for range 3 {
		if _, err := Open(s.Dir()).Deliver(t.Context(), to.push, quiet); err != nil {
			t.Fatal(err)
		}
	}
	if got := to.projects(); !slices.Equal(got, []string{"a", "a"}) {
		t.Errorf("delivered: %q", got)
	}
}

func TestTwoProcessesOnOneSpoolDeliverOnce(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("folders cannot be locked")
	}
	s, to := Open(t.TempDir()), &store{}
	put(t, s, queue.Request{Project: "a", Root: root(t)})
	_, err := s.Deliver(t.Context(), func(ctx context.Context, r queue.Request) error {
		if n, err := Open(s.Dir()).Deliver(ctx, to.push, quiet); n != 0 || err != nil {
			t.Errorf("the other process: %d, %v", n, err)
		}
		return to.push(ctx, r)
	}, quiet)
	if err != nil || !slices.Equal(to.projects(), []string{"a"}) {
		t.Errorf("delivered: %q, %v", to.projects(), err)
	}
}

func TestRequestWrittenUnderANameInUseIsNotRemovedUnread(t *testing.T) {
	t.Parallel()
	s, to := Open(t.TempDir()), &store{}
	path := filepath.Join(s.Dir(), "web.json")
	text := `{"project_id":%q,"sandbox_root":%q}`
	write(t, path, fmt.Sprintf(text, "a", root(t)))
	_, err := s.Deliver(t.Context(), func(ctx context.Context, r queue.Request) error {
		write(t, path+".new", fmt.Sprintf(text, "b", root(t)))
		if err := os.Rename(path+".new", path); err != nil {
			t.Error(err)
		}
		return to.push(ctx, r)
	}, quiet)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Deliver(t.Context(), to.push, quiet); err != nil || !slices.Equal(to.projects(), []string{"a", "b"}) {
		t.Errorf("delivered: %q, %v", to.projects(), err)
	}
}

func TestHostileFilesAreSetAsideAndHoldNothingBack(t *testing.T) {
	t.Parallel()
	good := fmt.Sprintf(`{"project_id":"good","sandbox_root":%q,"changed_files":["a.go"]}`, root(t))
	for name, plant := range map[string]func(t *testing.T, path string){
		"not JSON":        func(t *testing.T, path string) { write(t, path, "\x00\xff{") },
		"empty":           func(t *testing.T, path string) { write(t, path, "") },
		"null":            func(t *testing.T, path string) { write(t, path, "null") },
		"an array":        func(t *testing.T, path string) { write(t, path, "["+good+"]") },
		"deep":            func(t *testing.T, path string) { write(t, path, strings.Repeat(`{"project_id":`, 100_000)) },
		"without root":    func(t *testing.T, path string) { write(t, path, `{"project_id":"x"}`) },
		"a relative root": func(t *testing.T, path string) { write(t, path, `{"project_id":"x","sandbox_root":"web"}`) },
		"another type":    func(t *testing.T, path string) { write(t, path, `{"project_id":["x"],"sandbox_root":1}`) },
		"a path outside": func(t *testing.T, path string) {
			write(t, path, fmt.Sprintf(`{"project_id":"x","sandbox_root":%q,"changed_files":["../x"]}`, root(t)))
		},
		"huge": func(t *testing.T, path string) {
			write(t, path, good)
			if err := os.Truncate(path, 1<<40); err != nil {
				t.Skip(err)
			}
		},
		"a folder": func(t *testing.T, path string) {
			if err := os.MkdirAll(filepath.Join(path, "below.json"), 0o700); err != nil {
				t.Fatal(err)
			}
		},
		"a link to outside": func(t *testing.T, path string) {
			out := filepath.Join(t.TempDir(), "out")
			write(t, out, good)
			if err := os.Symlink(out, path); err != nil {
				t.Skip(err)
			}
		},
		"a link to a device": func(t *testing.T, path string) {
			if err := os.Symlink(os.DevNull, path); err != nil {
				t.Skip(err)
			}
		},
		"a link to itself": func(t *testing.T, path string) {
			if err := os.Symlink(filepath.Base(path), path); err != nil {
				t.Skip(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, to := Open(t.TempDir()), &store{}
			plant(t, filepath.Join(s.Dir(), "0.json"))
			write(t, filepath.Join(s.Dir(), "1.json"), good)
			write(t, filepath.Join(s.Dir(), "notes.txt"), "left alone")
			var log bytes.Buffer
			for range 2 {
				if _, err := s.Deliver(t.Context(), to.push, slog.New(slog.NewTextHandler(&log, nil))); err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(to.projects(), []string{"good"}) {
				t.Errorf("delivered: %q", to.projects())
			}
			if got := names(t, s.Dir()); !slices.Equal(got, []string{"0.json.bad", "notes.txt"}) {
				t.Errorf("left: %q", got)
			}
			if n := strings.Count(log.String(), "set aside"); n != 1 {
				t.Errorf("%d lines in the log:\n%s", n, log.String())
			}
		})
	}
}

func TestFullSpoolRefusesWithAHint(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]func(*Spool){"files": func(s *Spool) { s.files = 2 }, "bytes": func(s *Spool) { s.bytes = 1 }} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := Open(t.TempDir())
			write(t, filepath.Join(s.Dir(), "x.json.bad"), "x")
			put(t, s, queue.Request{Project: "a", Root: root(t)})
			limit(s)
			_, err := s.Put(queue.Request{Project: "b", Root: root(t)})
			if h, ok := err.(interface{ Hint() string }); !ok || h.Hint() == "" || !strings.Contains(err.Error(), "full") {
				t.Fatalf("error %v", err)
			}
			if got := names(t, s.Dir()); len(got) != 2 {
				t.Errorf("left: %q", got)
			}
		})
	}
}

func TestOnlyWhatTheQueueWouldTakeIsWritten(t *testing.T) {
	t.Parallel()
	for _, r := range []queue.Request{{}, {Project: "a"}, {Project: "a", Root: "web"}, {Project: "-", Root: root(t)}, {Project: "a", Root: root(t) + "\xff"},
		{Project: "a", Root: root(t), Paths: []code.Path{"../x"}}} {
		s := Open(filepath.Join(t.TempDir(), "spool"))
		if name, err := s.Put(r); err == nil {
			t.Errorf("%+v was written as %q", r, name)
		}
		if _, err := os.Stat(s.Dir()); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%+v made the directory", r)
		}
	}
}

func TestFilesOfDeadWritersAreRemovedAndLivingOnesAreNot(t *testing.T) {
	t.Parallel()
	s, to := Open(t.TempDir()), &store{}
	for _, name := range []string{"old.json.tmp", "new.json.tmp"} {
		write(t, filepath.Join(s.Dir(), name), "{")
	}
	old := time.Now().Add(-2 * orphanAge)
	if err := os.Chtimes(filepath.Join(s.Dir(), "old.json.tmp"), old, old); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Deliver(t.Context(), to.push, quiet); err != nil || len(to.got) != 0 {
		t.Fatalf("%v, %+v", err, to.got)
	}
	if got := names(t, s.Dir()); !slices.Equal(got, []string{"new.json.tmp"}) {
		t.Errorf("left: %q", got)
	}
}

func TestRunLogsOnceWhenDeliveryFailsAndOnceWhenItWorks(t *testing.T) {
	t.Parallel()
	s := Open(t.TempDir())
	put(t, s, queue.Request{Project: "a", Root: root(t)})
	synctest.Test(t, func(t *testing.T) {
		to := &store{}
		to.down.Store(true)
		var log bytes.Buffer
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { s.Run(ctx, to.push, slog.New(slog.NewTextHandler(&log, nil))); close(done) }()
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		to.down.Store(false)
		time.Sleep(time.Minute)
		stop()
		<-done
		if !slices.Equal(to.projects(), []string{"a"}) || strings.Count(log.String(), "stay in the spool") != 1 || strings.Count(log.String(), "delivered again") != 1 {
			t.Errorf("delivered %q, log:\n%s", to.projects(), log.String())
		}
	})
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"project_id":"a","sandbox_root":queuetest.At("web"),"changed_files":["a.go"],"requested_at":"2026-01-02T03:04:05Z"}`))
	f.Add([]byte(`{"project_id":"a","sandbox_root":queuetest.At("web"),"changed_files":"[\"a.go\"]"}`))
	f.Add([]byte(`{"project_id":null,"changed_files":[[[[`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := decode(data, time.Unix(1, 0).UTC())
		if err != nil {
			if !errors.Is(err, errNotRequest) {
				t.Fatalf("error %v", err)
			}
			return
		}
		again, err := encode(r)
		if err != nil {
			return // a root that is not UTF-8
		}
		if back, err := decode(again, time.Time{}); err != nil || back.Project != r.Project || back.Root != r.Root || len(back.Paths) > len(r.Paths) {
			t.Fatalf("%+v became %+v, %v", r, back, err)
		}
	})
}
