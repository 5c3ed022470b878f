package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// tree makes folders below a real path; those that end in ".git" make their parent a repository.
func tree(t *testing.T, dirs ...string) string {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		if err := os.MkdirAll(filepath.Join(top, filepath.FromSlash(d)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return top
}

func TestFindMeansTheRepositoryAroundOrThoseRightInside(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		dirs  []string
		dir   string
		known string
		want  []string // below the top; nil: refused
	}{
		"inside a repository": {[]string{"web/.git", "web/src/app"}, "web/src/app", "", []string{"web"}},
		"the repository":      {[]string{"web/.git"}, "web", "", []string{"web"}},
		"the nearest of two": {[]string{"web/.git", "web/vendor/lib/.git", "web/vendor/lib/src"},
			"web/vendor/lib/src", "", []string{"web/vendor/lib"}},
		"a project without git": {[]string{"web/src"}, "web/src", "web", []string{"web"}},
		"a folder alone":        {[]string{"web/src"}, "web/src", "", []string{"web/src"}},
		"a folder of repositories": {[]string{"all/b/.git", "all/a/.git", "all/notes"}, "all", "",
			[]string{"all/a", "all/b"}},
		"a folder of one repository":   {[]string{"all/a/.git", "all/notes"}, "all", "", []string{"all"}},
		"repositories in a repository": {[]string{"all/.git", "all/a/.git", "all/b/.git"}, "all", "", []string{"all"}},
		"home":                         {[]string{"home/src"}, "home", "", nil},
		"home with repositories":       {[]string{"home/a/.git", "home/b/.git"}, "home", "", nil},
		"a folder in a home under git": {[]string{"home/.git", "home/src"}, "home/src", "", []string{"home/src"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top := tree(t, test.dirs...)
			at := func(p string) string { return filepath.Join(top, filepath.FromSlash(p)) }
			got, err := Find(at(test.dir), at("home"), func(root string) bool {
				return test.known != "" && root == at(test.known)
			})
			var want []string
			for _, p := range test.want {
				want = append(want, at(p))
			}
			var refused *RefusedError
			if !slices.Equal(got.Roots, want) || errors.As(err, &refused) != (want == nil) {
				t.Errorf("Find(%q) = %q, %v; want %q", test.dir, got.Roots, err, want)
			}
		})
	}
}

func TestFindRefusesTheRootOfADrive(t *testing.T) {
	t.Parallel()
	top := filepath.VolumeName(t.TempDir()) + string(filepath.Separator)
	var refused *RefusedError
	if got, err := Find(top, "", nil); !errors.As(err, &refused) {
		t.Errorf("Find(%q) = %v, %v", top, got, err)
	}
}

func TestFindAsksABoundedNumberOfRepositories(t *testing.T) {
	t.Parallel()
	var dirs []string
	for i := range MostRoots + 3 {
		dirs = append(dirs, fmt.Sprintf("r%02d/.git", i))
	}
	got, err := Find(tree(t, dirs...), "", nil)
	if err != nil || len(got.Roots) != MostRoots || got.Omitted != 3 {
		t.Errorf("Find = %d roots, %d omitted, %v", len(got.Roots), got.Omitted, err)
	}
}

func TestUpStaysWithinWhatIsAllowed(t *testing.T) {
	t.Parallel()
	top := tree(t, "web/.git", "web/src/app")
	app := filepath.Join(top, "web", "src", "app")
	for allowed, want := range map[string]string{
		top:                              filepath.Join(top, "web"),
		filepath.Join(top, "web", "src"): app,
	} {
		within := func(dir string) bool {
			rel, err := filepath.Rel(allowed, dir)
			return err == nil && filepath.IsLocal(rel)
		}
		if got := Up(app, within); got != want {
			t.Errorf("within %q Up is %q, want %q", allowed, got, want)
		}
	}
}
