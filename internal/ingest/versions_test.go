package ingest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/embed/openai"
	"github.com/contextd/contextd/internal/embed/static"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/search"
)

// counter is a server of embeddings that counts how often it was sent each text.
type counter struct {
	*vectors
	mu    sync.Mutex
	texts map[string]int // guarded by mu
}

func newCounter(t *testing.T) *counter {
	c := &counter{vectors: newVectors(t), texts: map[string]int{}}
	inner := c.url
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		body, _ := json.Marshal(in)
		resp, err := http.Post(inner+r.URL.Path, "application/json", strings.NewReader(string(body)))
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			c.mu.Lock()
			for _, text := range in.Input {
				c.texts[text]++
			}
			c.mu.Unlock()
		}
		w.WriteHeader(resp.StatusCode)
		_, _ = io.Copy(w, resp.Body)
	}))
	t.Cleanup(s.Close)
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	c.url = s.URL
	return c
}

// twice are the texts of files that were sent more than once.
func (c *counter) twice() (out []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for text, n := range c.texts {
		if n > 1 && strings.Contains(text, "Number") {
			out = append(out, text)
		}
	}
	return out
}

// sliced are options under which a slice ends after the first files.
func (v *vectors) sliced(t *testing.T) ingest.Options {
	return ingest.Options{Embedder: v.embedder(t), Slice: 1, Cores: 1}
}

// slice makes one slice, as the daemon does.
func (b *bench) slice(o ingest.Options, paths ...code.Path) (*ingest.Report, error) {
	b.t.Helper()
	return ingest.NewSliced(b.index, o).Refresh(context.Background(), ingest.Request{Project: "p", Root: b.root, Slice: true, Paths: paths})
}

// finish makes slices until the next version serves, and returns how many there were.
func (b *bench) finish(o ingest.Options) (n int, last *ingest.Report) {
	b.t.Helper()
	for before := -1; ; n++ {
		rep, err := b.slice(o)
		if err != nil {
			b.t.Fatal(err)
		}
		if !rep.Unfinished {
			return n + 1, rep
		}
		if rep.Project.Next.Files <= before {
			b.t.Fatalf("slice %d makes no progress: %+v", n, rep.Project.Next)
		}
		before = rep.Project.Next.Files
	}
}

func TestChangesAreIndexedWhileTheNextVersionIsBuilt(t *testing.T) {
	b := setup(t, many(200))
	b.refresh(ingest.Options{}, ingest.Request{})
	v := newVectors(t)
	o := v.sliced(t)
	rep, err := b.slice(o)
	if err != nil || !rep.Unfinished || rep.Project.Model.Embedder != "none" || rep.Project.Next.Files == 0 || rep.Project.Next.Model.Dims != 4 {
		t.Fatalf("the first slice: %+v, %v", rep, err)
	}
	b.write(map[string]string{"new.go": "package f\n", "f03.go": "package f\n\nfunc Changed() {}\n"})
	rep, err = b.slice(o, "new.go")
	if err != nil || !rep.Unfinished || rep.Added != 1 || rep.Project.Generation != 2 || !slices.Contains(b.indexed(), "new.go") {
		t.Fatalf("a new file meanwhile: %+v, %v", rep, err)
	}
	os.Remove(filepath.Join(b.root, "f100.go"))
	rep, err = b.slice(o)
	if err != nil || !rep.Unfinished || rep.Changed != 1 || rep.Removed != 1 || rep.Project.Generation != 3 || slices.Contains(b.indexed(), "f100.go") {
		t.Fatalf("a changed and a removed file meanwhile: %+v, %v", rep, err)
	}
	n, rep := b.finish(o)
	if n < 3 || rep.Project.Files != 200 || rep.Project.Model.Dims != 4 || rep.Project.Generation != 3 || rep.Project.Next.Exists() {
		t.Errorf("after %d more slices: %+v", n, rep.Project)
	}
	b.want(b.refresh(o, ingest.Request{}), 0, 0, 0, 3)
}

func TestWhatWasBuiltIsNotEmbeddedAgainAfterAnOutageOrACancel(t *testing.T) {
	b := setup(t, many(300))
	b.refresh(ingest.Options{}, ingest.Request{})
	c := newCounter(t)
	for _, left := range []int64{20, 35, 4, 50} {
		c.left.Store(left)
		rep, err := b.try(c.vectors) // a process of its own
		if !errors.Is(err, embed.ErrUnavailable) || rep == nil || !rep.Project.Next.Exists() && left > 30 {
			t.Fatalf("%+v, %v", rep, err)
		}
	}
	c.left.Store(1 << 40)
	o := c.sliced(t)
	ctx, cancel := context.WithCancel(context.Background())
	_, err := ingest.NewSliced(b.index, o).Refresh(ctx, ingest.Request{Project: "p", Root: b.root, Progress: func(int, int) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if rep, err := b.try(c.vectors); err != nil || rep.Project.Model.Dims != 4 || rep.Project.Files != 300 || rep.Added == 0 || rep.Added >= 250 {
		t.Fatalf("%+v, %v", rep, err)
	}
	// What was under way when a process ended may be sent again: two requests of two texts at each of its five ends.
	if again := c.twice(); len(again) > 5*2*2 {
		t.Errorf("%d of 300 texts were embedded again", len(again))
	}
}

func TestAnotherModelChosenMeanwhileDropsTheUnfinishedOne(t *testing.T) {
	b := setup(t, many(60))
	first := b.refresh(ingest.Options{}, ingest.Request{}).Project
	v := newVectors(t)
	if _, err := b.slice(v.sliced(t)); err != nil {
		t.Fatal(err)
	}
	e, err := openai.New(openai.Options{URL: v.url, Model: "another", Tries: 1, BatchTexts: 2, Parallel: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	rep, err := b.slice(ingest.Options{Embedder: e, Slice: 1, Cores: 1})
	if err != nil || !rep.Unfinished || rep.Project.Next.Model.Embedder != e.Name() || rep.Project.Next.Files == 60 {
		t.Fatalf("another model: %+v, %v", rep, err)
	}
	in := ingest.New(b.index, ingest.Options{})
	if differs, err := in.Differs(t.Context(), b.record()); !differs || err != nil {
		t.Errorf("an unfinished version is no difference: %v, %v", differs, err)
	}
	rep = b.refresh(ingest.Options{}, ingest.Request{Paths: []code.Path{"f01.go"}})
	b.want(rep, 0, 0, 0, 1)
	if p := b.record(); p.Next.Exists() || p.Model != first.Model {
		t.Errorf("the setting is as it was, and the record is %+v", p)
	}
	if differs, err := in.Differs(t.Context(), b.record()); differs || err != nil {
		t.Errorf("and it differs: %v, %v", differs, err)
	}
}

func TestAFullRebuildThatWasCutShortIsGoneOnWithByTheNextRun(t *testing.T) {
	b := setup(t, many(80))
	v := newVectors(t)
	o := v.sliced(t)
	if _, rep := b.finish(o); rep.Project.Files != 80 {
		t.Fatal(rep.Project)
	}
	in := ingest.NewSliced(b.index, o)
	rep, err := in.Refresh(t.Context(), ingest.Request{Project: "p", Root: b.root, Full: true, Slice: true})
	if err != nil || !rep.Unfinished || rep.Project.Next.Model != rep.Project.Model {
		t.Fatalf("%+v, %v", rep, err)
	}
	done := rep.Project.Next.Files
	rep, err = in.Refresh(t.Context(), ingest.Request{Project: "p", Root: b.root, Full: true})
	if err != nil || rep.Added != 80-done || rep.Project.Generation != 1 || rep.Project.Next.Exists() {
		t.Errorf("after %d files: %+v, %v", done, rep, err)
	}
	b.want(b.refresh(o, ingest.Request{Full: true}), 80, 0, 0, 1)
}

func TestWithoutAnyIndexWordsComeFirstAndVectorsFollow(t *testing.T) {
	b := setup(t, many(50))
	v := newVectors(t)
	rep, err := b.slice(v.sliced(t))
	if err != nil || !rep.Unfinished || rep.Project.Files != 50 || rep.Project.Model.Embedder != "none" || rep.Project.Next.Files == 50 {
		t.Fatalf("%+v, %v", rep, err)
	}
	if n, rep := b.finish(v.sliced(t)); n < 2 || rep.Project.Model.Dims != 4 || rep.Project.Files != 50 || rep.Project.Generation != 1 {
		t.Errorf("%d slices, %+v", n, rep.Project)
	}
}

// foreign makes vectors under a name that nobody else knows.
type foreign struct{ embed.None }

func (foreign) Name() string { return "foreign" }
func (foreign) Dims() int    { return 3 }
func (foreign) Documents(_ context.Context, texts []embed.Text) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i := range out {
		out[i] = []float32{1, 0, 0}
	}
	return out, nil
}

func TestFilesWithoutAnAvailableEmbedderAreStandInsUntilItReturns(t *testing.T) {
	b := setup(t, many(60))
	b.write(map[string]string{".contextdignore": "!gen.go\n", "gen.go": "// Code generated by x. DO NOT EDIT.\n\npackage f\n"})
	b.refresh(ingest.Options{Embedder: foreign{}}, ingest.Request{})
	v := newVectors(t)
	o := v.sliced(t)
	b.write(map[string]string{"f50.go": "package f\n\nfunc StoodIn() {}\n", "gen.go": "// Code generated by x. DO NOT EDIT.\n\npackage g\n"})
	rep, err := b.slice(o)
	if err != nil || !rep.Unfinished || rep.Changed != 2 || rep.Project.Model.Embedder != "foreign" {
		t.Fatalf("%+v, %v", rep, err)
	}
	if rep, err = b.slice(o); err != nil || rep.Changed != 0 {
		t.Errorf("a stand-in is made again: %+v, %v", rep, err)
	}
	p := b.record()
	if differs, err := ingest.New(b.index, ingest.Options{Embedder: foreign{}}).Differs(t.Context(), p); !differs || err != nil {
		t.Errorf("stand-ins are no difference: %v, %v", differs, err)
	}
	b.want(b.refresh(ingest.Options{Embedder: foreign{}}, ingest.Request{}), 0, 2, 0, 3)
	b.want(b.refresh(ingest.Options{Embedder: foreign{}}, ingest.Request{}), 0, 0, 0, 3)
	snap, err := b.index.Open(t.Context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	n, err := snap.Nominate(t.Context(), search.Query{Vector: []float32{1, 0, 0}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range n.Files {
		if len(c.Cosines) == 0 || c.Cosines[0] < .9 {
			t.Errorf("%q has cosines %v", c.Entry.Path, c.Cosines)
		}
	}
}

func TestAnIndexWithVectorsFromTheBinaryKeepsThemWhileTheNextIsBuilt(t *testing.T) {
	b := setup(t, many(60))
	e, err := static.Default()
	if err != nil {
		t.Fatal(err)
	}
	b.refresh(ingest.Options{Embedder: e}, ingest.Request{})
	v := newVectors(t)
	o := v.sliced(t)
	o.EmbedderByName = func(name string) embed.Embedder {
		if name == e.Name() {
			return e
		}
		return nil
	}
	b.write(map[string]string{"new.go": "package f\n\n// Retry schedules attempts.\nfunc Retry() {}\n"})
	if rep, err := b.slice(o); err != nil || !rep.Unfinished || rep.Added != 1 {
		t.Fatalf("%+v, %v", rep, err)
	}
	q, err := e.Query(t.Context(), "schedule retry attempts")
	if err != nil {
		t.Fatal(err)
	}
	snap, err := b.index.Open(t.Context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	n, err := snap.Nominate(t.Context(), search.Query{Vector: q, Files: 1})
	if err != nil || len(n.Files) != 1 || n.Files[0].Entry.Path != "new.go" || n.Files[0].Cosines[0] == 0 || n.Files[0].Entry.Detail != "" {
		t.Errorf("%+v, %v", n, err)
	}
	v.left.Store(0) // the server goes down: what serves goes on being kept fresh
	b.write(map[string]string{"more.go": "package f\n"})
	o.Embedder = v.embedder(t)
	if rep, err := b.slice(o, "more.go"); !errors.Is(err, embed.ErrUnavailable) || rep == nil || rep.Added != 1 || !slices.Contains(b.indexed(), "more.go") {
		t.Errorf("%+v, %v", rep, err)
	}
}

// slicePause is an index before whose Writers something happens.
type slicePause struct {
	search.Index
	do func(n int, spec search.Spec)
	n  int
}

func (i *slicePause) Writer(ctx context.Context, spec search.Spec) (search.Writer, error) {
	i.n++
	i.do(i.n, spec)
	return i.Index.Writer(ctx, spec)
}

func TestWhatAnotherProcessDoesBetweenTheLocksIsNeverTakenBack(t *testing.T) {
	v := newVectors(t)
	for _, kind := range []string{"finishes", "changes", "removes", "moves"} {
		for at := 1; at <= 4; at++ {
			t.Run(fmt.Sprint(kind, " before lock ", at), func(t *testing.T) {
				b := setup(t, many(30))
				b.refresh(ingest.Options{}, ingest.Request{})
				elsewhere := t.TempDir()
				ix := &slicePause{Index: b.index}
				ix.do = func(n int, _ search.Spec) {
					if n != at {
						return
					}
					switch kind {
					case "finishes":
						if _, err := b.try(v); err != nil {
							t.Error(err)
						}
					case "changes":
						b.write(map[string]string{"f01.go": "package f\n\nfunc Changed() {}\n", "new.go": "package f\n"})
						b.refreshIn(b.index, ingest.Options{}, ingest.Request{Paths: []code.Path{"f01.go", "new.go"}})
					case "removes":
						if err := b.index.Remove(t.Context(), "p", time.Minute); err != nil {
							t.Error(err)
						}
					case "moves":
						if _, err := ingest.New(b.index, ingest.Options{}).Refresh(t.Context(), ingest.Request{Project: "p", Root: elsewhere}); err != nil {
							t.Error(err)
						}
					}
				}
				rep := b.refreshIn(ix, v.sliced(t), ingest.Request{})
				p := b.record()
				if p.Model.Dims != 4 || p.Next.Exists() || p.Files != rep.Project.Files || p.Files < 30 {
					t.Errorf("%+v, reported %+v", p, rep.Project)
				}
				if kind == "changes" && ix.n >= at {
					snap, err := b.index.Open(t.Context(), "p")
					if err != nil {
						t.Fatal(err)
					}
					defer snap.Close()
					e, ok, err := snap.Entry(t.Context(), "f01.go")
					if !ok || err != nil || e.Hash != code.HashOf([]byte("package f\n\nfunc Changed() {}\n")) || p.Files != 31 {
						t.Errorf("the change is lost: %+v, %v, %v", e, ok, err)
					}
				}
			})
		}
	}
}

func (b *bench) refreshIn(ix search.Index, o ingest.Options, r ingest.Request) *ingest.Report {
	b.t.Helper()
	r.Project, r.Root = "p", b.root
	rep, err := ingest.NewSliced(ix, o).Refresh(context.Background(), r)
	if err != nil {
		b.t.Fatal(err)
	}
	return rep
}

func TestARebuildLetsOthersWriteBetweenItsSlices(t *testing.T) {
	b := setup(t, many(40))
	b.refresh(ingest.Options{}, ingest.Request{})
	v := newVectors(t)
	o := v.sliced(t)
	done := make(chan *ingest.Report, 1)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(stop)
		done <- b.refreshIn(b.index, o, ingest.Request{Full: true, Wait: time.Minute})
	})
	others := 0
	for ended := false; !ended && others < 15; {
		select {
		case <-stop:
			ended = true
		default:
			name := fmt.Sprintf("other%d.go", others)
			b.write(map[string]string{name: "package f\n"})
			if _, err := ingest.NewSliced(b.index, o).Refresh(t.Context(), ingest.Request{Project: "p", Root: b.root, Wait: time.Minute, Slice: true,
				Paths: []code.Path{name}}); err != nil {
				t.Fatal(err)
			}
			others++
		}
	}
	wg.Wait()
	if rep := <-done; rep.Project.Model.Dims != 4 || rep.Project.Next.Exists() {
		t.Errorf("%+v", rep.Project)
	}
	if others < 1 {
		t.Error("nobody else came to write")
	}
	b.refresh(o, ingest.Request{})
	if got := len(b.indexed()); got != 40+others {
		t.Errorf("%d files, want %d", got, 40+others)
	}
}
