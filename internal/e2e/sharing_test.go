//go:build unix

package e2e

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/e2e/e2etest"
)

// sharedFiles and sharedLines make a tree of 4,600 chunks and more.
const (
	sharedFiles = 1000
	sharedLines = 200
)

// embedded is what was sent to the embedder since before, texts of chunks alone.
func (e *embedder) since(before map[string]int) (texts []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for text, n := range e.texts {
		for range n - before[text] {
			texts = append(texts, text)
		}
	}
	return texts
}

func (e *embedder) sent() map[string]int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return maps.Clone(e.texts)
}

// A worktree of a project, a clone that is a project of its own, and on Redis a client with a state of its own.
func TestWorktreesAndClonesEmbedNoUnchangedChunk(t *testing.T) {
	both(t, func(b *bundle) {
		e := b.withEmbedder()
		b.tree(0, sharedFiles, 0, sharedLines)
		b.commit("start")
		first := b.index("--project", "crew")
		if first.Chunks < 4600 {
			b.Fatalf("%d chunks", first.Chunks)
		}
		b.Logf("first root: %d chunks, %d texts in %d requests", first.Chunks, e.sum(), e.requests.Load())
		worktree, clone, far := filepath.Join(b.Dir, "worktree"), filepath.Join(b.Dir, "clone"), filepath.Join(b.Dir, "far")
		b.git("worktree", "add", "-q", worktree)
		b.git("clone", "-q", b.root, clone)
		b.git("clone", "-q", b.root, far)
		type peer struct {
			world         *e2etest.World
			root, project string
		}
		peers := []peer{{b.World, worktree, "crew"}, {b.World, clone, "other"}}
		if b.redis != nil {
			peers = append(peers, peer{b.Through(b.Redis, "elsewhere"), far, "third"})
		}
		own := e2etest.SourceName(sharedFiles + 1)
		for i, p := range peers {
			before := e.sent()
			doc, err := p.world.Index(p.root, "--project", p.project)
			b.ok(err)
			if texts := e.since(before); len(texts) > 0 || doc.Chunks != first.Chunks || doc.Project != p.project {
				b.Errorf("%s: %d texts embedded again, %+v", p.root, len(texts), doc)
			}
			before = e.sent()
			b.ok(e2etest.Write(p.root, own, e2etest.Source(sharedFiles+1, 10+i, 20)))
			b.ok(e2etest.Write(p.root, e2etest.SourceName(3), e2etest.Source(3, 0, sharedLines)+"\n\ndef added_"+p.project+"():\n    return 1\n"))
			doc, err = p.world.Index(p.root, "--project", p.project)
			b.ok(err)
			if texts := e.since(before); len(texts) < 2 || len(texts) > 3 {
				b.Errorf("%s: a file and a function more are %d texts: %q, %+v", p.root, len(texts), texts, doc)
			}
		}
		for _, asks := range peers {
			for _, has := range peers {
				r, err := asks.world.Query(asks.root, "added_"+has.project, "--project", asks.project, "--deadline", patient)
				b.ok(err)
				told := slices.ContainsFunc(r.Results, func(s e2etest.Served) bool { return strings.Contains(s.Snippet, "added_"+has.project) })
				if told != (asks.project == has.project) {
					b.Errorf("%s tells of what %s alone has: %v, %+v", asks.root, has.root, told, r.Results)
				}
			}
		}
		stored := b.storedVectors()
		// Long enough that no numbers spell them by chance: three letters would stand in one file of twelve.
		for _, hidden := range []string{"handle_", e2etest.Word(3), e2etest.SourceName(3), "other", filepath.Base(worktree)} {
			if strings.Contains(stored, hidden) {
				b.Errorf("the shared vectors hold %q", hidden)
			}
		}
	})
}

// Worktrees are made for many agents at once, and one daemon indexes them side by side.
func TestWorktreesIndexedAtOnceEmbedEachChunkOnce(t *testing.T) {
	both(t, func(b *bundle) {
		e := b.withEmbedder()
		b.tree(0, 200, 0, sharedLines)
		b.commit("start")
		roots := []string{b.root}
		for i := range 3 {
			roots = append(roots, filepath.Join(b.Dir, fmt.Sprintf("agent%d", i)))
			b.git("worktree", "add", "-q", roots[i+1])
		}
		b.daemon("--allow-root", b.root, "--allow-root", b.Dir, "--workers", "4")
		for _, root := range roots {
			if r, err := b.Exec("indexer", "enqueue", root, "--project", "crew"); err != nil || r.Code != 0 {
				b.Fatal(r, err)
			}
		}
		for _, root := range roots {
			b.ok(b.Settled(root, soon))
			b.rebuiltAt(root, "openai/") // vectors may follow words
		}
		p, err := b.Project(b.root)
		b.ok(err)
		texts := e.sent()
		delete(texts, "hello")
		twice := 0
		for _, n := range texts {
			if n > 1 {
				twice++
			}
		}
		if len(texts) < p.Chunks || twice > 0 {
			b.Errorf("%d of %d texts were embedded more than once", twice, len(texts))
		}
	})
}

// storedVectors is what the store keeps for sharing, as bytes.
func (b *bundle) storedVectors() string {
	b.Helper()
	var all strings.Builder
	if b.redis == nil {
		for _, tail := range []string{"", "-wal"} {
			text, err := os.ReadFile(filepath.Join(b.State(), "vectors.db"+tail))
			if err != nil && !os.IsNotExist(err) {
				b.Fatal(err)
			}
			all.Write(text)
		}
	} else {
		m, err := b.redis.Client(b.T).HGetAll(b.Context(), b.Prefix+":vectors").Result()
		b.ok(err)
		for k, v := range m {
			all.WriteString(k + v)
		}
	}
	if all.Len() < 64*1000 {
		b.Fatalf("%d bytes of shared vectors", all.Len())
	}
	return all.String()
}
