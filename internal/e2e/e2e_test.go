//go:build unix

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/e2e/e2etest"
	"github.com/contextd/contextd/internal/race"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
)

// soon is how long something may take that takes a second on a machine with nothing else to do.
const soon = 60 * time.Second

// patient is the deadline of a question whose answer matters and whose speed does not.
const patient = "20s"

var bin string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "e2e")
	if err == nil {
		defer os.RemoveAll(dir)
		bin = dir
		err = e2etest.Build(dir, race.Enabled)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return 2
	}
	return m.Run()
}

// bundle is a test with a world of its own.
type bundle struct {
	*testing.T
	*e2etest.World
	redis *rdbtest.Server // nil on the embedded backing
	root  string          // an empty folder for sources
}

func newBundle(t *testing.T, redis *rdbtest.Server) *bundle {
	t.Helper()
	dir := t.TempDir()
	b := &bundle{T: t, redis: redis, root: filepath.Join(dir, "src"),
		World: &e2etest.World{Bin: bin, Dir: filepath.Join(dir, "world"), Prefix: "ctx"}}
	if redis != nil {
		b.Redis, b.Prefix = redis.URL, redis.Prefix
	}
	b.ok(os.MkdirAll(b.root, 0o755))
	return b
}

// both runs a test on both backings.
func both(t *testing.T, test func(b *bundle)) {
	t.Parallel()
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		test(newBundle(t, nil))
	})
	t.Run("redis", func(t *testing.T) {
		t.Parallel()
		test(newBundle(t, rdbtest.Own(t, rdbtest.Search)))
	})
}

// onRedis is a bundle on a private server with further settings.
func onRedis(t *testing.T, args ...string) *bundle {
	t.Helper()
	t.Parallel()
	return newBundle(t, rdbtest.Own(t, rdbtest.Search, args...))
}

func (b *bundle) ok(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// daemon starts a daemon, ready to work, that is killed with the test.
func (b *bundle) daemon(flags ...string) *e2etest.Daemon {
	b.Helper()
	d := b.daemonNotReady(flags...)
	b.ok(d.Ready(soon))
	return d
}

func (b *bundle) daemonNotReady(flags ...string) *e2etest.Daemon {
	b.Helper()
	d, err := b.World.Daemon(flags...)
	b.ok(err)
	b.guard(d)
	return d
}

// guard kills a process with the test, which fails if it has crashed.
func (b *bundle) guard(d *e2etest.Daemon) {
	b.Cleanup(func() {
		d.Kill()
		if err := d.Crashed(); err != nil {
			b.Error(err)
		}
		if b.Failed() {
			b.Logf("the log of %s:\n%s", d.URL, d.Log())
		}
	})
}

// tree writes the sources from..to-1.
func (b *bundle) tree(from, to, rev, lines int) {
	b.Helper()
	b.ok(e2etest.Tree(b.root, from, to, rev, lines))
}

func (b *bundle) write(name, text string) { b.Helper(); b.ok(e2etest.Write(b.root, name, text)) }

func (b *bundle) remove(name string) { b.Helper(); b.ok(os.Remove(filepath.Join(b.root, name))) }

func (b *bundle) rename(from, to string) {
	b.Helper()
	b.ok(os.Rename(filepath.Join(b.root, from), filepath.Join(b.root, to)))
}

func (b *bundle) git(args ...string) { b.Helper(); b.ok(e2etest.Git(b.root, args...)) }

func (b *bundle) commit(message string) { b.Helper(); b.ok(e2etest.Commit(b.root, message)) }

func (b *bundle) index(flags ...string) e2etest.Indexed {
	b.Helper()
	doc, err := b.World.Index(b.root, flags...)
	b.ok(err)
	return doc
}

func (b *bundle) enqueue() {
	b.Helper()
	if r, err := b.Exec("indexer", "enqueue", b.root); err != nil || r.Code != 0 {
		b.Fatal(r, err)
	}
}

// finds waits until path answers a question.
func (b *bundle) finds(question, path string) {
	b.Helper()
	b.ok(b.World.Finds(soon, b.root, question, path))
}

// ask is one answer.
func (b *bundle) ask(question string, flags ...string) *e2etest.Reply {
	b.Helper()
	r, err := b.Query(b.root, question, flags...)
	b.ok(err)
	return r
}

// fresh waits until the index equals one made from nothing.
func (b *bundle) fresh(questions ...string) {
	b.Helper()
	b.ok(b.EqualsFresh(b.root, questions, soon))
}

// settled waits until nothing is left to do.
func (b *bundle) settled() { b.Helper(); b.ok(b.Settled(b.root, soon)) }

// questions are those that the sources from..to-1 answer.
func questions(from, to int) (qs []string) {
	for i := from; i < to; i++ {
		qs = append(qs, e2etest.Question(i))
	}
	return qs
}

// eventually waits until f gives no error.
func (b *bundle) eventually(f func() error) { b.Helper(); b.ok(e2etest.Eventually(soon, f)) }

// within checks an answer against its deadline: with the second that is promised, and what a busy machine needs to
// start a process.
func (b *bundle) within(r *e2etest.Reply, deadline time.Duration) {
	b.Helper()
	if limit := deadline + time.Second + slack; r.Took > limit {
		b.Errorf("an answer with a deadline of %v took %v", deadline, r.Took)
	}
}
