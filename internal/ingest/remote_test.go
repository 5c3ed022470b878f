package ingest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/embed/openai"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/search"
)

// vectors is a server of embeddings that fails once left requests were answered.
type vectors struct {
	url      string
	dims     atomic.Int64
	left     atomic.Int64
	status   atomic.Int64 // of a failure
	requests atomic.Int64
	gate     atomic.Pointer[chan struct{}] // requests wait until it is closed; nil: none does
	waiting  atomic.Int64                  // requests that wait
}

// hold makes requests wait until let is called.
func (v *vectors) hold(t *testing.T) (let func()) {
	c := make(chan struct{})
	v.gate.Store(&c)
	let = sync.OnceFunc(func() { v.gate.Store(nil); close(c) })
	t.Cleanup(let)
	return let
}

func newVectors(t *testing.T) *vectors {
	v := &vectors{}
	v.dims.Store(4)
	v.left.Store(1 << 40)
	v.status.Store(503)
	s := httptest.NewServer(v)
	t.Cleanup(s.Close)
	v.url = s.URL
	return v
}

func (v *vectors) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v.requests.Add(1)
	if c := v.gate.Load(); c != nil {
		v.waiting.Add(1)
		select {
		case <-*c:
		case <-r.Context().Done():
		}
		v.waiting.Add(-1)
	}
	var in struct{ Input []string }
	if v.left.Add(-1) < 0 || json.NewDecoder(r.Body).Decode(&in) != nil {
		w.WriteHeader(int(v.status.Load()))
		return
	}
	var data []map[string]any
	for i, text := range in.Input {
		e := make([]float64, v.dims.Load())
		e[len(text)%len(e)] = 2
		data = append(data, map[string]any{"index": i, "embedding": e})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
}

// embedder is one of a new process.
func (v *vectors) embedder(t *testing.T) *openai.Embedder {
	t.Helper()
	e, err := openai.New(openai.Options{URL: v.url, Model: "m", Tries: 1, BatchTexts: 2, Parallel: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

// try refreshes with an embedder of its own, as the next process would.
func (b *bench) try(v *vectors) (*ingest.Report, error) {
	b.t.Helper()
	in := ingest.New(b.index, ingest.Options{Embedder: v.embedder(b.t)})
	return in.Refresh(context.Background(), ingest.Request{Project: "p", Root: b.root})
}

func (b *bench) record() search.Project {
	b.t.Helper()
	snap, err := b.index.Open(context.Background(), "p")
	if err != nil {
		b.t.Fatal(err)
	}
	defer snap.Close()
	return snap.Project()
}

func many(n int) map[string]string {
	files := map[string]string{}
	for i := range n {
		files[fmt.Sprintf("f%02d.go", i)] = fmt.Sprintf("package f\n\nfunc Number%d() {}\n", i)
	}
	return files
}

func TestWithoutAnyIndexAnOutageLeavesOneOfWordsUntilTheServerIsBack(t *testing.T) {
	b := setup(t, many(10))
	for _, status := range []int64{503, 401, 400} {
		v := newVectors(t)
		v.left.Store(0)
		v.status.Store(status)
		rep, err := b.try(v)
		if !embed.Failed(err) || errors.Is(err, embed.ErrUnavailable) != (status == 503) || rep == nil {
			t.Fatalf("status %d: %v, %v", status, rep, err)
		}
		if p := b.record(); p.Model.Embedder != "none" || p.Files != 10 || len(rep.Failed) != 0 {
			t.Errorf("status %d: %+v, failed %v", status, p, rep.Failed)
		}
	}
	b.write(map[string]string{"new.go": "package f\n"})
	v := newVectors(t)
	v.left.Store(3) // the probe and a little more
	if rep, err := b.try(v); !errors.Is(err, embed.ErrUnavailable) || rep == nil || rep.Added != 1 {
		t.Errorf("words go on being kept: %+v, %v", rep, err)
	}
	v.left.Store(1 << 40)
	if rep, err := b.try(v); err != nil || rep.Project.Model.Dims != 4 || rep.Project.Files != 11 {
		t.Errorf("the server is back: %+v, %v", rep, err)
	}
}

func TestAnOutageInMidRunLeavesTheIndexAsItWasAndNoFileFailed(t *testing.T) {
	b := setup(t, many(8))
	v := newVectors(t)
	if _, err := b.try(v); err != nil {
		t.Fatal(err)
	}
	before := b.record()
	b.write(map[string]string{"f03.go": "package f\n\nfunc Changed() {}\n", "a.go": "package a\n", "b.go": "package b\n", "c.go": "package c\n", "z.go": "package z\n"})
	v.left.Store(2)
	rep, err := b.try(v)
	if rep != nil || !errors.Is(err, embed.ErrUnavailable) {
		t.Fatalf("%+v, %v", rep, err)
	}
	if after := b.record(); after.Generation != before.Generation || after.Files != 8 || after.Failed != "" {
		t.Errorf("after the outage: %+v", after)
	}
	if paths := b.indexed(); len(paths) != 8 || slices.Contains(paths, code.Path("a.go")) {
		t.Errorf("indexed %q", paths)
	}
	v.left.Store(1 << 40)
	rep, err = b.try(v)
	if err != nil {
		t.Fatal(err)
	}
	b.want(rep, 4, 1, 0, 2)
}

func TestARunWithoutChangesAsksTheServerNothing(t *testing.T) {
	b := setup(t, many(3))
	v := newVectors(t)
	if _, err := b.try(v); err != nil {
		t.Fatal(err)
	}
	before := v.requests.Load()
	v.left.Store(0)
	rep, err := b.try(v)
	if err != nil || v.requests.Load() != before {
		t.Fatalf("%v after %d requests", err, v.requests.Load()-before)
	}
	in := ingest.New(b.index, ingest.Options{Embedder: v.embedder(t)})
	if differs, err := in.Differs(t.Context(), rep.Project); differs || err != nil {
		t.Errorf("an index that is equal differs while the server is down: %v, %v", differs, err)
	}
}

func TestAModelOfOtherDimensionsRebuildsTheIndexAndMixesNothing(t *testing.T) {
	b := setup(t, many(6))
	v := newVectors(t)
	if _, err := b.try(v); err != nil {
		t.Fatal(err)
	}
	v.dims.Store(6)
	b.write(map[string]string{"new.go": "package f\n\nfunc New() {}\n"})
	rep, err := b.try(v)
	if err != nil || rep.Project.Model.Dims != 6 || rep.Project.Files != 7 || rep.Added != 7 {
		t.Fatalf("%+v, %v", rep, err)
	}

	in := ingest.New(b.index, ingest.Options{Embedder: v.embedder(t)}) // one process, and the model changes under it
	r := ingest.Request{Project: "p", Root: b.root}
	b.write(map[string]string{"x.go": "package x\n"})
	if _, err := in.Refresh(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	v.dims.Store(5)
	b.write(map[string]string{"y.go": "package y\n"})
	if _, err := in.Refresh(t.Context(), r); !errors.Is(err, embed.ErrDimensions) {
		t.Errorf("vectors of another length: %v", err)
	}
	if p := b.record(); p.Model.Dims != 6 || p.Files != 8 {
		t.Errorf("the index meanwhile: %+v", p)
	}
	if rep, err := in.Refresh(t.Context(), r); err != nil || rep.Project.Model.Dims != 5 || rep.Project.Files != 9 {
		t.Errorf("the next run: %+v, %v", rep, err)
	}
}

func TestAModelOfOtherDimensionsIsNoticedThoughNoFileChanged(t *testing.T) {
	b := setup(t, many(6))
	v := newVectors(t)
	built, err := b.try(v)
	if err != nil {
		t.Fatal(err)
	}
	in := ingest.New(b.index, ingest.Options{Embedder: v.embedder(t)})
	in.LearnDims(t.Context(), time.Minute)
	if differs, err := in.Differs(t.Context(), built.Project); differs || err != nil {
		t.Errorf("the same model: the index differs: %v, %v", differs, err)
	}
	v.dims.Store(6)
	in = ingest.New(b.index, ingest.Options{Embedder: v.embedder(t)})
	v.left.Store(0)
	let := make(chan struct{})
	go func() { // it is asked until it answers
		defer close(let)
		for before := v.requests.Load(); v.requests.Load() == before; {
			time.Sleep(time.Millisecond)
		}
		v.left.Store(1 << 40)
	}()
	in.LearnDims(t.Context(), time.Millisecond)
	<-let
	if differs, err := in.Differs(t.Context(), built.Project); !differs || err != nil {
		t.Errorf("another model: the index differs: %v, %v", differs, err)
	}
	rep, err := in.Refresh(t.Context(), ingest.Request{Project: "p", Root: b.root})
	if err != nil || rep.Project.Model.Dims != 6 || rep.Project.Files != 6 {
		t.Errorf("%+v, %v", rep, err)
	}
}

func TestARefreshForAQuestionNoticesAModelOfOtherDimensionsInOneProcess(t *testing.T) {
	b := setup(t, many(6))
	v := newVectors(t)
	if _, err := b.try(v); err != nil {
		t.Fatal(err)
	}
	in := ingest.New(b.index, ingest.Options{Embedder: v.embedder(t)}) // as a daemon that has learnt them
	in.LearnDims(t.Context(), time.Minute)
	r := ingest.Request{Project: "p", Root: b.root}
	asked := r
	asked.NewDims = true
	for _, step := range []struct {
		r        ingest.Request
		requests int64
	}{{r, 0}, {asked, 1}, {asked, 0}} { // a run without changes asks nothing, one for a question once in a while
		before := v.requests.Load()
		if rep, err := in.Refresh(t.Context(), step.r); err != nil || rep.Project.Model.Dims != 4 || v.requests.Load() != before+step.requests {
			t.Errorf("the same model: %+v, %v; %d requests, want %d", rep, err, v.requests.Load()-before, step.requests)
		}
	}
	in = ingest.New(b.index, ingest.Options{Embedder: v.embedder(t)})
	in.LearnDims(t.Context(), time.Minute)
	v.dims.Store(6)
	if rep, err := in.Refresh(t.Context(), r); err != nil || rep.Project.Model.Dims != 4 {
		t.Errorf("another model, of which nobody told: %+v, %v", rep, err)
	}
	if rep, err := in.Refresh(t.Context(), asked); err != nil || rep.Project.Model.Dims != 6 || rep.Project.Files != 6 {
		t.Errorf("another model: %+v, %v", rep, err)
	}
}

func TestALongFileShowsProgressWhileItIsEmbedded(t *testing.T) {
	b := setup(t, map[string]string{"long.txt": strings.Repeat("a paragraph of some words that fills a line\n\n", 6000)})
	v := newVectors(t)
	calls := 0
	in := ingest.New(b.index, ingest.Options{Embedder: v.embedder(t)})
	if _, err := in.Refresh(t.Context(), ingest.Request{Project: "p", Root: b.root, Progress: func(int, int) { calls++ }}); err != nil {
		t.Fatal(err)
	}
	if calls < 2 {
		t.Errorf("%d signs of progress in one file of %d chunks", calls, b.record().Chunks)
	}
}
