//go:build unix

package e2e

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/e2e/e2etest"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
)

// The trees before and after the write that dies, each with what is true of it and false of the other.
func (b *bundle) oldTree() {
	b.Helper()
	b.ok(os.RemoveAll(b.root))
	b.tree(0, 6, 0, 20)
}

func (b *bundle) newTree() {
	b.Helper()
	b.write(e2etest.SourceName(0), e2etest.Source(0, 1, 24))
	b.write(e2etest.SourceName(1), e2etest.Source(1, 1, 120)) // several chunks
	b.remove(e2etest.SourceName(2))
	b.rename(e2etest.SourceName(3), "pkg0/renamed.py")
	b.tree(6, 8, 0, 20)
}

// dies runs a command, or a daemon, until its n-th command to Redis, and kills it before that is delivered. It reports
// what was delivered, and whether the process came so far. done tells that it has no more to do.
func (b *bundle) dies(n int, done func() error, command string, args ...string) (seen []string, died bool) {
	b.Helper()
	ctx, kill := context.WithCancel(b.Context())
	defer kill()
	var p *e2etest.Proxy
	ended := make(chan struct{})
	p, err := e2etest.NewProxy(b.Redis, func(i int, _ []byte) bool { return i == n }, func() bool {
		kill()
		<-ended
		return false
	})
	b.ok(err)
	defer p.Close()
	through := b.Through(p.URL, "through")
	go func() {
		defer close(ended)
		_, err = through.ExecContext(ctx, command, args...)
	}()
	if done == nil {
		<-ended
	} else if e2etest.Eventually(soon, func() error {
		if p.Cut() {
			return nil
		}
		return done()
	}) != nil {
		b.Fatalf("no end of the work with the line cut after %d commands; delivered %q", n, p.Seen())
	}
	kill()
	<-ended
	if !p.Cut() && done == nil {
		b.ok(err)
	}
	return p.Seen(), p.Cut()
}

// sound wants, of an index that was left in mid-write, only answers that are true of the disk as it is now.
func (b *bundle) sound(when string) {
	b.Helper()
	disk, err := e2etest.NewDisk(b.root)
	b.ok(err)
	for _, i := range []int{0, 1, 3} {
		began := time.Now()
		r := b.ask(e2etest.Question(i), "--deadline", patient, "--min-relevance", "0", "--max-chars", "2000",
			"--max-bytes", "20000")
		for _, s := range r.Results {
			if err := disk.Prove(s, began); err != nil {
				b.Errorf("%s: %v", when, err)
			}
		}
		if len(r.Results) == 0 && r.Status != "degraded" {
			b.Errorf("%s: %q finds nothing: %+v", when, e2etest.Question(i), r)
		}
	}
}

func TestAnIndexKilledAtAnyCommandIsSoundAndIsCompleted(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"update", "first", "full"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			b := newBundle(t, rdbtest.Own(t, rdbtest.Search))
			b.oldTree()
			qs := append(questions(0, 4), e2etest.Question(7))
			var want e2etest.Picture
			for n, deaths := 0, 0; ; n++ {
				b.Prefix = fmt.Sprintf("at%d", n)
				b.oldTree()
				if kind != "first" {
					b.index()
				}
				b.newTree()
				args := []string{"index", b.root}
				if kind == "full" {
					args = append(args, "--full")
				}
				seen, died := b.dies(n, nil, "indexer", args...)
				when := fmt.Sprintf("killed after %d commands (%q)", len(seen), seen[max(0, len(seen)-2):])
				if died {
					deaths++
					if kind != "first" {
						b.sound(when)
					}
					b.index()
				}
				got, err := b.Picture(b.root, qs)
				b.ok(err)
				if want == nil {
					fresh := b.Twin()
					_, err := fresh.Index(b.root)
					b.ok(err)
					want, err = fresh.Picture(b.root, qs)
					b.ok(err)
				}
				if diff := got.Differs(want); diff != "" {
					b.Errorf("%s: the next run does not make it whole: %s", when, diff)
				}
				if !died {
					if deaths < 8 {
						b.Errorf("only %d deaths, of %q", deaths, seen)
					}
					b.Logf("%d deaths", deaths)
					return
				}
				if left := b.leftovers(); left != "" {
					b.Errorf("%s: %s", when, left)
				}
				b.Forget()
				if keys := b.keys("*"); len(keys) > 0 {
					b.Errorf("%s: a reset leaves %q", when, keys)
				}
			}
		})
	}
}

// leftovers tells of builds and chunks that nothing lists; "" if there are none.
func (b *bundle) leftovers() string {
	b.Helper()
	p, err := b.Project(b.root)
	b.ok(err)
	if n := len(b.keys("c:*")); n != p.Chunks {
		return fmt.Sprintf("%d hashes for %d chunks", n, p.Chunks)
	}
	for _, kind := range []string{"f:*", "b:*", "n:*"} {
		if n := len(b.keys(kind)); n > 1 {
			return fmt.Sprintf("%d keys %s", n, kind)
		}
	}
	return ""
}

func TestADaemonKilledAtAnyCommandLosesNoChange(t *testing.T) {
	t.Parallel()
	b := newBundle(t, rdbtest.Own(t, rdbtest.Search))
	for n, step := 0, 3; ; n += step {
		b.Prefix = fmt.Sprintf("at%d", n)
		b.oldTree()
		b.index()
		b.newTree()
		b.enqueue()
		done := func() error {
			p, err := b.Project(b.root)
			if err == nil && (p.Pending > 0 || p.Generation < 2) {
				err = fmt.Errorf("%+v", p)
			}
			return err
		}
		seen, died := b.dies(n, done, "indexer", "run", "--listen", "127.0.0.1:0", "--allow-root", b.root)
		when := fmt.Sprintf("killed after %d commands (%q)", len(seen), seen[max(0, len(seen)-2):])
		b.sound(when)
		if died {
			d := b.daemon("--allow-root", b.root, "--reconcile-interval", "10m")
			if err := e2etest.Eventually(soon, done); err != nil {
				b.Fatalf("%s: not completed: %v", when, err)
			}
			d.Kill()
		}
		b.fresh(append(questions(0, 4), e2etest.Question(7))...)
		b.Forget()
		if !died {
			return
		}
	}
}
