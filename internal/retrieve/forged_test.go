package retrieve_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/analyze"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/search"
)

// forge writes documents into the index of p as whoever may write to the store could: no rule of the root was asked.
// With changed the files are not as these documents say.
func (b *bench) forge(changed bool, files map[string]string) {
	b.t.Helper()
	ctx := context.Background()
	projects, err := b.index.Projects(ctx)
	if err != nil || len(projects) != 1 {
		b.t.Fatal(projects, err)
	}
	w, err := b.index.Writer(ctx, search.Spec{Project: "p", Root: b.root, Model: projects[0].Model, Wait: time.Minute})
	if err != nil {
		b.t.Fatal(err)
	}
	defer w.Close()
	for path, text := range files {
		f := analyze.File(path, text)
		e := search.Entry{Path: path, Size: int64(len(text)), Hash: code.HashOf([]byte(text)), Language: f.Language,
			Chunks: len(f.Chunks)}
		if changed {
			e.Hash[0]++
		}
		vectors := make([][]float32, len(f.Chunks))
		for i := range vectors {
			vectors[i] = make([]float32, projects[0].Model.Dims)
		}
		if err := w.Put(ctx, search.Document{Entry: e, File: f, Vectors: vectors}); err != nil {
			b.t.Fatal(err)
		}
	}
	if _, err := w.Commit(ctx, true); err != nil {
		b.t.Fatal(err)
	}
}

// Files that no index of the root would hold are not shown because an index names them: found by words, by a place, or
// by their name.
func TestForgedEntriesOfFilesLeftOutAreNotShown(t *testing.T) {
	t.Parallel()
	reasons := map[string]code.Reason{".git/config": gates.Excluded, "private/plan.md": gates.Excluded,
		"src/node_modules/k.js": gates.Excluded, ".env": gates.Secret}
	hidden := map[string]string{
		".git/config":           "[remote \"zanzibarmoor\"]\n\turl = zanzibarmoor harbour plan\n",
		"private/plan.md":       "# Plan\n\nThe zanzibarmoor harbour plan is private.\n",
		"src/node_modules/k.js": "// zanzibarmoor harbour plan\nfunction plan() {}\n",
		".env":                  "HARBOUR=zanzibarmoor harbour plan\n",
	}
	for name, open := range map[string]func(*testing.T) search.Index{
		"embedded": func(t *testing.T) search.Index { return onDisk(t, search.Full) },
		"redis":    func(t *testing.T) search.Index { return onServer(t, rdbtest.Search) },
	} {
		for _, changed := range []bool{false, true} {
			t.Run(name+map[bool]string{true: ", changed"}[changed], func(t *testing.T) {
				t.Parallel()
				root, err := filepath.EvalSymlinks(t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				b := &bench{t: t, root: root, index: open(t)}
				b.open(retrieve.Options{Index: b.index, Queue: b, Asker: b, Embedders: finds(embedder),
					Embedded: name == "embedded", Log: slog.New(slog.DiscardHandler)})
				b.write(hidden)
				b.write(map[string]string{".git/HEAD": "ref: refs/heads/main\n", ".git/objects/x": "",
					".git/refs/x": "", ".gitignore": "private/\n",
					"src/gate.go": "package src\n\n// OpenGate lets ships in at zanzibarmoor.\nfunc OpenGate() {}\n"})
				b.refresh()
				b.forge(changed, hidden)
				for _, question := range []string{
					"zanzibarmoor harbour plan", ".git/config:1", "private/plan.md:3", ".env",
					"The zanzibarmoor harbour plan is private",
				} {
					for _, least := range []float64{0, gates.NoThreshold, .99} {
						r := b.ask(question, func(r *retrieve.Request) { r.Gates.MinRelevance = least })
						shown := paths(r)
						for _, n := range r.Nearest {
							shown = append(shown, n.Path)
						}
						for path := range hidden {
							if slices.Contains(shown, path) {
								t.Errorf("%q, least %v: %s is shown", question, least, path)
							}
						}
					}
				}
				r := b.ask("zanzibarmoor harbour plan", func(r *retrieve.Request) {
					r.Gates.MinRelevance = gates.NoThreshold
				})
				if got := paths(r); !slices.Contains(got, "src/gate.go") {
					t.Errorf("shown: %q, want the file that no rule leaves out", got)
				}
				for path, want := range reasons {
					if got := rejected(r)[path].Reason; got != string(want) {
						t.Errorf("%s: rejected for %q, want %q", path, got, want)
					}
				}
			})
		}
	}
}
