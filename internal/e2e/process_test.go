//go:build unix

package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/e2e/e2etest"
)

func TestTheLeaseOfAStoppedDaemonPassesOnAndItsLateWritesChangeNothing(t *testing.T) {
	b := onRedis(t)
	b.tree(0, 60, 0, 20)
	b.index()
	b.tree(0, 60, 1, 30)
	held, free := make(chan struct{}), make(chan struct{})
	goOn := sync.OnceFunc(func() { close(free) })
	chunks := 0
	p, err := e2etest.NewProxy(b.Redis, func(_ int, command []byte) bool {
		if bytes.Contains(command, []byte(b.Prefix+":c:")) {
			chunks++
		}
		return chunks == 5
	}, func() bool {
		close(held)
		<-free
		return true
	})
	b.ok(err)
	defer p.Close()
	defer goOn()
	stopped, err := b.Through(p.URL, "first").Daemon("--allow-root", b.root)
	b.ok(err)
	defer stopped.Kill()
	b.enqueue()
	select {
	case <-held:
	case <-time.After(soon):
		b.Fatalf("the daemon writes nothing: %s", stopped.Log())
	}
	b.ok(stopped.Pause())
	// Its time runs out: that of the claim and that of the write lock. The keys are those that the packages document.
	c := b.redis.Client(t)
	b.ok(c.ZAddXX(b.Context(), b.Prefix+":inflight", redis.Z{Score: 1, Member: b.projectOf()}).Err())
	b.ok(c.PExpire(b.Context(), b.Prefix+":write:"+b.projectOf(), time.Millisecond).Err())

	// A message that its last read has still fetched would wait a minute for the next daemon.
	b.eventually(func() error {
		if n := b.info("clients", "blocked_clients"); n != "0" {
			return fmt.Errorf("%s clients wait for messages", n)
		}
		return nil
	})
	b.tree(0, 30, 2, 25)
	b.remove(e2etest.SourceName(59))
	b.enqueue()
	d := b.daemon("--allow-root", b.root, "--reconcile-interval", "10m")
	b.settled()
	b.fresh(questions(0, 60)[25:35]...)

	before, err := b.Project(b.root)
	b.ok(err)
	goOn()
	b.ok(stopped.Resume())
	b.eventually(func() error {
		if !stopped.Logged("lost") {
			return errors.New("the stopped daemon does not notice")
		}
		return nil
	})
	b.settled()
	b.fresh(questions(0, 60)[25:35]...)
	if p, err := b.Project(b.root); err != nil || p.Files != before.Files || p.Chunks != before.Chunks {
		b.Errorf("late writes: %+v, then %+v, %v", before, p, err)
	}
	if left := b.leftovers(); left != "" {
		b.Error(left)
	}
	b.ok(d.Stop(10*time.Second + slack))
	b.ok(stopped.Stop(10*time.Second + slack))
}

func TestAnIndexThatCannotGrowItsFilesIsOneErrorAndLosesNothing(t *testing.T) {
	t.Parallel()
	b := newBundle(t, nil)
	b.tree(0, 60, 0, 40)
	full := 0
	for _, blocks := range []int{0, 1, 2, 8, 32, 100, 300} {
		b.fullDisk(&full, func(name string, args ...string) (*e2etest.Result, error) {
			return b.Limited(blocks, name, args...)
		})
	}
	if full == 0 {
		b.Error("no write failed")
	}
	b.index()
	b.fresh(questions(0, 6)...)
}

// fullDisk runs index, query and enqueue where they may fail to write.
func (b *bundle) fullDisk(full *int, run func(name string, args ...string) (*e2etest.Result, error)) {
	b.Helper()
	for _, args := range [][]string{{"indexer", "index", b.root}, {"indexer", "enqueue", b.root},
		{"retriever", "query", e2etest.Question(3), "--root", b.root, "--deadline", patient}} {
		r, err := run(args[0], args[1:]...)
		b.ok(err)
		switch {
		case r.Code == 2:
			*full++
			if strings.Count(r.Err, "error: ") != 1 {
				b.Errorf("want one error: %v", r)
			}
		case args[0] == "retriever" && r.Code == 0 && !strings.Contains(r.Out, e2etest.SourceName(3)):
			b.Errorf("a wrong answer: %v", r)
		case args[0] == "indexer" && r.Code != 0:
			b.Errorf("exit 0 or 2: %v", r)
		}
	}
}

func TestAnyStateFileMayBeDamaged(t *testing.T) {
	t.Parallel()
	b := newBundle(t, nil)
	b.tree(0, 12, 0, 20)
	d := b.daemon("--watch", b.root)
	b.finds(e2etest.Question(11), e2etest.SourceName(11))
	b.settled()
	d.Kill() // no tidy end
	b.write(e2etest.SourceName(5), e2etest.Source(5, 1, 30))
	good := filepath.Join(b.Dir, "good")
	b.ok(os.CopyFS(good, os.DirFS(b.State())))
	var files []string
	b.ok(filepath.WalkDir(good, func(file string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			files = append(files, strings.TrimPrefix(file, good))
		}
		return err
	}))
	if !slices.Contains(files, "/queue.db") || len(files) < 5 {
		b.Fatalf("state files: %q", files)
	}
	noise := bytes.Repeat([]byte("\x00\xff\x13contextd\x01"), 400)
	harms := map[string]func([]byte) []byte{
		"overwritten": func(old []byte) []byte { return noise[:min(len(noise), max(64, len(old)))] },
		"cut in half": func(old []byte) []byte { return old[:len(old)/2] },
		"emptied":     func([]byte) []byte { return nil },
		"newer": func(old []byte) []byte { // a format of the future, as far as a byte near the start tells it
			out := bytes.Clone(old)
			if len(out) > 12 {
				out[8], out[9] = 0xfe, 0xca
			}
			return out
		},
	}
	for _, file := range files {
		for name, harm := range harms {
			when := file + " " + name
			b.ok(os.RemoveAll(b.State()))
			b.ok(os.CopyFS(b.State(), os.DirFS(good)))
			data, err := os.ReadFile(b.State() + file)
			b.ok(err)
			b.ok(os.WriteFile(b.State()+file, harm(data), 0o600))
			if r := b.ask(e2etest.Question(3), "--deadline", patient); !r.Has(e2etest.SourceName(3)) {
				b.Errorf("%s: %s %q, %d results", when, r.Status, r.Reasons, len(r.Results))
			}
			if r, err := b.Exec("indexer", "enqueue", b.root); err != nil || r.Code != 0 {
				b.Errorf("%s: enqueue: %v, %v", when, r, err)
			}
		}
	}
	for _, file := range files { // and with a daemon
		b.ok(os.RemoveAll(b.State()))
		b.ok(os.CopyFS(b.State(), os.DirFS(good)))
		b.ok(os.WriteFile(b.State()+file, noise, 0o600))
		d := b.daemon("--watch", b.root)
		if err := b.Finds(soon, b.root, e2etest.Question(5), e2etest.SourceName(5)); err != nil {
			b.Errorf("%s overwritten, with a daemon: %v", file, err)
		}
		b.ok(d.Stop(10*time.Second + slack))
	}
}

func TestADaemonWhoseStateDirectoryGoesMakesItAgain(t *testing.T) {
	t.Parallel()
	b := newBundle(t, nil)
	b.tree(0, 12, 0, 20)
	d := b.daemon("--watch", b.root, "--reconcile-interval", "1s")
	b.finds(e2etest.Question(11), e2etest.SourceName(11))
	b.ok(os.RemoveAll(b.State()))
	b.write(e2etest.SourceName(5), e2etest.Source(5, 1, 30))
	b.finds(e2etest.Question(5), e2etest.SourceName(5))
	b.settled()
	b.fresh(questions(0, 12)...)
	b.ok(d.Stop(10*time.Second + slack))
}

func TestARootThatGoesAndComesBackIsIndexedAgain(t *testing.T) {
	both(t, func(b *bundle) {
		b.tree(0, 12, 0, 20)
		d := b.daemon("--watch", b.root, "--reconcile-interval", "1s")
		b.finds(e2etest.Question(11), e2etest.SourceName(11))
		b.settled()
		away := b.root + "-away"
		b.ok(os.Rename(b.root, away))
		b.eventually(func() error {
			s, err := b.Status()
			if err == nil && (len(s.Projects) != 1 || !s.Projects[0].Stale || s.Projects[0].Files != 12) {
				err = fmt.Errorf("%+v", s.Projects)
			}
			return err
		})
		b.ok(os.Rename(away, b.root))
		b.write(e2etest.SourceName(5), e2etest.Source(5, 1, 30))
		b.fresh(questions(0, 12)...)
		b.eventually(func() error {
			if p, err := b.Project(b.root); err != nil || p.Stale {
				return fmt.Errorf("%+v, %v", p, err)
			}
			return nil
		})
		b.ok(d.Stop(10*time.Second + slack))
	})
}
