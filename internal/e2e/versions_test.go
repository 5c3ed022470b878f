//go:build unix

package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/e2e/e2etest"
)

// rebuilt waits until the index of the root is of a model, and none is being built.
func (b *bundle) rebuilt(model string) {
	b.Helper()
	b.rebuiltAt(b.root, model)
	b.settled()
}

// rebuiltAt waits until the index of a root is of a model, and none is being built.
func (b *bundle) rebuiltAt(root, model string) {
	b.Helper()
	b.eventually(func() error {
		p, err := b.Project(root)
		if err == nil && (!strings.HasPrefix(p.Model, model) || p.Next != nil) {
			err = fmt.Errorf("not rebuilt: %+v, next %+v", p, p.Next)
		}
		return err
	})
}

// building waits until a next version of a model has at least so many files.
func (b *bundle) building(model string, files int) e2etest.Project {
	b.Helper()
	var p e2etest.Project
	b.eventually(func() (err error) {
		p, err = b.Project(b.root)
		if err == nil && (p.Next == nil || !strings.HasPrefix(p.Next.Model, model) || p.Next.Files < files) {
			err = fmt.Errorf("no next version of %d files: %+v, next %+v", files, p, p.Next)
		}
		return err
	})
	return p
}

// indexed waits until path answers a question from the index, not from an analysis of what changed.
func (b *bundle) indexed(question, path string) {
	b.Helper()
	b.eventually(func() error {
		r, err := b.Query(b.root, question, "--deadline", patient)
		if err != nil {
			return err
		}
		for _, s := range r.Results {
			if s.Path == path && s.Freshness == "indexed" {
				return nil
			}
		}
		return fmt.Errorf("%q is not indexed: %s %q %+v", path, r.Status, r.Reasons, r.Results)
	})
}

func TestChangesAreSearchableWhileASlowEmbedderRebuilds(t *testing.T) {
	both(t, func(b *bundle) {
		const files = 900 // some 34 are under way at a time: a minute
		b.tree(0, files, 0, 12)
		before := b.index("--embedder", "static")
		e := b.withEmbedder()
		e.mode.Store("slow")
		b.daemon("--watch", b.root)
		p := b.building("openai/", 1)
		if !strings.HasPrefix(p.Model, "static/") || p.Files != files || p.Generation != before.Generation {
			b.Errorf("while the next version is built: %+v", p)
		}
		b.write(e2etest.SourceName(5000), e2etest.Source(5000, 0, 12))
		b.write(e2etest.SourceName(7), e2etest.Source(7, 3, 14))
		b.remove(e2etest.SourceName(8))
		began := time.Now()
		b.indexed(e2etest.Question(5000), e2etest.SourceName(5000))
		b.Logf("a new file is searchable after %v", time.Since(began).Round(time.Millisecond))
		b.indexed(e2etest.Question(7), e2etest.SourceName(7))
		b.eventually(func() error {
			p, err := b.Project(b.root)
			if err == nil && p.Generation == before.Generation {
				err = fmt.Errorf("no new generation: %+v", p)
			}
			return err
		})
		if p, err := b.Project(b.root); err != nil || p.Next == nil || !strings.HasPrefix(p.Model, "static/") ||
			p.Stale {
			b.Errorf("the rebuild did not last until the changes were searchable: nothing is shown: %+v, %v", p, err)
		}
		if r, err := b.Exec("indexer", "doctor"); err != nil || !strings.Contains(r.Out, "being rebuilt") {
			b.Errorf("doctor does not tell of it: %v, %v", r, err)
		}
		e.mode.Store("up")
		b.rebuilt("openai/")
		for _, i := range []int{3, 7, 5000, files - 1} {
			b.whole(b.ask(e2etest.Question(i), "--deadline", patient), e2etest.SourceName(i))
		}
		b.fresh(append(questions(0, 12), e2etest.Question(5000))...)
	})
}

func TestAChangeWaitsForNoServerThatHangsInARebuild(t *testing.T) {
	both(t, func(b *bundle) {
		b.tree(0, 400, 0, 12)
		b.index("--embedder", "static")
		e := b.withEmbedder()
		e.mode.Store("slow")
		b.daemon("--watch", b.root)
		b.building("openai/", 1)
		e.mode.Store("hangs")
		time.Sleep(2 * slowness) // what was only slow is answered
		gaveUp := e.gaveUp.Load()
		b.write(e2etest.SourceName(5000), e2etest.Source(5000, 0, 12))
		began := time.Now()
		b.indexed(e2etest.Question(5000), e2etest.SourceName(5000))
		b.Logf("a new file is searchable after %v", time.Since(began).Round(time.Millisecond))
		if n := e.gaveUp.Load() - gaveUp; n > 0 {
			b.Errorf("the change waited until %d requests had failed", n)
		}
		e.mode.Store("up")
	})
}

func TestARebuildThatIsKilledIsGoneOnWithAndEmbedsNothingAgain(t *testing.T) {
	both(t, func(b *bundle) {
		b.tree(0, 400, 0, 12)
		b.index("--embedder", "static")
		e := b.withEmbedder()
		e.mode.Store("slow")
		d := b.daemon("--watch", b.root)
		b.building("openai/", 60)
		d.Kill()
		e.mu.Lock()
		sent := len(e.texts)
		e.mu.Unlock()
		p, err := b.Project(b.root)
		b.ok(err)
		if p.Next == nil || p.Next.Files < 60 || !strings.HasPrefix(p.Model, "static/") || p.Files != 400 {
			b.Fatalf("after the kill: %+v, next %+v", p, p.Next)
		}
		// The rest of the rebuild waits in the queue, which may be changes.
		if r := b.ask(e2etest.Question(3), "--no-index", "--deadline", patient); r.Status != "ok" ||
			len(r.Results) == 0 || r.Results[0].Path != e2etest.SourceName(3) {
			b.Errorf("between two daemons: %+v", r)
		}
		e.mode.Store("up")
		b.daemon("--watch", b.root)
		b.rebuilt("openai/")
		again := 0
		e.mu.Lock()
		for _, n := range e.texts {
			again += min(n-1, 1)
		}
		e.mu.Unlock()
		if lost := sent - p.Next.Chunks + 1; again > lost { // one of those sent is the probe
			b.Errorf("%d texts were embedded again; %d were sent, %d of them kept", again, sent, p.Next.Chunks)
		}
		b.whole(b.ask(e2etest.Question(3), "--deadline", patient), e2etest.SourceName(3))
		b.fresh(questions(0, 12)...)
	})
}

// forgetVectors removes the vectors that indexes of the store share.
func (b *bundle) forgetVectors() {
	b.Helper()
	if b.redis != nil {
		b.do("DEL", b.Prefix+":vectors", b.Prefix+":vectors:old")
		return
	}
	b.ok(os.Remove(filepath.Join(b.State(), "vectors.db")))
}

func TestAFullIndexBesideADaemonHoldsUpNoChange(t *testing.T) {
	both(t, func(b *bundle) {
		const files = 900
		b.tree(0, files, 0, 12)
		e := b.withEmbedder()
		b.daemon("--watch", b.root)
		b.rebuilt("openai/")
		// On a loaded machine the full index may end before the change is even looked at: then nothing is shown, and it
		// is tried again.
		for try := range 4 {
			if b.changesBesideFull(e, 5000+try) {
				b.fresh(append(questions(0, 8), e2etest.Question(5000+try))...)
				return
			}
		}
		b.Error("each full index ended before the change beside it was searchable")
	})
}

// changesBesideFull adds a source file while a slow "index --full" is at work, waits until it is searchable, and
// reports whether the full index was still at work then. It waits for its end.
func (b *bundle) changesBesideFull(e *embedder, file int) (shown bool) {
	b.Helper()
	p, err := b.Project(b.root)
	b.ok(err)
	b.forgetVectors() // else the full index asks the embedder for nothing
	e.mode.Store("slow")
	ended := make(chan error, 1)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go func() {
		r, err := b.ExecContext(ctx, "indexer", "index", b.root, "--full")
		if err == nil && r.Code != 0 {
			err = fmt.Errorf("%v", r)
		}
		ended <- err
	}()
	b.building("openai/", 1)
	b.write(e2etest.SourceName(file), e2etest.Source(file, 0, 12))
	b.indexed(e2etest.Question(file), e2etest.SourceName(file))
	shown = len(ended) == 0
	e.mode.Store("up")
	select {
	case err := <-ended:
		if err != nil {
			b.Errorf("index --full: %v", err)
		}
	case <-time.After(soon):
		b.Fatal("index --full does not end")
	}
	b.rebuilt("openai/")
	if now, err := b.Project(b.root); err != nil || now.Generation != p.Generation+1 || now.Files != p.Files+1 {
		b.Errorf("%+v, was %+v, %v", now, p, err)
	}
	return shown
}
