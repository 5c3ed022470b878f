//go:build unix

package e2etest

import (
	"fmt"
	"path/filepath"
	"time"
)

// Status is the document of "indexer status".
type Status struct {
	Daemon bool
	Queue  struct{ Depth, Delayed, Inflight, Dead int }

	Projects []Project
}

// Project is one line of it.
type Project struct {
	Project, Root          string
	Files, Chunks, Pending int
	Generation             int64
	Stale                  bool
	Model                  string
	Next                   *Next
}

// Next is how far the next version of an index is.
type Next struct {
	Model         string
	Files, Chunks int
}

// Status asks for the queue and the projects.
func (w *World) Status() (Status, error) {
	var s Status
	return s, w.JSON(&s, "indexer", "status")
}

// Project is the project of root; without files if there is none.
func (w *World) Project(root string) (Project, error) {
	s, err := w.Status()
	if err != nil {
		return Project{}, err
	}
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return Project{}, fmt.Errorf("resolve %q: %w", root, err)
	}
	for _, p := range s.Projects {
		if p.Root == real {
			return p, nil
		}
	}
	return Project{Root: real}, nil
}

// Settled waits until root has an index and no change waits.
func (w *World) Settled(root string, within time.Duration) error {
	return Eventually(within, func() error {
		p, err := w.Project(root)
		if err == nil && (p.Generation == 0 || p.Pending > 0) {
			err = fmt.Errorf("project of %q is not at rest: %+v", root, p)
		}
		return err
	})
}

// Eventually calls f until it returns nil, and returns its last error when that takes too long.
func Eventually(within time.Duration, f func() error) error {
	end := time.Now().Add(within)
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, 250*time.Millisecond) {
		err := f()
		if err == nil {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("not within %v: %w", within, err)
		}
		time.Sleep(wait)
	}
}
