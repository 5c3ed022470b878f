package ingest_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/search"
)

// moody fails each file named "bad", and counts how often it was asked for one; outage is what it then says, if
// anything.
type moody struct {
	embed.None
	asked  atomic.Int64
	outage error
}

func (m *moody) Documents(_ context.Context, texts []embed.Text) ([][]float32, error) {
	if strings.HasPrefix(texts[0].Path, "bad") && !strings.Contains(texts[0].Body, "good") {
		m.asked.Add(1)
		if m.outage != nil {
			return nil, m.outage
		}
		panic("out of its mind " + strings.Repeat("ä", 500))
	}
	return slices.Repeat([][]float32{{1}}, len(texts)), nil
}

func (m *moody) Name() string { return "moody" }
func (m *moody) Dims() int    { return 1 }

// mended is moody when it has come to its senses.
type mended struct{ *moody }

func (mended) Documents(_ context.Context, texts []embed.Text) ([][]float32, error) {
	return slices.Repeat([][]float32{{1}}, len(texts)), nil
}

func (b *bench) entry(path code.Path) search.Entry {
	b.t.Helper()
	snap, err := b.index.Open(b.t.Context(), "p")
	if err != nil {
		b.t.Fatal(err)
	}
	defer snap.Close()
	e, ok, err := snap.Entry(b.t.Context(), path)
	if err != nil || !ok {
		b.t.Fatalf("%s: %v, %v", path, ok, err)
	}
	return e
}

// age makes a file old enough for its times to prove something.
func (b *bench) age(path string) {
	b.t.Helper()
	then := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(b.root, path), then, then); err != nil {
		b.t.Fatal(err)
	}
}

func TestAFileThatFailsThreeTimesIsSetAsideAndTheRestIsIndexed(t *testing.T) {
	b := setup(t, map[string]string{"a.go": "package a\n", "bad.go": "package bad\n", "c.go": "package c\n"})
	m := &moody{}
	o := ingest.Options{Embedder: m}
	in := ingest.New(b.index, o)
	differs := func() bool {
		t.Helper()
		d, err := in.Differs(t.Context(), b.record())
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	for try := int64(1); try <= 6; try++ {
		rep := b.refresh(o, ingest.Request{})
		if want := min(try, 3); m.asked.Load() != want || (rep.Failed["bad.go"] != "") != (try <= 3) {
			t.Errorf("run %d: tried %d times, want %d; failed %v", try, m.asked.Load(), want, rep.Failed)
		}
		if rep.Skipped[code.Unreadable] != 1 || rep.Project.Generation != 1 || !slices.Equal(b.indexed(), []code.Path{"a.go", "c.go"}) {
			t.Errorf("run %d: skipped %v, generation %d, indexed %q", try, rep.Skipped, rep.Project.Generation, b.indexed())
		}
		if differs() != (try < 3) {
			t.Errorf("after run %d: differs %v", try, !(try < 3))
		}
	}
	e := b.entry("bad.go")
	if e.Skip != code.Unreadable || !strings.HasPrefix(e.Detail, `failed 3 of 3 tries: analyze "bad.go": panic: out of its mind`) || len(e.Detail) > 250 {
		t.Errorf("%q: %q", e.Skip, e.Detail)
	}

	b.age("bad.go") // another stat, the same content
	if b.refresh(o, ingest.Request{}); m.asked.Load() != 3 {
		t.Errorf("tried %d times", m.asked.Load())
	}
	b.write(map[string]string{"bad.go": "package bad // other\n"}) // another content: from the beginning
	for range 4 {
		b.refresh(o, ingest.Request{Paths: []code.Path{"bad.go"}})
	}
	if m.asked.Load() != 6 {
		t.Errorf("tried %d times", m.asked.Load())
	}
	b.write(map[string]string{"bad.go": "package good\n"})
	if b.refresh(o, ingest.Request{}); b.entry("bad.go").Skip != "" || differs() {
		t.Errorf("mended, and it is %+v", b.entry("bad.go"))
	}
}

func TestAFileThatWasIndexedAndFailsIsLeftOutUntilItSucceeds(t *testing.T) {
	b := setup(t, map[string]string{"a.go": "package a\n", "bad.go": "package good\n"})
	o := ingest.Options{Embedder: &moody{}}
	b.want(b.refresh(o, ingest.Request{}), 2, 0, 0, 1)
	b.write(map[string]string{"bad.go": "package bad\n"})
	b.want(b.refresh(o, ingest.Request{}), 0, 0, 1, 2)
	b.want(b.refresh(o, ingest.Request{}), 0, 0, 0, 2)
	b.want(b.refresh(ingest.Options{Embedder: mended{&moody{}}}, ingest.Request{}), 1, 0, 0, 3) // the same file, the fault is gone
	if e := b.entry("bad.go"); e.Skip != "" || e.Chunks == 0 {
		t.Errorf("%+v", e)
	}
}

func TestAnOutageOfTheEmbedderIsNoFailureOfAFile(t *testing.T) {
	b := setup(t, map[string]string{"a.go": "package a\n"})
	m := &moody{outage: embed.ErrUnavailable}
	b.refresh(ingest.Options{Embedder: m}, ingest.Request{})
	b.write(map[string]string{"bad.go": "package bad\n"})
	in := ingest.New(b.index, ingest.Options{Embedder: m})
	for range 5 {
		_, err := in.Refresh(t.Context(), ingest.Request{Project: "p", Root: b.root})
		if !errors.Is(err, embed.ErrUnavailable) {
			t.Fatal(err)
		}
	}
	m.outage = errors.New("no")
	if b.refresh(ingest.Options{Embedder: m}, ingest.Request{}); !strings.HasPrefix(b.entry("bad.go").Detail, "failed 1 of 3") {
		t.Errorf("%q", b.entry("bad.go").Detail)
	}
}

func TestAFileThatMayNotBeReadIsNoDifferenceUntilItMay(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Log("the superuser may read everything: nothing is tested")
		return
	}
	b := setup(t, two)
	path := filepath.Join(b.root, "a.go")
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	b.refresh(ingest.Options{}, ingest.Request{})
	in := ingest.New(b.index, ingest.Options{})
	if d, err := in.Differs(t.Context(), b.record()); d || err != nil {
		t.Errorf("differs %v, %v", d, err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if d, err := in.Differs(t.Context(), b.record()); !d || err != nil {
		t.Errorf("differs %v, %v", d, err)
	}
}
