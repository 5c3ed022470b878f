package searchtest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
)

var nextAnswers = []test{
	{"a version built in slices beside random changes answers as a fresh one", nextRandom},
	{"nothing of an unfinished next version is found", nextHidden},
	{"a file without vectors is found by its words among files with vectors", bareFile},
}

func nextHidden(t *testing.T, s *store) {
	s.put(harbour()...)
	secret := Doc("secret/next.go", "go", "@Zeppelin zeppelin")
	s.slice(nextSpec(), append(harbour()[:2], secret)...)
	q := search.Query{Words: words("zeppelin"), Vector: secret.Vectors[0], Files: 1}
	if got := paths(s.nominate(q)); slices.Contains(got, secret.Entry.Path) {
		t.Errorf("nominated %q", got)
	}
	if st := s.nominate(q).Stats; st.Files != len(harbour()) || st.DF[0] != 0 {
		t.Errorf("stats %+v count the next version", st)
	}
	snap := s.snapshot(project)
	s.change(nextSpec(), []search.Document{secret})
	s.ask(snap, q) // a reader of the old version goes on
	s.finds("after the switch", q, secret.Entry.Path)
}

func bareFile(t *testing.T, s *store) {
	bare := Doc("bare.go", "go", "@Zeppelin zeppelin", "airship")
	bare.Vectors = nil
	bare.Entry.Detail = "stand-in"
	s.put(append(harbour(), bare)...)
	s.finds("by a word", search.Query{Words: words("airship")}, "bare.go")
	e, ok, err := s.snapshot(project).Entry(s.ctx(), "bare.go")
	if !ok || err != nil || e != bare.Entry {
		t.Errorf("entry %+v, %v, %v", e, ok, err)
	}
	n := s.nominate(search.Query{Words: words("airship"), Vector: harbour()[0].Vectors[0]})
	for _, c := range n.Files {
		if c.Entry.Path == "bare.go" && len(c.Cosines) > 0 && (c.Cosines[0] != 0 || c.Cosines[1] != 0) {
			t.Errorf("cosines %v of a file without vectors", c.Cosines)
		}
	}
	whole := Doc("bare.go", "go", "@Zeppelin zeppelin", "airship")
	s.put(whole)
	s.finds("by its vector", search.Query{Vector: whole.Vectors[1], Files: 1}, "bare.go")
	for range 12 { // enough commits for a merge
		s.put(bare)
		s.put(whole)
	}
	s.finds("by its vector after merges", search.Query{Vector: whole.Vectors[0], Files: 1}, "bare.go")
}

// nextRandom changes a project at random while its next version is built in slices, each of which brings some files
// nearer to what they are now; then the next version is made equal and switched to.
func nextRandom(t *testing.T, s *store) {
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 11))
		sp := spec()
		sp.Project = fmt.Sprintf("sliced-%d", seed)
		now := map[code.Path]search.Document{}
		for range 20 {
			w := s.writer(sp)
			for range 1 + r.IntN(8) {
				p := fmt.Sprintf("d%d/f%d.go", r.IntN(3), r.IntN(12))
				if r.IntN(4) == 0 {
					s.ok("delete", w.Delete(s.ctx(), p))
					delete(now, p)
				} else {
					now[p] = randomDoc(r, p)
					s.ok("put", w.Put(s.ctx(), now[p]))
				}
			}
			s.commit(w, true)
			s.ok("close", w.Close())
			n := sp
			n.Next, n.Model = true, nextSpec().Model
			s.approach(n, now, 1+r.IntN(4), false)
		}
		n := sp
		n.Next, n.Model = true, nextSpec().Model
		s.approach(n, now, 1<<30, true)
		docs := slices.Collect(maps.Values(now))
		fresh := sp
		fresh.Project, fresh.Model = fmt.Sprintf("fresh-%d", seed), n.Model
		s.change(fresh, docs)
		a, b := s.snapshot(sp.Project), s.snapshot(fresh.Project)
		if pa, pb := a.Project(), b.Project(); pa.Files != pb.Files || pa.Chunks != pb.Chunks || pa.Bytes != pb.Bytes || pa.Model != pb.Model {
			t.Fatalf("sliced %+v, fresh %+v", pa, pb)
		}
		for range 30 {
			q := randomQuery(r)
			compare(t, q, s.ask(a, q), s.ask(b, q))
		}
	}
}

// approach brings at most n files of a version to what they are now.
func (s *store) approach(sp search.Spec, now map[code.Path]search.Document, n int, complete bool) {
	s.t.Helper()
	w := s.writer(sp)
	have := map[code.Path]search.Entry{}
	for _, e := range w.Entries() {
		have[e.Path] = e
		if _, ok := now[e.Path]; !ok {
			s.ok("delete", w.Delete(s.ctx(), e.Path))
		}
	}
	for p, d := range now {
		if e, ok := have[p]; n > 0 && (!ok || e != d.Entry) {
			s.ok("put", w.Put(s.ctx(), d))
			n--
		}
	}
	s.commit(w, complete)
	s.ok("close", w.Close())
}
