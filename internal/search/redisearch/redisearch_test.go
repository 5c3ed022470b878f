package redisearch

import (
	"context"
	"testing"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/search/blob"
)

func TestWordsNamesAndVectorsNominate(t *testing.T) {
	t.Parallel()
	x, _ := newIndex(t, rdbtest.Search)
	p := put(t, x, search.Spec{},
		source("auth/jwt.go", "func VerifyToken(raw string) error", "claims and signature"),
		source("web/server.py", "def serve(port)", "route requests to handlers"),
		source("empty.go"))
	if p.Generation != 1 || p.Files != 3 || p.Chunks != 4 || p.Epoch == "" || p.IndexedAt.IsZero() {
		t.Errorf("record: %+v", p)
	}
	paths, n := ask(t, x, query("signature"))
	want(t, "word", paths, "auth/jwt.go")
	if n.Partial || n.NoVector || n.Stats.DF[0] != 1 || n.Stats.Chunks != 4 || n.Stats.Files != 3 || n.Stats.Lens[code.Body] == 0 {
		t.Errorf("nominees: %+v", n)
	}
	if n.Files[0].Cosines != nil {
		t.Error("cosines without a vector leg")
	}
	f, err := blob.DecodeFeatures(n.Files[0].Features)
	if err != nil || len(f.Chunks) != 2 {
		t.Errorf("features: %+v, %v", f, err)
	}
	q := query("verify_token")
	q.Words = nil
	paths, _ = ask(t, x, q)
	want(t, "name", paths, "auth/jwt.go")
	q = query("server")
	q.Words = nil
	paths, _ = ask(t, x, q)
	want(t, "stem", paths, "web/server.py")

	q = search.Query{Vector: vectorOf("route requests to handlers", dims), Files: 1}
	paths, n = ask(t, x, q)
	want(t, "vector", paths, "web/server.py")
	if c := n.Files[0].Cosines; len(c) != 2 || c[1] < 0.999 || c[0] > 0.9 {
		t.Errorf("cosines: %v", c)
	}
	paths, n = ask(t, x, search.Query{})
	want(t, "empty query", paths)
	if n.Stats.Chunks != 4 {
		t.Errorf("stats of an empty query: %+v", n.Stats)
	}
	paths, n = ask(t, x, search.Query{Words: query("route").Words, Vector: []float32{1}})
	want(t, "vector of another length", paths, "web/server.py")
	if !n.NoVector {
		t.Error("a vector of another length is not told")
	}
}

func TestStoredTermsAreNeitherExpandedNorStopped(t *testing.T) {
	t.Parallel()
	x, _ := newIndex(t, rdbtest.Search)
	doc := source("a.go", "one")
	doc.File.Chunks[0].Terms = nil
	for _, word := range []string{"run", "the", ") | (*", "as", "inf"} {
		doc.File.Chunks[0].Terms = append(doc.File.Chunks[0].Terms, code.TermFreq{Term: lexical.Word(word), TF: [code.NumFields]uint16{1}})
	}
	put(t, x, search.Spec{}, doc)
	term := func(s ...string) (q search.Query) {
		for _, s := range s {
			q.Words = append(q.Words, lexical.Word(s))
		}
		return q
	}
	for _, tc := range []struct {
		q    search.Query
		df   int
		want []string
	}{
		{term("run"), 1, []string{"a.go"}},
		{term("running"), 0, nil},
		{term("runs"), 0, nil},
		{term("the"), 1, []string{"a.go"}},
		{term("as"), 1, []string{"a.go"}},
		{term("inf"), 1, []string{"a.go"}},
		{term(") | (*"), 1, []string{"a.go"}},
		{term("*"), 0, nil},
		{term("@fid:{f00}"), 0, nil},
		{term("run)=>[KNN 1 @vec $v]"), 0, nil},
		{term("-run"), 0, nil},
		{term("Run"), 0, nil},
		{term(""), 0, nil},
	} {
		paths, n := ask(t, x, tc.q)
		want(t, tc.q.Words[0].Text, paths, tc.want...)
		if n.Stats.DF[0] != tc.df || n.Partial {
			t.Errorf("%q: df %d, want %d; partial %v", tc.q.Words[0].Text, n.Stats.DF[0], tc.df, n.Partial)
		}
	}
	q := term("run")
	q.Langs = []string{"go} | @lang:{*"}
	paths, _ := ask(t, x, q)
	want(t, "a language that is syntax", paths)
}

func TestAFileSwitchesWholly(t *testing.T) {
	t.Parallel()
	x, s := newIndex(t, rdbtest.Search)
	put(t, x, search.Spec{}, source("a.go", "alpha", "beta"), source("b.go", "gamma"))
	c := s.Client(t)
	ctx := context.Background()
	if p := put(t, x, search.Spec{}, source("a.go", "alpha", "delta")); p.Generation != 2 || p.Files != 2 || p.Chunks != 3 {
		t.Errorf("record after a change: %+v", p)
	}
	paths, _ := ask(t, x, query("beta"))
	want(t, "what fell away", paths)
	paths, _ = ask(t, x, query("delta alpha"))
	want(t, "what came", paths, "a.go")
	w := writerOf(t, x, search.Spec{})
	if len(w.Entries()) != 2 || w.Entries()[0].Path != "a.go" || w.Entries()[0].Chunks != 2 {
		t.Errorf("manifest: %+v", w.Entries())
	}
	if err := w.Delete(ctx, "a.go"); err != nil {
		t.Fatal(err)
	}
	if err := w.Delete(ctx, "never.go"); err != nil {
		t.Fatal(err)
	}
	if p := commit(t, w); p.Generation != 3 || p.Files != 1 || p.Chunks != 1 {
		t.Errorf("record after a deletion: %+v", p)
	}
	if p := commit(t, w); p.Generation != 3 {
		t.Errorf("a commit without a change: generation %d", p.Generation)
	}
	w.Close()
	if err := x.Remove(ctx, "p", 0); err != nil {
		t.Fatal(err)
	}
	if left, err := c.Keys(ctx, s.Prefix+":*").Result(); err != nil || len(left) > 0 {
		t.Errorf("after Remove: %v, %v", left, err)
	}
	if list, err := x.Projects(ctx); err != nil || len(list) != 0 {
		t.Errorf("projects after Remove: %v, %v", list, err)
	}
}
