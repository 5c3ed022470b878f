// Package workspace finds the folders that a client means which names none: the repository around its working
// directory, or the repositories right inside.
//
// It only looks for names. What it finds is no permission: whoever reads a folder checks by package sandbox that it
// may.
package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/contextd/contextd/internal/syserr"
)

// Limits of a folder of repositories.
const (
	MostRoots   = 8    // that are asked
	mostEntries = 2000 // of the folder that are looked at
)

// Found are the folders that are meant.
type Found struct {
	Base    string   // real path of the folder that holds Roots; of a single root the root itself
	Roots   []string // real paths, by name; at least one
	Omitted int      // further repositories in Base
}

// RefusedError is returned for a folder that is too much to be one project.
type RefusedError struct{ Dir, What string }

func (e *RefusedError) Error() string {
	return fmt.Sprintf("no project here: %q is %s, which is not searched as a whole", e.Dir, e.What)
}

// Hint tells what to do about it.
func (e *RefusedError) Hint() string {
	return "name the project's folder as root, or start the server with --root DIR"
}

// Find tells which folders a client in dir means. That is the nearest folder from dir upwards that is a repository, or
// a project by known, which may be nil; else, where dir itself holds several repositories, these; else dir. The home
// folder and the root of a drive are refused.
func Find(dir, home string, known func(root string) bool) (Found, error) {
	real, err := Real(dir)
	if err != nil {
		return Found{}, err
	}
	for d := real; ; d = filepath.Dir(d) {
		if IsRepository(d) || known != nil && known(d) {
			if err := Refuse(d, home); err == nil {
				return Found{Base: d, Roots: []string{d}}, nil
			} else if d == real {
				return Found{}, err
			}
			break // a home folder that is kept in git: what lies in it is not part of a project
		}
		if d == filepath.Dir(d) {
			break
		}
	}
	return FindIn(real, home)
}

// FindIn is Find for a folder that was named: nothing above it is meant.
func FindIn(dir, home string) (Found, error) {
	real, err := Real(dir)
	if err != nil {
		return Found{}, err
	}
	if err := Refuse(real, home); err != nil {
		return Found{}, err
	}
	if !IsRepository(real) {
		if inside := repositories(real); len(inside) > 1 {
			n := min(len(inside), MostRoots)
			return Found{Base: real, Roots: inside[:n], Omitted: len(inside) - n}, nil
		}
	}
	return Found{Base: real, Roots: []string{real}}, nil
}

// Refuse is an error where dir, a real path, is the home folder or the root of a drive.
func Refuse(dir, home string) error {
	if dir == filepath.Dir(dir) {
		return &RefusedError{dir, "the root of a drive"}
	}
	if real, err := filepath.EvalSymlinks(home); home != "" && err == nil && real == dir {
		return &RefusedError{dir, "the home folder"}
	}
	return nil
}

// Up is the nearest repository from dir, a real path, upwards as far as within allows; dir where there is none.
func Up(dir string, within func(dir string) bool) string {
	for d := dir; within(d); d = filepath.Dir(d) {
		if IsRepository(d) {
			return d
		}
		if d == filepath.Dir(d) {
			break
		}
	}
	return dir
}

// IsRepository reports whether dir holds .git, as a folder or, in a worktree, as a file.
func IsRepository(dir string) bool {
	info, err := os.Lstat(filepath.Join(dir, ".git"))
	return err == nil && (info.IsDir() || info.Mode().IsRegular())
}

// repositories are the repositories right inside dir, by name; links are not followed.
func repositories(dir string) (found []string) {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	entries, _ := f.ReadDir(mostEntries) // what could be read counts
	for _, e := range entries {
		if d := filepath.Join(dir, e.Name()); e.IsDir() && IsRepository(d) {
			found = append(found, d)
		}
	}
	slices.Sort(found)
	return found
}

// Real is the real path of a folder.
func Real(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	var info fs.FileInfo
	if err == nil {
		info, err = os.Stat(abs)
	}
	if err == nil && !info.IsDir() {
		err = errors.New("not a folder")
	}
	if err != nil {
		return "", fmt.Errorf("open root %q: %w", dir, syserr.Cause(err))
	}
	return abs, nil
}
