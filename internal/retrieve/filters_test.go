package retrieve_test

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/lang"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/search"
)

func TestAPathMeansTheSameHoweverItIsWritten(t *testing.T) {
	t.Parallel()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root, link := filepath.Join(base, "tree[1]"), filepath.Join(base, "link")
	if err := errors.Join(os.MkdirAll(filepath.Join(root, "web"), 0o755), os.Symlink(root, link)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ given, want string }{
		{"src", "src/**"}, {"src/", "src/**"}, {"./src", "src/**"}, {"././src//", "src/**"}, {"web/../src", "src/**"},
		{"web/app.go", "web/app.go/**"},
		{root + "/src", "src/**"}, {root + "/src/", "src/**"}, {link + "/src", "src/**"},
		{root + "/src/*.go", "src/*.go"}, {link + "/**/*.go", "**/*.go"},
		{root, "**"}, {root + "/", "**"}, {".", "**"}, {"./", "**"}, {"", "**"},
		{"./src/**/*.go", "src/**/*.go"}, {"src/*/", "src/*/**/*"}, {"*.go", "*.go"}, {"{a,b}/c", "{a,b}/c"},
		{`a\*b`, `a\*b`},
		{"..", ""}, {"../src", ""}, {"./../*.go", ""}, {"src/../..", ""}, {base + "/other", ""}, {root + "2/src", ""},
		{"/etc", ""},
	} {
		for _, w := range []access.Where{{Root: link}, {Dir: filepath.Join(link, "web")}} {
			req := retrieve.Request{Globs: []string{c.given}, Target: access.Target{Root: root}}
			got, err := req.Within(w)
			var wrong *retrieve.FilterError
			if c.want == "" {
				if !errors.As(err, &wrong) || wrong.Field != "paths" || !strings.Contains(err.Error(), root) {
					t.Errorf("%q: error %v", c.given, err)
				}
			} else if err != nil || !slices.Equal(got.Globs, []string{c.want}) || req.Globs[0] != c.given {
				t.Errorf("%q is %q, %v; want %q", c.given, got.Globs, err, c.want)
			}
		}
	}
}

func TestAnUnknownLanguageIsAnErrorThatNamesTheKnown(t *testing.T) {
	t.Parallel()
	if langs, err := retrieve.Languages([]string{"TS", "c++", "go"}); err != nil ||
		!slices.Equal(langs, []string{"typescript", "cpp", "go"}) {
		t.Errorf("%q, %v", langs, err)
	}
	long := strings.Repeat("x", 1<<16)
	for _, name := range []string{"klingon", "", long} {
		for _, err := range []error{
			retrieve.Request{Langs: []string{name}}.Validate(), func() error {
				_, err := retrieve.Languages([]string{name})
				return err
			}(),
		} {
			var wrong *retrieve.FilterError
			if !errors.As(err, &wrong) || wrong.Field != "langs" || !slices.Equal(wrong.Known, lang.All()) ||
				!strings.Contains(err.Error(), "typescript") || len(err.Error()) > 2000 {
				t.Errorf("%.40q: %.200v", name, err)
			}
		}
	}
}

func TestAReplyNamesTheFiltersThatMatchNoFile(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*testing.T) search.Index{
		"embedded": func(t *testing.T) search.Index { return onDisk(t, search.Full) },
		"redis":    func(t *testing.T) search.Index { return onServer(t, rdbtest.Search) },
		"names":    func(t *testing.T) search.Index { return onDisk(t, search.Names) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			b := &bench{t: t, root: root, index: open(t)}
			b.open(retrieve.Options{Index: b.index, Queue: b, Asker: b, Embedders: finds(embedder), Embedded: true,
				Log: slog.New(slog.DiscardHandler)})
			b.write(map[string]string{"src/quay.go": "package quay\n\n// moor ties a mooring.\nfunc moor() {}\n",
				"tools/crane.py": "def lift():\n    pass\n", "src/raw.bin": "\x00\x00"})
			b.refresh()
			for _, c := range []struct{ paths, langs, noPaths, noLangs []string }{
				{nil, nil, nil, nil},
				{[]string{"src"}, []string{"go"}, nil, nil},
				{[]string{"./src/", "lib/**"}, nil, []string{"lib/**"}, nil},
				{[]string{"lib", root + "/nowhere"}, nil, []string{"lib", root + "/nowhere"}, nil},
				{nil, []string{"rust", "go"}, nil, []string{"rust"}},
				{[]string{"tools", "lib"}, []string{"rust"}, []string{"lib"}, []string{"rust"}},
				{[]string{"tools"}, []string{"go"}, []string{"tools"}, []string{"go"}}, // no file is both
				{[]string{"src/raw.bin"}, nil, []string{"src/raw.bin"}, nil},           // it is known, and left out
				// nothing relevant, though both match
				{[]string{"tools", "src"}, []string{"python"}, nil, nil},
			} {
				r := b.ask("mooring", func(r *retrieve.Request) {
					r.Globs, r.Langs = c.paths, c.langs
					r.Gates.MinRelevance = gates.Threshold(.3)
					var err error
					if *r, err = r.Within(access.Where{}); err != nil {
						t.Fatal(err)
					}
				})
				if !slices.Equal(r.UnmatchedPaths, c.noPaths) || !slices.Equal(r.UnmatchedLangs, c.noLangs) {
					t.Errorf("paths %q, langs %q: unmatched %q and %q, want %q and %q", c.paths, c.langs,
						r.UnmatchedPaths, r.UnmatchedLangs, c.noPaths, c.noLangs)
				}
			}
		})
	}
}

func FuzzPathsStayInsideTheRoot(f *testing.F) {
	for _, g := range []string{
		"src", "./a/", "/srv/web/x/..", "../x", "{a,b}/", `\../`, "/srv/web//../x", "*/../..", ".//../x",
	} {
		f.Add(g)
	}
	f.Fuzz(func(t *testing.T, g string) {
		req, err := retrieve.Request{Globs: []string{g}, Target: access.Target{Root: "/srv/web"}}.Within(access.Where{})
		if err != nil {
			return
		}
		if got := req.Globs[0]; got == "" || strings.HasPrefix(got, "/") || strings.HasPrefix(got, "../") ||
			search.CheckGlob(got) != nil {
			t.Errorf("%q is %q", g, got)
		}
	})
}

func TestContentNarrowsAnAnswerToOneKindOfFiles(t *testing.T) {
	b := setup(t, map[string]string{"gate.go": "package h\n\nfunc openGate() {}\n",
		"gate.md": "# Gates\n\nHow to open a gate: openGate.\n", "gate.yaml": "openGate: true\n"})
	for content, want := range map[lang.Content]string{
		lang.SourceContent: "gate.go",
		lang.DocsContent:   "gate.md",
		lang.ConfigContent: "gate.yaml",
	} {
		r := b.ask("openGate", func(r *retrieve.Request) { r.Content, r.Gates.MinRelevance = content, .001 })
		if got := paths(r); !slices.Equal(got, []string{want}) || r.Content != content {
			t.Errorf("%s: got %v, content %q", content, got, r.Content)
		}
	}
	if r := b.ask("openGate", func(r *retrieve.Request) {
		r.Content, r.Gates.MinRelevance = lang.AllContent, .001
	}); len(r.Results) != 3 || r.Content != "" {
		t.Errorf("all: got %v, content %q", paths(r), r.Content)
	}
	for _, r := range []retrieve.Request{
		{Text: "x", Content: "prose"},
		{Text: "x", Content: lang.DocsContent, Langs: []string{"go"}},
	} {
		var wrong *retrieve.FilterError
		if err := r.Validate(); !errors.As(err, &wrong) || wrong.Field != "content" {
			t.Errorf("%s of %v: got %v", r.Content, r.Langs, err)
		}
	}
}
