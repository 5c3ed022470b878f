package access_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
)

func TestTheProjectOfAQuestionIsFound(t *testing.T) {
	t.Parallel()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(p string) string { return filepath.Join(base, p) }
	for _, dir := range []string{
		"repo/.git", "repo/sub/deep", "plain/sub", "bare", "home/work", "home/.git", "repo/mod/.git", "repo/mod/a",
		"plain/sub/in", "clones/one/a", "clones/two",
	} {
		if err := os.MkdirAll(at(dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(at("file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(at("repo"), at("link")); err != nil {
		t.Fatal(err)
	}
	projects := []search.Project{
		{ID: "web", Root: at("plain"), IndexedAt: time.Unix(1, 0)},
		{ID: "newer", Root: at("plain"), IndexedAt: time.Unix(2, 0)},
		{ID: "in", Root: at("plain/sub/in")},
		{ID: "work", Root: at("home/work")},
		{ID: "deep", Root: at("repo/sub")},
	}
	further, second := code.RootIndexID("web", at("repo")), code.RootIndexID("deep", at("clones/one"))
	projects = append(projects, search.Project{ID: second, Root: at("clones/one")},
		search.Project{ID: "lost", Root: at("no")},
		search.Project{ID: code.RootIndexID("lost", at("clones/two")), Root: at("clones/two")})
	id := code.DefaultProjectID
	for name, tt := range map[string]struct {
		where   access.Where
		project string
		root    string
		index   string
		larger  string
		fails   string
	}{
		"the named root, its latest project": {where: access.Where{Root: at("plain")}, project: "newer",
			root: at("plain")},
		"a link is what it names": {where: access.Where{Root: at("link")}, project: id(at("repo")),
			root: at("repo")},
		"a project brings its root": {where: access.Where{Project: "web", Dir: at("bare")}, project: "web",
			root: at("plain")},
		"a further root of a project": {where: access.Where{Project: "web", Root: at("repo")}, project: "web",
			root: at("repo"), index: further},
		"its index, by the root alone": {where: access.Where{Root: at("clones/one")}, project: "deep",
			root: at("clones/one"), index: second},
		"a project's root around here": {where: access.Where{Project: "deep", Dir: at("clones/one/a")},
			project: "deep", root: at("clones/one"), index: second},
		"a project's first root": {where: access.Where{Project: "deep", Dir: at("bare")}, project: "deep",
			root: at("repo/sub")},
		"while the first root is gone": {where: access.Where{Project: "lost"}, project: "lost",
			root: at("clones/two"), index: code.RootIndexID("lost", at("clones/two"))},
		"that root by name": {where: access.Where{Project: "lost", Root: at("clones/two")},
			project: "lost", root: at("clones/two"), index: code.RootIndexID("lost", at("clones/two"))},
		"a new project": {where: access.Where{Project: "new", Root: at("repo")}, project: "new",
			root: at("repo")},
		"the repository above": {where: access.Where{Dir: at("repo")}, project: id(at("repo")),
			root: at("repo")},
		"the project's root above is nearer": {where: access.Where{Dir: at("repo/sub/deep")}, project: "deep",
			root: at("repo/sub"), larger: at("repo")},
		"a project inside another": {where: access.Where{Dir: at("plain/sub/in")}, project: "in",
			root: at("plain/sub/in"), larger: at("plain")},
		"a project inside another, named": {where: access.Where{Root: at("repo/sub"), Dir: at("repo/sub")},
			project: "deep", root: at("repo/sub")},
		"a repository inside another": {where: access.Where{Dir: at("repo/mod/a")}, project: id(at("repo/mod")),
			root: at("repo/mod")},
		"a project in a home with .git": {where: access.Where{Dir: at("home/work"), Home: at("home")}, project: "work",
			root: at("home/work")},
		"a project's root above": {where: access.Where{Dir: at("plain/sub")}, project: "newer",
			root: at("plain")},
		"nothing above: the directory": {where: access.Where{Dir: at("bare")}, project: id(at("bare")),
			root: at("bare")},
		"the home only by name": {where: access.Where{Dir: at("home"), Home: at("home")},
			fails: "which is only searched when it is named"},
		"the home by name": {where: access.Where{Root: at("home"), Home: at("home")},
			project: id(at("home")), root: at("home")},
		"the root of all only by name": {where: access.Where{Dir: "/"}, fails: "only searched when it is named"},
		"a bad id":                     {where: access.Where{Project: ".x", Root: at("repo")}, fails: `project ".x"`},
		"a missing root":               {where: access.Where{Root: at("gone")}, fails: "gone"},
		"a file":                       {where: access.Where{Root: at("file")}, fails: "not a folder"},
	} {
		got, err := access.Resolve(projects, tt.where)
		if tt.fails != "" {
			if err == nil || !strings.Contains(err.Error(), tt.fails) {
				t.Errorf("%s: error %v, want %q in it", name, err, tt.fails)
			}
			continue
		}
		if want := (access.Target{Project: tt.project, Root: tt.root, Index: tt.index,
			Larger: tt.larger}); err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, want)
		}
	}
}
