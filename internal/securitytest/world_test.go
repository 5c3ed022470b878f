//go:build unix

// Package securitytest holds promises of docs/SECURITY.md that go across packages: it builds both binaries and gives
// them what a hostile repository, peer or neighbour would.
package securitytest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/rdb/rdbtest"
)

var bin string // folder of the binaries

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "security-")
	if err == nil {
		bin = dir
		var out []byte
		if out, err = exec.Command("go", "build", "-o", dir,
			"github.com/contextd/contextd/cmd/...").CombinedOutput(); err != nil {
			err = fmt.Errorf("build the binaries: %w: %s", err, out)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

// world is a home, a state directory and a root of its own, on one backing.
type world struct {
	t                *testing.T
	home, state, dir string // dir: the root
	redis            *rdbtest.Server
	env              []string // beside what all runs have
	said             []result // every run so far
}

// result is what a run of a binary came to.
type result struct {
	args     []string
	out, err string
	code     int
}

// both runs a test on both backings.
func both(t *testing.T, test func(t *testing.T, w *world)) {
	t.Parallel()
	for _, backing := range []string{"embedded", "redis"} {
		t.Run(backing, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if backing == "redis" {
				w.redis = rdbtest.Own(t, rdbtest.Search)
			}
			test(t, w)
		})
	}
}

func newWorld(t *testing.T) *world {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	w := &world{t: t, home: filepath.Join(top, "home"), state: filepath.Join(top, "state"),
		dir: filepath.Join(top, "root")}
	must(t, os.Mkdir(w.home, 0o700))
	must(t, os.Mkdir(w.dir, 0o755))
	return w
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// write writes files below the root.
func (w *world) write(files map[string]string) {
	w.t.Helper()
	for name, text := range files {
		path := filepath.Join(w.dir, name)
		must(w.t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(w.t, os.WriteFile(path, []byte(text), 0o644))
	}
}

// command is a binary with the world's environment.
func (w *world) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(bin, name), args...)
	cmd.Dir = w.home
	cmd.Env = append([]string{"HOME=" + w.home, "PATH=" + os.Getenv("PATH"), "CONTEXTD_STATE_DIR=" + w.state,
		"CONTEXTD_LOG_LEVEL=debug",
		"GIT_CONFIG_NOSYSTEM=1"}, w.env...)
	if w.redis != nil {
		cmd.Env = append(cmd.Env, "CONTEXTD_REDIS="+w.redis.URL, "CONTEXTD_PREFIX="+w.redis.Prefix)
	}
	return cmd
}

// run runs "indexer index …" and the like; it fails the test where the binary panics or exits oddly.
func (w *world) run(name string, args ...string) result { return w.runInput("", name, args...) }

func (w *world) runInput(stdin, name string, args ...string) result {
	w.t.Helper()
	cmd := w.command(w.t.Context(), name, args...)
	var out, errOut bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errOut
	err := cmd.Run()
	r := result{args: append([]string{name}, args...), out: out.String(), err: errOut.String()}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		r.code = exit.ExitCode()
	} else if err != nil {
		w.t.Fatalf("run %.200q: %v", r.args, err)
	}
	if r.code < 0 || r.code > 2 || strings.Contains(r.err, "goroutine ") || strings.Contains(r.err, "panic") {
		w.t.Errorf("%.200q: exit %d\n%.3000s", r.args, r.code, r.err)
	}
	w.said = append(w.said, r)
	return r
}

// index indexes the root; it must work.
func (w *world) index() {
	w.t.Helper()
	if r := w.run("indexer", "index", w.dir); r.code != 0 {
		w.t.Fatalf("index: %s", r.err)
	}
}

// query gives the paths of an answer to a question to the root.
func (w *world) query(text string, flags ...string) (paths []string, snippets string) {
	w.t.Helper()
	r := w.run("retriever", append([]string{"query", text, "--root", w.dir, "--json", "--deadline", "20s", "--k", "50",
		"--max-chars", "2000", "--max-bytes", "100000", "--min-relevance", "0"}, flags...)...)
	var doc struct {
		Results []struct{ Path, Snippet string }
	}
	if r.code == 2 {
		w.t.Fatalf("query %.100q %q: %s", text, flags, r.err)
	}
	must(w.t, json.Unmarshal([]byte(r.out), &doc))
	for _, x := range doc.Results {
		paths, snippets = append(paths, x.Path), snippets+x.Snippet+"\n"
	}
	return paths, snippets
}

// stored is every byte that is kept: of the files below the state directory and of all keys, by name.
func (w *world) stored() map[string]string {
	w.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(w.state, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && d.Type().IsRegular() {
			var data []byte
			data, err = os.ReadFile(path)
			all[path] = path + string(data)
		}
		return err
	})
	must(w.t, err)
	if w.redis == nil {
		return all
	}
	ctx, c := w.t.Context(), w.redis.Client(w.t)
	keys, err := c.Keys(ctx, "*").Result()
	must(w.t, err)
	for _, key := range keys {
		kind, err := c.Type(ctx, key).Result()
		must(w.t, err)
		var v any
		switch kind {
		case "string":
			v, err = c.Get(ctx, key).Result()
		case "hash":
			v, err = c.HGetAll(ctx, key).Result()
		case "set":
			v, err = c.SMembers(ctx, key).Result()
		case "zset":
			v, err = c.ZRangeWithScores(ctx, key, 0, -1).Result()
		case "list":
			v, err = c.LRange(ctx, key, 0, -1).Result()
		case "stream":
			v, err = c.XRange(ctx, key, "-", "+").Result()
		default:
			w.t.Errorf("key %q is a %s, which is not looked into", key, kind)
		}
		must(w.t, err)
		all[key] = fmt.Sprint(key, v)
	}
	return all
}

// daemon starts "indexer run"; stop ends it and gives what it said.
func (w *world) daemon(args ...string) (stop func() result) {
	w.t.Helper()
	cmd := w.command(context.Background(), "indexer", append([]string{"run", "--listen", "127.0.0.1:0"}, args...)...)
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	must(w.t, cmd.Start())
	ended := false
	stop = func() result {
		if !ended {
			ended = true
			_ = cmd.Process.Signal(syscall.SIGTERM)
			_ = cmd.Wait()
		}
		r := result{args: cmd.Args, err: errOut.String(), code: cmd.ProcessState.ExitCode()}
		w.said = append(w.said, r)
		return r
	}
	w.t.Cleanup(func() { stop() })
	return stop
}

// until waits for something that a daemon does in its own time.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(30 * time.Second); !done(); {
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("waited in vain for %s", what)
		}
	}
}
