package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/presence"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/sandbox"
)

// What go-redis dials with while a server is away sleeps for up to 1 s after its pool was closed.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/redis/go-redis/v9/internal/pool.(*ConnPool).tryDial"))
}

// bundle is a store and a tree for one test. Tests run one after the other: a daemon has the process's metrics to
// itself.
type bundle struct {
	t     *testing.T
	opts  backend.Options
	back  *backend.Backend // for looking, as another process would
	redis *rdbtest.Server  // nil if embedded
	root  string           // real path
	log   syncBuffer
}

// both runs a test on both backings.
func both(t *testing.T, test func(b *bundle)) {
	t.Run("embedded", func(t *testing.T) { test(newBundle(t, nil)) })
	t.Run("redis", func(t *testing.T) { test(newBundle(t, rdbtest.Own(t, rdbtest.Search))) })
}

func newBundle(t *testing.T, s *rdbtest.Server) *bundle {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bundle{t: t, redis: s, root: filepath.Join(dir, "tree"),
		opts: backend.Options{StateDir: filepath.Join(dir, "state")}}
	if s != nil {
		b.opts.Redis, b.opts.Prefix = s.URL, s.Prefix
	}
	b.back = b.open()
	b.write("a.go", "package a\n\nfunc Alpha() {}\n")
	return b
}

func (b *bundle) open() *backend.Backend {
	b.t.Helper()
	back, err := backend.Open(b.opts)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = back.Close() })
	return back
}

func (b *bundle) write(name, text string) {
	b.t.Helper()
	path := filepath.Join(b.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bundle) options(back *backend.Backend) Options {
	return Options{Backend: back, Ingester: ingest.New(back.Index, ingest.Options{}), StateDir: b.opts.StateDir,
		Listen: "127.0.0.1:0", Watch: []string{b.root}, Log: slog.New(slog.NewJSONHandler(&b.log, nil))}
}

// start runs a daemon; stop ends it and checks that it ended well.
func (b *bundle) start(change func(*Options)) (url string, stop func()) {
	b.t.Helper()
	back := b.open()
	o := b.options(back)
	if change != nil {
		change(&o)
	}
	addr := make(chan net.Addr, 1)
	o.Listening = func(a net.Addr) { addr <- a }
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- Run(ctx, o) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			b.t.Errorf("the daemon ended with %v", err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	b.t.Cleanup(stop)
	select {
	case a := <-addr:
		return "http://" + a.String(), stop
	case err := <-done:
		done <- err
		b.t.Fatalf("the daemon did not start: %v", err)
	}
	return "", stop
}

// eventually waits until probe says "", which is else what was seen last.
func (b *bundle) eventually(want string, probe func() string) {
	b.t.Helper()
	end := time.After(20 * time.Second)
	for {
		seen := probe()
		if seen == "" {
			return
		}
		select {
		case <-end:
			b.t.Fatalf("want %s; last seen: %s; log:\n%s", want, seen, b.log.String())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// indexed waits until a project holds exactly the named files and nothing waits.
func (b *bundle) indexed(project string, files ...string) {
	b.t.Helper()
	b.eventually(fmt.Sprintf("project %s with %v", project, files), func() string {
		ctx := context.Background()
		states, err := b.back.Projects(ctx, project)
		if err != nil || len(states) != 1 || states[0].Pending > 0 || states[0].Generation == 0 {
			return fmt.Sprintf("%+v, %v", states, err)
		}
		snap, err := b.back.Index.Open(ctx, project)
		if err != nil {
			return err.Error()
		}
		defer snap.Close()
		entries, err := snap.Entries(ctx)
		if err != nil {
			return err.Error()
		}
		var have []string
		for _, e := range entries {
			have = append(have, e.Path)
		}
		if fmt.Sprint(have) != fmt.Sprint(files) {
			return fmt.Sprint(have)
		}
		return ""
	})
}

func (b *bundle) push(r queue.Request) {
	b.t.Helper()
	q, err := b.back.Queue()
	if err == nil {
		r.At = time.Now()
		_, err = q.Push(context.Background(), r)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func TestWatchedRootIsKeptFresh(t *testing.T) {
	both(t, func(b *bundle) {
		url, stop := b.start(nil)
		id := code.DefaultProjectID(b.root)
		b.indexed(id, "a.go")
		b.write("new/b.go", "package b\n")
		b.indexed(id, "a.go", "new/b.go")
		if err := os.Remove(filepath.Join(b.root, "a.go")); err != nil {
			t.Fatal(err)
		}
		b.indexed(id, "new/b.go")

		live, err := b.back.Daemons(t.Context())
		if err != nil || !presence.Covers(live, filepath.Join(b.root, "new")) ||
			presence.Covers(live, filepath.Dir(b.root)) {
			b.t.Errorf("daemons %+v, %v", live, err)
		}
		if code, body := get(b.t, url+"/readyz"); code != 200 {
			b.t.Errorf("/readyz: %d %s", code, body)
		}
		_, body := get(b.t, url+"/metrics")
		for _, want := range []string{fmt.Sprintf("contextd_index_files{project=%q} 1", id),
			fmt.Sprintf("contextd_index_stale{project=%q} 0", id),
			fmt.Sprintf("contextd_backend_up{backend=%q} 1", b.back.Name), "contextd_queue_depth 0",
			"contextd_queue_dead 0", "contextd_index_runs_total{"} {
			if !strings.Contains(body, want) {
				b.t.Errorf("/metrics lacks %q", want)
			}
		}
		stop()
		if live, err := b.back.Daemons(t.Context()); err != nil || len(live) > 0 {
			b.t.Errorf("daemons after a clean stop: %+v, %v", live, err)
		}
		for line := range strings.Lines(b.log.String()) {
			var entry map[string]any
			if err := json.Unmarshal([]byte(line), &entry); err != nil || entry["msg"] == "" {
				b.t.Errorf("log line %q: %v", line, err)
			}
		}
	})
}

func TestWatchedRootKeepsTheProjectItHas(t *testing.T) {
	both(t, func(b *bundle) {
		if _, err := ingest.New(b.back.Index, ingest.Options{}).Refresh(t.Context(),
			ingest.Request{Project: "web", Root: b.root}); err != nil {
			b.t.Fatal(err)
		}
		b.start(nil)
		b.write("b.go", "package b\n")
		b.indexed("web", "a.go", "b.go")
		if states, err := b.back.Projects(t.Context(), ""); err != nil || len(states) != 1 {
			b.t.Errorf("%+v, %v", states, err)
		}
	})
}

func TestOnlyAllowedRootsAreServed(t *testing.T) {
	both(t, func(b *bundle) {
		other := filepath.Join(filepath.Dir(b.root), "other")
		if err := os.MkdirAll(other, 0o755); err != nil {
			b.t.Fatal(err)
		}
		out := filepath.Join(b.root, "way_out")
		if err := os.Symlink(other, out); err != nil {
			b.t.Fatal(err)
		}
		b.push(queue.Request{Project: "before", Root: other})
		b.push(queue.Request{Project: "link", Root: out})
		b.push(queue.Request{Project: "file", Root: filepath.Join(b.root, "a.go")})
		b.push(queue.Request{Project: "good", Root: b.root})
		b.start(func(o *Options) { o.Watch, o.Allow = nil, []string{b.root} })
		b.indexed("good", "a.go")
		b.eventually("three dead letters", func() string {
			dead, err := b.back.Dead(t.Context())
			if err != nil || len(dead) != 3 {
				return fmt.Sprintf("%+v, %v", dead, err)
			}
			for _, l := range dead {
				if l.Reason == "" {
					return "a letter without a reason"
				}
			}
			return ""
		})
	})
}

func TestAllowedRootThatComesLaterIsServed(t *testing.T) {
	both(t, func(b *bundle) {
		late := filepath.Join(b.root, "late")
		b.push(queue.Request{Project: "late", Root: late})
		b.start(func(o *Options) { o.Watch, o.Allow = nil, []string{b.root} })
		b.eventually("a first try", func() string {
			if strings.Contains(b.log.String(), "run failed") {
				return ""
			}
			return "none"
		})
		b.write("late/b.go", "package b\n")
		b.indexed("late", "b.go")
	})
}

func TestKnownProjectsAreReconciledAtTheStart(t *testing.T) {
	both(t, func(b *bundle) {
		in := ingest.New(b.back.Index, ingest.Options{})
		if _, err := in.Refresh(t.Context(), ingest.Request{Project: "web", Root: b.root}); err != nil {
			b.t.Fatal(err)
		}
		b.write("b.go", "package b\n") // while no daemon ran
		b.start(func(o *Options) { o.Watch, o.Allow = nil, []string{filepath.Dir(b.root)} })
		b.indexed("web", "a.go", "b.go")
	})
}

func TestFlushedStoreIsFilledAgain(t *testing.T) {
	b := newBundle(t, rdbtest.Own(t, rdbtest.Search))
	b.push(queue.Request{Project: "web", Root: b.root})
	b.start(func(o *Options) { o.Watch, o.Allow = nil, []string{b.root} })
	b.indexed("web", "a.go")
	if err := b.redis.Client(t).FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	b.indexed("web", "a.go")
}

func TestStartsWithoutItsBackend(t *testing.T) {
	b := newBundle(t, rdbtest.Own(t, rdbtest.Search))
	b.redis.Kill(t)
	url, _ := b.start(nil)
	if code, body := get(t, url+"/readyz"); code != 503 || !strings.HasPrefix(body, "{") ||
		!strings.Contains(body, "reason") {
		t.Errorf("/readyz: %d %s", code, body)
	}
	if code, _ := get(t, url+"/healthz"); code != 200 {
		t.Errorf("/healthz: %d", code)
	}
	b.write("b.go", "package b\n")
	b.redis.Restart(t)
	b.indexed(code.DefaultProjectID(b.root), "a.go", "b.go")
	b.eventually("readiness", func() string {
		if code, body := get(t, url+"/readyz"); code != 200 {
			return body
		}
		return ""
	})
}

func TestSecondDaemonIsRefused(t *testing.T) {
	both(t, func(b *bundle) {
		b.start(nil)
		err := Run(t.Context(), b.options(b.open()))
		if err == nil || !strings.Contains(err.Error(), "another indexer run") {
			b.t.Errorf("a second daemon: %v", err)
		}
	})
}

func TestBadOptionsAreErrors(t *testing.T) {
	b := newBundle(t, nil)
	for name, change := range map[string]func(*Options){
		"no backend":      func(o *Options) { o.Backend = nil },
		"relative allow":  func(o *Options) { o.Allow = []string{"x"} },
		"missing watch":   func(o *Options) { o.Watch = []string{filepath.Join(b.root, "none")} },
		"watch of a file": func(o *Options) { o.Watch = []string{filepath.Join(b.root, "a.go")} },
		"address":         func(o *Options) { o.Listen = "256.0.0.1:0" },
		"sandbox":         func(o *Options) { o.Sandbox = sandbox.Options{MaxFileBytes: -1} },
	} {
		o := b.options(b.open())
		change(&o)
		if err := Run(t.Context(), o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
