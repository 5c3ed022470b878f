//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/e2e/e2etest"
)

// change is a step that changes files.
func (s *spell) change(f func() error) func(context.Context) error {
	return func(context.Context) error { return s.disk.Change(f) }
}

// some is a source that stands; "" if there is none.
func (s *spell) some() string {
	names := s.disk.Files()
	names = slices.DeleteFunc(names, func(n string) bool { return !strings.HasSuffix(n, ".py") })
	slices.Sort(names)
	if len(names) == 0 {
		return ""
	}
	return names[s.rnd.IntN(len(names))]
}

func (s *spell) edit() error {
	name := s.some()
	if name == "" {
		return s.add()
	}
	return s.rewrite(name)
}

func (s *spell) rewrite(name string) error {
	s.rev++
	return e2etest.Write(s.root, name, e2etest.Source(s.rnd.IntN(files+40), s.rev, 12+s.rnd.IntN(60)))
}

func (s *spell) add() error {
	s.source++
	s.rev++
	return e2etest.Write(s.root, e2etest.SourceName(s.source),
		e2etest.Source(s.source%(files+40), s.rev, 12+s.rnd.IntN(60)))
}

// remove removes a source, but not of the last few: a tree of none is soon at rest.
func (s *spell) remove() error {
	name := s.some()
	if name == "" || len(s.disk.Files()) < files/3 {
		return errSkip
	}
	return os.Remove(filepath.Join(s.root, name))
}

func (s *spell) rename() error {
	name := s.some()
	if name == "" {
		return errSkip
	}
	s.source++
	return os.Rename(filepath.Join(s.root, name),
		filepath.Join(s.root, filepath.Dir(name), fmt.Sprintf("renamed_%d.py", s.source)))
}

// many rewrites files, each once: of what stood between two rewrites in one change nobody would know.
func (s *spell) many() error {
	done := map[string]bool{"": true}
	for range 20 {
		name := s.some()
		if done[name] {
			continue
		}
		done[name] = true
		if err := s.rewrite(name); err != nil {
			return err
		}
	}
	return nil
}

// renameStorm renames files one after another as fast as it can.
func (s *spell) renameStorm(context.Context) error {
	for range 15 {
		if err := s.disk.Change(s.rename); err != nil {
			return err
		}
	}
	return nil
}

// checkout commits what there is and goes to another branch, a new one now and then.
func (s *spell) checkout() error {
	if err := e2etest.Commit(s.root, "state"); err != nil {
		return err
	}
	return s.branch()
}

func (s *spell) branch() error {
	branch := fmt.Sprintf("b%d", s.rnd.IntN(4))
	if e2etest.Git(s.root, "checkout", "-q", branch) == nil {
		return nil
	}
	return e2etest.Git(s.root, "checkout", "-q", "-b", branch)
}

// checkoutStorm goes from branch to branch as fast as it can.
func (s *spell) checkoutStorm(context.Context) error {
	if err := s.disk.Change(s.checkout); err != nil {
		return err
	}
	for range 5 {
		if err := s.disk.Change(s.branch); err != nil {
			return err
		}
	}
	return nil
}

// swap puts a file where a folder was, and the folder back, a few times.
func (s *spell) swap(ctx context.Context) error {
	dir := filepath.Join(s.root, fmt.Sprintf("pkg%d", s.rnd.IntN(7)))
	aside := filepath.Join(filepath.Dir(s.root), "aside")
	if _, err := os.Stat(dir); err != nil {
		return errSkip
	}
	for range 1 + s.rnd.IntN(3) {
		if err := s.disk.Change(func() error {
			if err := os.Rename(dir, aside); err != nil {
				return err
			}
			return os.WriteFile(dir, []byte("a file for a while\n"), 0o600)
		}); err != nil {
			return err
		}
		s.doze(ctx, 60)
		if err := s.disk.Change(func() error {
			if err := os.Remove(dir); err != nil {
				return err
			}
			return os.Rename(aside, dir)
		}); err != nil {
			return err
		}
		s.doze(ctx, 60)
	}
	return nil
}

// ignore makes a rule that leaves a folder's untracked files out, or takes it away.
func (s *spell) ignore() error {
	file := filepath.Join(s.root, ".gitignore")
	if _, err := os.Stat(file); err == nil {
		return os.Remove(file)
	}
	return os.WriteFile(file, []byte(fmt.Sprintf("/pkg%d/\n", s.rnd.IntN(7))), 0o600)
}
