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

// saving are options under which a rebuild saves each file that it has made.
func (v *vectors) saving(t *testing.T) ingest.Options {
	return ingest.Options{Embedder: v.embedder(t), SaveEvery: 1, Cores: 1}
}

// slice brings up to date what serves, as the daemon does.
func (b *bench) slice(o ingest.Options, paths ...code.Path) (*ingest.Report, error) {
	b.t.Helper()
	return ingest.New(b.index, o).Refresh(context.Background(), ingest.Request{Project: "p", Root: b.root, Slice: true, Paths: paths})
}

// cut makes a run that ends after so many requests to the server.
func (b *bench) cut(v *vectors, o ingest.Options, requests int64, r ingest.Request) *ingest.Report {
	b.t.Helper()
	v.left.Store(requests)
	defer v.left.Store(1 << 40)
	r.Project, r.Root = "p", b.root
	rep, err := ingest.New(b.index, o).Refresh(context.Background(), r)
	if !embed.Failed(err) || rep == nil {
		b.t.Fatalf("a run that is cut short gives %+v, %v", rep, err)
	}
	return rep
}

// behind makes a refresh in the background; the function it returns waits for it.
func (b *bench) behind(o ingest.Options, r ingest.Request) (wait func() *ingest.Report) {
	done := make(chan *ingest.Report, 1)
	go func() {
		r.Project, r.Root = "p", b.root
		rep, err := ingest.New(b.index, o).Refresh(context.Background(), r)
		if err != nil {
			b.t.Errorf("the run in the background: %v", err)
		}
		done <- rep
	}()
	return func() *ingest.Report { return <-done }
}

// reached waits until cond holds.
func (b *bench) reached(what string, cond func() bool) {
	b.t.Helper()
	for range 30_000 {
		if cond() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	b.t.Fatal(what, "is not reached")
}

// TestAChangeWaitsForNothingWhileARebuildIsHeld: the embedding server of a rebuild does not answer; a change is indexed
// all the same, by a run that waits for no lock.
func TestAChangeWaitsForNothingWhileARebuildIsHeld(t *testing.T) {
	b := setup(t, many(200))
	b.refresh(ingest.Options{}, ingest.Request{})
	v := newVectors(t)
	o := v.saving(t)
	rep, err := b.slice(o)
	if err != nil || !rep.Rebuild || rep.Unfinished || rep.Project.Model.Embedder != "none" || rep.Project.Next.Exists() {
		t.Fatalf("a slice of what serves: %+v, %v", rep, err)
	}
	if err := o.Embedder.(embed.Remote).Probe(t.Context()); err != nil {
		t.Fatal(err)
	}
	let := v.hold(t)
	finished := b.behind(o, ingest.Request{})
	b.reached("the held server", func() bool { return v.waiting.Load() > 0 && b.record().Next.Exists() })

	b.write(map[string]string{"new.go": "package f\n", "f03.go": "package f\n\nfunc Changed() {}\n"})
	rep, err = b.slice(o, "new.go")
	if err != nil || !rep.Rebuild || rep.Added != 1 || rep.Project.Generation != 2 || !slices.Contains(b.indexed(), "new.go") {
		t.Fatalf("a new file meanwhile: %+v, %v", rep, err)
	}
	os.Remove(filepath.Join(b.root, "f100.go"))
	rep, err = b.slice(o)
	if err != nil || rep.Changed != 1 || rep.Removed != 1 || rep.Project.Generation != 3 || slices.Contains(b.indexed(), "f100.go") {
		t.Fatalf("a changed and a removed file meanwhile: %+v, %v", rep, err)
	}
	in := ingest.New(b.index, o)
	var locked *search.LockedError
	if _, err := in.Refresh(t.Context(), ingest.Request{Project: "p", Root: b.root}); !errors.As(err, &locked) {
		t.Errorf("a second rebuild beside it: %v", err)
	}
	b.write(map[string]string{"asked.go": "package f\n"}) // and who only asks has what serves
	rep, err = in.Refresh(t.Context(), ingest.Request{Project: "p", Root: b.root, KeepEmbedder: true})
	if err != nil || rep.Added != 1 || rep.Project.Generation != 4 {
		t.Errorf("for a question beside it: %+v, %v", rep, err)
	}
	if v.waiting.Load() == 0 {
		t.Fatal("the rebuild was not held until here")
	}
	let()
	rep = finished()
	if rep.Project.Files != 201 || rep.Project.Model.Dims != 4 || rep.Project.Generation != 4 || rep.Project.Next.Exists() {
		t.Errorf("in the end: %+v", rep.Project)
	}
	b.want(b.refresh(o, ingest.Request{}), 0, 0, 0, 4)
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
	o := c.saving(t)
	ctx, cancel := context.WithCancel(context.Background())
	_, err := ingest.New(b.index, o).Refresh(ctx, ingest.Request{Project: "p", Root: b.root, Progress: func(int, int) { cancel() }})
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
	b.cut(v, v.saving(t), 12, ingest.Request{})
	if p := b.record(); p.Next.Files == 0 || p.Next.Model.Dims != 4 {
		t.Fatalf("a run that was cut short leaves %+v", p)
	}
	e, err := openai.New(openai.Options{URL: v.url, Model: "another", Tries: 1, BatchTexts: 2, Parallel: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	b.cut(v, ingest.Options{Embedder: e, SaveEvery: 1, Cores: 1}, 6, ingest.Request{})
	if p := b.record(); p.Next.Model.Embedder != e.Name() || p.Next.Files == 0 || p.Next.Files >= 12 {
		t.Fatalf("another model: %+v", p)
	}
	in := ingest.New(b.index, ingest.Options{})
	if differs, err := in.Differs(t.Context(), b.record()); !differs || err != nil {
		t.Errorf("an unfinished version is no difference: %v, %v", differs, err)
	}
	rep := b.refresh(ingest.Options{}, ingest.Request{Paths: []code.Path{"f01.go"}})
	b.want(rep, 0, 0, 0, 1)
	if p := b.record(); p.Next.Exists() || p.Model != first.Model {
		t.Errorf("the setting is as it was, and the record is %+v", p)
	}
	if differs, err := in.Differs(t.Context(), b.record()); differs || err != nil {
		t.Errorf("and it differs: %v, %v", differs, err)
	}
}

// TestARebuildOfAModelThatIsNoLongerWantedEndsByItself: it is dropped under a live run, which finds that out, plans anew
// and begins another.
func TestARebuildOfAModelThatIsNoLongerWantedEndsByItself(t *testing.T) {
	b := setup(t, many(60))
	b.refresh(ingest.Options{}, ingest.Request{})
	v := newVectors(t)
	o := v.saving(t)
	if err := o.Embedder.(embed.Remote).Probe(t.Context()); err != nil {
		t.Fatal(err)
	}
	let := v.hold(t)
	finished := b.behind(o, ingest.Request{})
	b.reached("the held server", func() bool { return v.waiting.Load() > 0 && b.record().Next.Exists() })
	b.write(map[string]string{"new.go": "package f\n"})
	b.want(b.refresh(ingest.Options{}, ingest.Request{}), 1, 0, 0, 2) // with the setting of before
	if p := b.record(); p.Next.Exists() {
		t.Errorf("the next version is there still: %+v", p)
	}
	let()
	if p := finished().Project; p.Model.Dims != 4 || p.Files != 61 || p.Generation != 2 || p.Next.Exists() {
		t.Errorf("in the end: %+v", p)
	}
}

func TestAFullRebuildThatWasCutShortIsGoneOnWithByTheNextRun(t *testing.T) {
	b := setup(t, many(80))
	v := newVectors(t)
	o := v.saving(t)
	if p := b.refresh(o, ingest.Request{}).Project; p.Files != 80 || p.Model.Dims != 4 {
		t.Fatal(p)
	}
	rep := b.cut(v, v.saving(t), 14, ingest.Request{Full: true})
	p := b.record()
	if p.Next.Model != p.Model || p.Next.Files == 0 || rep.Project.Generation != 1 {
		t.Fatalf("%+v", p)
	}
	done := p.Next.Files
	rep = b.refresh(o, ingest.Request{Full: true})
	if rep.Added != 80-done || rep.Project.Generation != 1 || rep.Project.Next.Exists() {
		t.Errorf("after %d files: %+v", done, rep)
	}
	b.want(b.refresh(o, ingest.Request{Full: true}), 80, 0, 0, 1)
}

func TestWithoutAnyIndexWordsComeFirstAndVectorsFollow(t *testing.T) {
	b := setup(t, many(50))
	v := newVectors(t)
	rep, err := b.slice(v.saving(t))
	if err != nil || !rep.Rebuild || rep.Project.Files != 50 || rep.Project.Model.Embedder != "none" || rep.Project.Next.Exists() {
		t.Fatalf("%+v, %v", rep, err)
	}
	if p := b.refresh(v.saving(t), ingest.Request{}).Project; p.Model.Dims != 4 || p.Files != 50 || p.Generation != 1 {
		t.Errorf("%+v", p)
	}
}

func TestAFileThatCannotBeAnalyzedIsTriedOnceByARebuild(t *testing.T) {
	b := setup(t, many(3))
	b.refresh(ingest.Options{}, ingest.Request{})
	v := newVectors(t)
	o := v.saving(t)
	o.Embedder = &choosy{Remote: v.embedder(t)}
	b.write(map[string]string{"bad.go": "package f\n\nfunc Refused() {}\n"})
	rep := b.refresh(o, ingest.Request{})
	if len(rep.Failed) != 1 || rep.Project.Model.Dims != 4 || rep.Project.Files != 3 {
		t.Fatalf("%+v", rep)
	}
	snap, err := b.index.Open(t.Context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	if e, ok, err := snap.Entry(t.Context(), "bad.go"); !ok || err != nil || !strings.HasPrefix(e.Detail, "failed 1 of ") {
		t.Errorf("%+v, %v", e, err)
	}
}

// choosy fails with one text for a reason that is the text's.
type choosy struct{ embed.Remote }

func (c *choosy) Documents(ctx context.Context, texts []embed.Text) ([][]float32, error) {
	for _, x := range texts {
		if strings.Contains(fmt.Sprint(x), "Refused") {
			return nil, errors.New("a text that it cannot take")
		}
	}
	return c.Remote.Documents(ctx, texts)
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
	o := v.saving(t)
	b.write(map[string]string{"f50.go": "package f\n\nfunc StoodIn() {}\n", "gen.go": "// Code generated by x. DO NOT EDIT.\n\npackage g\n"})
	rep, err := b.slice(o)
	if err != nil || !rep.Rebuild || rep.Changed != 2 || rep.Project.Model.Embedder != "foreign" {
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
	o := v.saving(t)
	o.EmbedderByName = func(name string) embed.Embedder {
		if name == e.Name() {
			return e
		}
		return nil
	}
	b.write(map[string]string{"new.go": "package f\n\n// Retry schedules attempts.\nfunc Retry() {}\n"})
	if rep, err := b.slice(o); err != nil || !rep.Rebuild || rep.Added != 1 {
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
	rep, err := ingest.New(b.index, o).Refresh(t.Context(), ingest.Request{Project: "p", Root: b.root, Paths: []code.Path{"more.go"}})
	if !errors.Is(err, embed.ErrUnavailable) || rep == nil || rep.Added != 1 || !slices.Contains(b.indexed(), "more.go") {
		t.Errorf("%+v, %v", rep, err)
	}
}

// meanwhile is an index before whose steps of a rebuild something happens: a Writer of what serves, one of the next
// version, the lock of what serves for the switch.
type meanwhile struct {
	search.Index
	do func(n int)
	n  int
}

func (i *meanwhile) step() {
	i.n++
	i.do(i.n)
}

func (i *meanwhile) Writer(ctx context.Context, spec search.Spec) (search.Writer, error) {
	i.step()
	w, err := i.Index.Writer(ctx, spec)
	return &meanwhileWriter{w, i}, err
}

type meanwhileWriter struct {
	search.Writer
	index *meanwhile
}

func (w *meanwhileWriter) Serving(ctx context.Context) ([]search.Entry, error) {
	w.index.step()
	return w.Writer.Serving(ctx)
}

func TestWhatAnotherProcessDoesMeanwhileIsNeverTakenBack(t *testing.T) {
	for _, kind := range []string{"finishes", "changes", "removes", "moves"} {
		for at := 1; at <= 3; at++ {
			if kind == "finishes" && at == 3 {
				continue // the next version has its writer
			}
			t.Run(fmt.Sprint(kind, " before lock ", at), func(t *testing.T) {
				b, v := setup(t, many(30)), newVectors(t)
				b.refresh(ingest.Options{}, ingest.Request{})
				elsewhere := t.TempDir()
				ix := &meanwhile{Index: b.index}
				ix.do = func(n int) {
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
						os.Remove(filepath.Join(b.root, "f02.go"))
						if _, err := b.slice(v.saving(t), "f01.go", "f02.go", "new.go"); err != nil {
							t.Error(err)
						}
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
				rep, err := ingest.New(ix, v.saving(t)).Refresh(t.Context(), ingest.Request{Project: "p", Root: b.root})
				if err != nil {
					t.Fatal(err)
				}
				if ix.n < at {
					t.Fatalf("only %d steps", ix.n)
				}
				p := b.record()
				if p.Model.Dims != 4 || p.Next.Exists() || p.Files != rep.Project.Files || p.Files != 30 {
					t.Errorf("%+v, reported %+v", p, rep.Project)
				}
				if sent := v.requests.Load(); kind == "finishes" && sent > 40 {
					t.Errorf("what another process had built was built again: %d requests", sent)
				}
				if kind != "changes" {
					return
				}
				paths := b.indexed()
				snap, err := b.index.Open(t.Context(), "p")
				if err != nil {
					t.Fatal(err)
				}
				defer snap.Close()
				e, ok, err := snap.Entry(t.Context(), "f01.go")
				if !ok || err != nil || e.Hash != code.HashOf([]byte("package f\n\nfunc Changed() {}\n")) || !slices.Contains(paths, "new.go") || slices.Contains(paths, "f02.go") {
					t.Errorf("the change is lost: %+v, %v, %v, %q", e, ok, err, paths)
				}
			})
		}
	}
}

func TestOthersWriteWhileARebuildGoesOn(t *testing.T) {
	b := setup(t, many(40))
	b.refresh(ingest.Options{}, ingest.Request{})
	v := newVectors(t)
	o := v.saving(t)
	if err := o.Embedder.(embed.Remote).Probe(t.Context()); err != nil {
		t.Fatal(err)
	}
	let := v.hold(t)
	finished := b.behind(o, ingest.Request{Full: true, Wait: time.Minute})
	b.reached("the held server", func() bool { return v.waiting.Load() > 0 && b.record().Next.Exists() })
	const others = 15
	for i := range others {
		if i == others/2 {
			let() // the others come before the rebuild has read all, while it goes on, and after it
		}
		name := fmt.Sprintf("other%d.go", i)
		b.write(map[string]string{name: "package f\n"})
		rep, err := ingest.New(b.index, o).Refresh(t.Context(), ingest.Request{Project: "p", Root: b.root, Wait: time.Minute, Slice: true, Paths: []code.Path{name}})
		if err != nil || rep.Added+rep.Changed > 1 {
			t.Fatalf("%+v, %v", rep, err)
		}
	}
	if rep := finished(); rep.Project.Model.Dims != 4 || rep.Project.Next.Exists() {
		t.Errorf("%+v", rep.Project)
	}
	b.refresh(o, ingest.Request{})
	if got := len(b.indexed()); got != 40+others {
		t.Errorf("%d files, want %d", got, 40+others)
	}
}
