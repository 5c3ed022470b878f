package searchtest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
	"github.com/contextd/contextd/internal/search"
)

var randomTests = []test{
	{"an index reached by random changes answers as a fresh one", incremental},
}

// incremental edits a project at random in many commits, then builds another from what is left and asks both.
func incremental(t *testing.T, s *store) {
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 7))
		id := fmt.Sprintf("edited-%d", seed)
		sp := spec()
		sp.Project = id
		now := map[code.Path]search.Document{}
		for range 20 {
			var changes []code.Path
			for range 1 + r.IntN(12) {
				changes = append(changes, fmt.Sprintf("d%d/f%d.go", r.IntN(3), r.IntN(15)))
			}
			named := sp
			if r.IntN(2) == 0 {
				named.Paths = changes
			}
			w := s.writer(named)
			for _, p := range changes {
				switch {
				case r.IntN(4) == 0:
					s.ok("delete", w.Delete(s.ctx(), p))
					delete(now, p)
				case r.IntN(8) == 0:
					s.ok("touch", w.Touch(s.ctx(), skipped(p, code.Generated, "")))
					delete(now, p)
				default:
					now[p] = randomDoc(r, p)
					s.ok("put", w.Put(s.ctx(), now[p]))
				}
			}
			if r.IntN(5) > 0 {
				s.commit(w, r.IntN(2) == 0)
			}
			for p := range now { // what was not committed is done again: by the whole, as a walk would
				s.ok("put", w.Put(s.ctx(), now[p]))
				break
			}
			s.commit(w, true)
			s.ok("close", w.Close())
		}
		docs := slices.Collect(maps.Values(now))
		fresh := sp
		fresh.Project = fmt.Sprintf("fresh-%d", seed)
		s.change(fresh, docs)
		a, b := s.snapshot(id), s.snapshot(fresh.Project)
		if pa, pb := a.Project(), b.Project(); pa.Files != pb.Files || pa.Chunks != pb.Chunks || pa.Bytes != pb.Bytes {
			t.Fatalf("edited %+v, fresh %+v", pa, pb)
		}
		for range 30 {
			q := randomQuery(r)
			compare(t, q, s.ask(a, q), s.ask(b, q))
			if got, want := s.ask(a, q).Stats, statsOf(docs, q.Words); !slices.Equal(got.DF, want.DF) || got.Lens != want.Lens {
				t.Errorf("stats %+v, want %+v", got, want)
			}
		}
	}
}

func randomDoc(r *rand.Rand, p code.Path) search.Document {
	var chunks []string
	for range r.IntN(4) {
		var b strings.Builder
		for range 1 + r.IntN(8) {
			b.WriteString([]string{"", "#", "@"}[r.IntN(3)] + "w" + fmt.Sprint(min(r.IntN(30), r.IntN(30))) + " ")
		}
		chunks = append(chunks, b.String())
	}
	return Doc(p, []string{"go", "python"}[r.IntN(2)], chunks...)
}

func randomQuery(r *rand.Rand) search.Query {
	var q search.Query
	for i := range r.IntN(4) {
		q.Words = append(q.Words, lexical.Word(fmt.Sprintf("w%d", i*10+r.IntN(10))))
	}
	switch r.IntN(3) {
	case 0:
		q.Names = []code.Term{lexical.Name(fmt.Sprintf("w%d", r.IntN(30))), fileName(fmt.Sprintf("f%d", r.IntN(15)))}
	case 1:
		q.Langs = []string{"python"}
	}
	if r.IntN(3) == 0 {
		q.Globs = []string{fmt.Sprintf("d%d/**", r.IntN(3))}
	}
	return q
}

// compare checks that two replies agree in all but their order.
func compare(t *testing.T, q search.Query, a, b *search.Nominees) {
	t.Helper()
	if pa, pb := paths(a), paths(b); !slices.Equal(pa, pb) {
		t.Errorf("query %+v: edited %q, fresh %q", q, pa, pb)
		return
	}
	if a.Stats.Files != b.Stats.Files || a.Stats.Chunks != b.Stats.Chunks || a.Stats.Lens != b.Stats.Lens || !slices.Equal(a.Stats.DF, b.Stats.DF) {
		t.Errorf("query %+v: edited %+v, fresh %+v", q, a.Stats, b.Stats)
	}
	for _, ca := range a.Files {
		cb := b.Files[slices.IndexFunc(b.Files, func(c search.Candidate) bool { return c.Entry.Path == ca.Entry.Path })]
		if ca.Entry != cb.Entry || ca.Features != cb.Features {
			t.Errorf("query %+v: %q differs", q, ca.Entry.Path)
		}
	}
}
