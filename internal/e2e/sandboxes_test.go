//go:build unix

package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/e2e/e2etest"
)

// sum is how many texts were embedded.
func (e *embedder) sum() (n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, k := range e.texts {
		n += k
	}
	return n
}

// Two agents of one project work in a checkout and in a worktree inside of it.
func TestAgentsInWorktreesShareAProjectAndNoCode(t *testing.T) {
	both(t, func(b *bundle) {
		e := b.withEmbedder()
		crew := []string{"--project", "crew"}
		b.tree(0, 6, 0, 12)
		b.ok(e2etest.Git(b.root, "init", "-q"))
		b.commit("start")
		agent := filepath.Join(b.root, "agents", "one")
		b.ok(e2etest.Git(b.root, "worktree", "add", "-q", agent))
		first := b.index(crew...)
		before := e.sum()
		second, err := b.World.Index(agent, crew...)
		b.ok(err)
		if n := e.sum() - before; n != 0 || first.Files != 6 || second.Files != 6 || second.Project != "crew" {
			b.Errorf("the worktree: %d texts embedded again, %+v, first %+v", n, second, first)
		}
		b.ok(e2etest.Write(agent, "own.go", "package own\n\nfunc HoistPennant() {}\n"))
		b.daemon("--allow-root", b.root)
		if r, err := b.Exec("indexer", "enqueue", agent, "own.go", "--project", "crew"); err != nil || r.Code != 0 {
			b.Fatal(r, err)
		}
		b.ok(b.World.Finds(soon, agent, "HoistPennant", "own.go", crew...))
		for range 3 {
			r, err := b.Query(b.root, "HoistPennant", append([]string{"--deadline", patient}, crew...)...)
			b.ok(err)
			if r.Has("own.go") || r.Has("agents/one/own.go") {
				b.Errorf("the checkout tells of the worktree's file: %+v", r.Results)
			}
			r, err = b.Query(agent, "HoistPennant", append([]string{"--deadline", patient}, crew...)...)
			if b.ok(err); !r.Has("own.go") {
				b.Errorf("the worktree: %s %q", r.Status, r.Reasons)
			}
		}
		if r, err := b.Exec("retriever", "history", "block", "mast", "the mast is broken", "--root", agent, "--project",
			"crew"); err != nil || r.Code != 0 {
			b.Fatal(r, err)
		}
		if r, err := b.Exec("retriever", "history", "list", "--root", b.root, "--project", "crew"); err != nil ||
			!strings.Contains(r.Out, "the mast is broken") {
			b.Error(r, err)
		}
		b.eventually(func() error {
			s, err := b.Status()
			if err != nil || len(s.Projects) != 2 || s.Projects[0].Project != "crew" ||
				s.Projects[1].Project != "crew" || s.Projects[0].Generation != first.Generation ||
				s.Projects[0].Pending+s.Projects[1].Pending > 0 {
				return fmt.Errorf("%+v, %v", s, err)
			}
			return nil
		})
	})
}
