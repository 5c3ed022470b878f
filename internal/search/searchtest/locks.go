package searchtest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/search"
)

var lockTests = []test{
	{"one writer a project, and the other is told who", oneWriter},
	{"a writer waits for the one before it", waitForLock},
	{"a wait ends with its context", waitCancelled},
	{"different projects are written at once", otherProjects},
	{"readers on other handles see a file as it was or as it is", readersAndWriter},
}

func isLocked(t *testing.T, err error) {
	t.Helper()
	var locked *search.LockedError
	if !errors.As(err, &locked) {
		t.Fatalf("got %v, want a LockedError", err)
	}
	if locked.Project != project || locked.Holder == "" {
		t.Errorf("%+v, want project %q and a holder", locked, project)
	}
}

func oneWriter(t *testing.T, s *store) {
	s.put(harbour()...)
	w := s.writer(spec())
	sp := spec()
	sp.Wait = 0
	for _, ix := range []search.Index{s.Index, s.handle()} {
		_, err := ix.Writer(s.ctx(), sp)
		isLocked(t, err)
		sp.Wait = time.Millisecond
		_, err = ix.Writer(s.ctx(), sp)
		isLocked(t, err)
		isLocked(t, ix.Remove(s.ctx(), project, 0))
		// Reading and notes go on.
		snap, err := ix.Open(s.ctx(), project)
		s.ok("open", err)
		s.ok("close", snap.Close())
		s.ok("fail", ix.Fail(s.ctx(), project, "x"))
		s.ok("confirm", ix.Confirm(s.ctx(), project, time.Now()))
	}
	s.ok("close", w.Close())
	s.ok("close", s.writer(sp).Close())
}

func waitForLock(t *testing.T, s *store) {
	other := s.handle()
	w := s.writer(spec())
	got := make(chan error, 1)
	go func() {
		w, err := other.Writer(context.Background(), spec())
		if err == nil {
			if len(w.Entries()) != len(harbour()) {
				err = errors.New("the second writer does not see what the first has committed")
			}
			err = errors.Join(err, w.Close())
		}
		got <- err
	}()
	for _, d := range harbour() {
		s.ok("put", w.Put(s.ctx(), d))
	}
	s.commit(w, true)
	s.ok("close", w.Close())
	s.ok("the second writer", <-got)
}

func waitCancelled(t *testing.T, s *store) {
	w := s.writer(spec())
	ctx, cancel := context.WithCancel(s.ctx())
	got := make(chan error, 1)
	go func() {
		sp := spec()
		sp.Wait = time.Hour
		_, err := s.Index.Writer(ctx, sp)
		got <- err
	}()
	cancel()
	if err := <-got; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	s.ok("close", w.Close())
}

func otherProjects(t *testing.T, s *store) {
	w := s.writer(spec())
	sp := spec()
	sp.Project, sp.Wait = "other", 0
	s.change(sp, harbour())
	s.ok("close", w.Close())
}

func readersAndWriter(t *testing.T, s *store) {
	const files, rounds = 12, 25
	doc := func(file, round int) search.Document {
		return Doc(numbered(file)+".go", "go", "@"+numbered(file)+" common", numbered(round))
	}
	valid := map[string]bool{}
	var all []search.Document
	for f := range files {
		all = append(all, doc(f, 0))
		for r := range rounds {
			d := doc(f, r)
			valid[d.Entry.Path+d.Entry.Hash.String()] = true
		}
	}
	s.put(all...)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 3 {
		ix := s.handle()
		wg.Go(func() {
			for last := int64(0); ; {
				select {
				case <-stop:
					return
				default:
				}
				snap, err := ix.Open(context.Background(), project)
				if err != nil {
					t.Errorf("open while it is written: %v", err)
					return
				}
				if g := snap.Project().Generation; g < last {
					t.Errorf("generation %d after %d", g, last)
				} else {
					last = g
				}
				n, err := snap.Nominate(context.Background(), search.Query{Words: words("common"), Vector: vectorOf("x")})
				if err != nil {
					t.Errorf("nominate while it is written: %v", err)
					_ = snap.Close()
					return
				}
				for _, c := range n.Files {
					if !valid[c.Entry.Path+c.Entry.Hash.String()] {
						t.Errorf("%q is nominated with a hash that it never had", c.Entry.Path)
					}
				}
				if err := snap.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			}
		})
	}
	for r := 1; r < rounds; r++ {
		s.put(doc(r%files, r), doc((r+5)%files, r))
	}
	close(stop)
	wg.Wait()
}
