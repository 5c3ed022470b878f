package access

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/syserr"
)

// Target is the project that a question is put to.
type Target struct {
	Project string // what is remembered is shared by all its roots
	Root    string // real path; code is that of this root alone
	Index   string // id of the root's index where that is not the project's, see IndexID
	// Foreign: nothing is known of the project, and no root was named.
	Foreign bool
	// Larger is the nearest folder above Root that is a project's root or a repository, where the user named neither
	// project nor root and Root is no repository of its own; "" if there is none.
	Larger string
}

// IndexID is the id of the index of the root.
func (t Target) IndexID() string { return cmp.Or(t.Index, t.Project) }

// targetOf is the target whose index has an id.
func targetOf(index, root string) Target {
	t := Target{Project: code.ProjectOf(index), Root: root}
	if code.IsFurther(index) {
		t.Index = index
	}
	return t
}

// Where is what the user said of the project.
type Where struct {
	Project string // id, "" for none
	Root    string // directory, "" for none
	Real    bool   // Root is a real path that was checked: its links are not resolved a second time
	Dir     string // working directory
	Home    string // the user's home directory, "" if unknown
}

// RootError is returned where a root would be taken that nobody asked for.
type RootError struct {
	Root string
}

func (e *RootError) Error() string {
	return fmt.Sprintf("no project around here: the root would be %q, which is only searched when it is named", e.Root)
}

// Hint tells what to do about it.
func (e *RootError) Hint() string { return "change into a project, or name its folder with --root" }

// Resolve finds the project of a question among those that exist.
func Resolve(projects []search.Project, w Where) (Target, error) {
	if w.Project != "" {
		if err := code.CheckProjectID(w.Project); err != nil {
			return Target{}, err
		}
		if p := mainRoot(search.RootsOf(projects, w.Project), w.Project, w.Dir); p != nil && w.Root == "" {
			return targetOf(p.ID, p.Root), nil
		}
	}
	root, larger, err := findRoot(projects, w)
	if err != nil {
		return Target{}, err
	}
	if w.Project != "" {
		return targetOf(search.IndexOf(projects, w.Project, root), root), nil
	}
	t := targetOf(search.IndexOfRoot(projects, root), root)
	t.Larger = larger
	return t, nil
}

func (w Where) realRoot() (string, error) {
	if w.Real {
		return w.Root, nil
	}
	return RealDir(w.Root)
}

// RealDir is the real path of a directory that exists.
func RealDir(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = sandbox.ErrMissing
	}
	if err != nil {
		return "", fmt.Errorf("open root %q: %w", dir, syserr.Cause(err))
	}
	info, err := os.Stat(abs)
	if err != nil {
		return "", fmt.Errorf("open root %q: %w", dir, syserr.Cause(err))
	}
	if !info.IsDir() {
		return "", fmt.Errorf("open root %q: %w", dir, sandbox.ErrNotDirectory)
	}
	return abs, nil
}

// findRoot is the root given, else the nearest parent that is a project's root or holds .git, else the working
// directory. larger is as in Target.
func findRoot(projects []search.Project, w Where) (root, larger string, err error) {
	if w.Root != "" {
		root, err = w.realRoot()
		return root, "", err
	}
	dir, err := RealDir(w.Dir)
	if err != nil {
		return "", "", err
	}
	known := make(map[string]bool, len(projects))
	for _, p := range projects {
		known[p.Root] = true
	}
	home, err := filepath.EvalSymlinks(w.Home)
	refused := func(d string) bool { return d == filepath.Dir(d) || w.Home != "" && err == nil && d == home }
	root, found := dir, false
	for d := dir; ; d = filepath.Dir(d) {
		_, noGit := os.Lstat(filepath.Join(d, ".git"))
		switch repository := noGit == nil; {
		case !found && (repository || known[d]):
			if root, found = d, true; repository {
				return chosen(root, "", refused)
			}
		case found && (known[d] || repository && !refused(d)):
			return chosen(root, d, refused)
		}
		if d == filepath.Dir(d) {
			return chosen(root, "", refused)
		}
	}
}

// chosen is a root that was found, unless it is one that has to be named.
func chosen(root, larger string, refused func(string) bool) (string, string, error) {
	if refused(root) {
		return "", "", &RootError{Root: root}
	}
	return root, larger, nil
}
