//go:build unix

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/contextd/contextd/internal/e2e/e2etest"
)

// A request that came while Redis was down and a change that nobody told of are found once it is back.
func TestWhatCameWhileRedisWasDownIsFoundOnceItIsBack(t *testing.T) {
	b := onRedis(t, "--appendonly", "yes", "--appendfsync", "always")
	loft := filepath.Join(filepath.Dir(b.root), "loft")
	b.tree(0, 4, 0, 12)
	b.ok(e2etest.Write(loft, "gull.py", e2etest.Source(701, 0, 12)))
	s := &supervisor{bundle: b}
	s.indexer = s.daemon("--allow-root", filepath.Dir(b.root))
	s.startServer()
	s.register(shop)
	b.redis.Kill(b)
	b.write("late/tern.py", e2etest.Source(700, 0, 12))
	spool := filepath.Join(b.State(), "spool") // the one that the daemon delivers from
	var doc struct{ Spooled bool }
	if b.ok(b.JSON(&doc, "indexer", "enqueue", loft, "--project", "loft", "--spool", spool)); !doc.Spooled {
		b.Error("the request is not in the spool")
	}
	var sent struct{ Spooled bool }
	s.call("POST", "/v1/projects/"+shop+"/refresh",
		map[string]any{"root": b.root, "changed_files": []string{e2etest.SourceName(0)}}, &sent)
	if !sent.Spooled {
		b.Error("the server does not keep a request")
	}
	s.server.Kill() // it delivers, too
	b.redis.Restart(b)
	for root, files := range map[string]int{loft: 1, b.root: 5} {
		// asked of the status: a question looks at the disk itself
		b.eventually(func() error {
			p, err := b.Project(root)
			if err == nil && (p.Files != files || p.Pending > 0) {
				err = fmt.Errorf("%+v, want %d files", p, files)
			}
			return err
		})
	}
	b.eventually(func() error {
		left, err := os.ReadDir(spool)
		if err == nil && len(left) > 0 {
			err = &leftError{left}
		}
		return err
	})
}

type leftError struct{ entries []os.DirEntry }

func (e *leftError) Error() string { return "the spool still holds " + e.entries[0].Name() }

// On Redis, too, whole projects go where the state is over its limit; the one that was just written stays.
func TestOverItsLimitTheStateInRedisLosesWholeProjects(t *testing.T) {
	b := onRedis(t)
	roots := map[string]string{}
	for i, p := range []string{"first", "second", "third"} {
		roots[p] = filepath.Join(filepath.Dir(b.root), p)
		b.ok(e2etest.Tree(roots[p], i, i+3, 0, 12))
	}
	index := func(p string, flags ...string) {
		_, err := b.World.Index(roots[p], append([]string{"--project", p}, flags...)...)
		b.ok(err)
	}
	index("first")
	index("second")
	if s, err := b.Status(); err != nil || len(s.Projects) != 2 {
		b.Fatal(s, err)
	}
	index("third", "--max-state-bytes", "1")
	if s, err := b.Status(); err != nil || len(s.Projects) != 1 || s.Projects[0].Project != "third" {
		b.Errorf("the state over its limit holds %+v, %v", s.Projects, err)
	}
	b.ok(b.World.Finds(soon, roots["third"], e2etest.Question(3), e2etest.SourceName(3), "--project", "third"))
}
