package bridge

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/freshness"
	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/mcp"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/workspace"
)

// atOnce is how many folders one question asks at once.
const atOnce = 4

// Search implements mcp.Searcher.
func (b *Bridge) Search(ctx context.Context, q mcp.Question) (*mcp.Found, error) {
	p, f, err := b.resolve(ctx, q.Root)
	if err != nil {
		return nil, err
	}
	req := retrieve.Request{Text: q.Text, Deadline: queryTime,
		Gates: gates.Options{MaxResults: q.K, MaxChars: q.MaxChars, MaxBytes: q.MaxBytes,
			Stale: gates.Verify}}.WithGuesses()
	if q.Path != "" {
		f, q.Path = narrow(f, q.Path)
	}
	if q.Path != "" {
		req.Globs = []string{q.Path}
	}
	if err := req.Validate(); err != nil {
		return nil, err
	}
	replies, errs := make([]*retrieve.Reply, len(f.Roots)), make([]error, len(f.Roots))
	var asking sync.WaitGroup
	room := make(chan struct{}, atOnce)
	for i, root := range f.Roots {
		asking.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			replies[i], errs[i] = b.ask(ctx, p, root, req)
		})
	}
	asking.Wait()
	found := &mcp.Found{Base: f.Base, Omitted: f.Omitted}
	for i, r := range replies {
		if err := errs[i]; err != nil && len(f.Roots) > 1 {
			found.Failed = append(found.Failed, fmt.Sprintf("%s: %v", f.Roots[i], err))
			continue
		} else if err != nil {
			return nil, withRootHint(err)
		}
		if p.Told != nil {
			p.Told.Searched(r)
		}
		found.Replies = append(found.Replies, r)
	}
	if len(found.Replies) == 0 {
		return nil, withRootHint(errors.Join(errs...))
	}
	return found, nil
}

// narrow takes the name of a repository off a path that begins with it, where several are asked.
func narrow(f workspace.Found, path string) (workspace.Found, string) {
	if len(f.Roots) < 2 {
		return f, path
	}
	rel := filepath.ToSlash(path)
	if filepath.IsAbs(path) {
		below, err := filepath.Rel(f.Base, path)
		if err != nil {
			return f, path
		}
		rel = filepath.ToSlash(below)
	}
	first, rest, _ := strings.Cut(strings.TrimPrefix(rel, "./"), "/")
	for _, root := range f.Roots {
		if filepath.Base(root) == first {
			return workspace.Found{Base: f.Base, Roots: []string{root}}, rest
		}
	}
	return f, path
}

// ask puts a question to the project of a root. With First the index is brought up to date before, as the command query
// does it.
func (b *Bridge) ask(ctx context.Context, p *Place, root string, req retrieve.Request) (*retrieve.Reply, error) {
	where := access.Where{Root: root}
	if b.opts.Refresh != freshness.First {
		return p.App.Answers.Query(ctx, req, where, b.opts.Refresh, nil)
	}
	var r *retrieve.Reply
	var err error
	if !b.inTurn(ctx, p, root, func() {
		r, err = p.App.Answers.Query(b.ctx, req, where, freshness.First, nil)
	}) {
		return b.answerUnrefreshed(ctx, p, req, where)
	}
	return r, err
}

// inTurn runs work, which brings the index of a root up to date, when it is its turn; false: it was not done in time.
// Once begun it goes on, so that the next question finds it done.
func (b *Bridge) inTurn(ctx context.Context, p *Place, root string, work func()) bool {
	wait, cancel := context.WithTimeout(ctx, b.refreshWait)
	defer cancel()
	if !b.turns.take(wait, root) {
		return false
	}
	done := make(chan struct{})
	b.work.Go(func() {
		defer b.turns.leave(root)
		work()
		close(done)
	})
	select {
	case <-done:
		b.readGitHistory(p)
		return true
	case <-wait.Done():
		return false
	}
}

// answerUnrefreshed answers from what is there, while the index is still being made.
func (b *Bridge) answerUnrefreshed(
	ctx context.Context, p *Place, req retrieve.Request, where access.Where,
) (*retrieve.Reply, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	r, err := p.App.Answers.Query(ctx, req, where, freshness.Never, nil)
	if err != nil {
		return nil, err
	}
	return r.With(retrieve.IndexBuilding), nil
}

// readGitHistory reads the git history of the indexed roots in the background, after the answer.
func (b *Bridge) readGitHistory(p *Place) {
	if b.readingHistory.CompareAndSwap(false, true) {
		b.work.Go(func() {
			defer b.readingHistory.Store(false)
			p.App.Fresh.Afterwards(b.ctx)
		})
	}
}

// withRootHint adds a hint to an error that refuses a root.
func withRootHint(err error) error {
	if errors.Is(err, sandbox.ErrNotAllowed) {
		return hinted{err, "this server was started for other folders; it takes more by --root DIR or --allow-root DIR"}
	}
	return err
}

type hinted struct {
	error
	hint string
}

// Hint tells what to do about it.
func (h hinted) Hint() string  { return h.hint }
func (h hinted) Unwrap() error { return h.error }

// refreshTurns lets one question at a time bring the index of a root up to date in this process. Between processes the
// lock of the index does.
type refreshTurns struct {
	mu   sync.Mutex
	busy map[string]chan struct{} // closed when the turn ends
}

// take waits for the turn of root; false: ctx ended first.
func (t *refreshTurns) take(ctx context.Context, root string) bool {
	for {
		t.mu.Lock()
		ended, busy := t.busy[root]
		if !busy && ctx.Err() == nil {
			if t.busy == nil {
				t.busy = map[string]chan struct{}{}
			}
			t.busy[root] = make(chan struct{})
			t.mu.Unlock()
			return true
		}
		t.mu.Unlock()
		if !busy {
			return false
		}
		select {
		case <-ended:
		case <-ctx.Done():
			return false
		}
	}
}

func (t *refreshTurns) leave(root string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	close(t.busy[root])
	delete(t.busy, root)
}

// refresh makes the index of a root ready for what follows, as ask does it.
func (b *Bridge) refresh(ctx context.Context, p *Place, root string) error {
	var err error
	if b.opts.Refresh != freshness.First || !b.inTurn(ctx, p, root, func() {
		_, err = p.App.Answers.Prepare(b.ctx, access.Where{Root: root}, queryTime, nil)
	}) {
		return nil
	}
	return err
}

var _ mcp.Engine = (*Bridge)(nil)
