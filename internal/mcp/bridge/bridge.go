// Package bridge answers the tools of package mcp by an app on an open store.
//
// The store is opened by the first call that needs it: a client that only lists the tools waits for nothing. Whether a
// root may be read is for package access to say; the bridge finds out which one is meant.
package bridge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/app"
	"github.com/contextd/contextd/internal/freshness"
	"github.com/contextd/contextd/internal/history"
	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/prompt"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/workspace"
)

const (
	findTime    = 5 * time.Second  // for looking up a project
	queryTime   = time.Second      // the deadline of a question, from when its index is ready
	refreshWait = 20 * time.Second // how long a question waits for its index to be brought up to date
)

// Place is an open store, and what clients mean that name no root.
type Place struct {
	App   *app.App
	Roots func(ctx context.Context) (workspace.Found, error)
	Told  Listener // nil: nobody
}

// Listener is told what clients did.
type Listener interface {
	Searched(r *retrieve.Reply)
	Assembled(e prompt.Event)
	Saved(who memory.Who)
	Completed(project string, t history.Task)
}

// Options of a bridge.
type Options struct {
	Open    func(ctx context.Context) (*Place, error) // called until it succeeds once
	Agent   string                                    // whose notes these are
	Refresh freshness.When                            // First or Behind
	Log     *slog.Logger
}

// Bridge implements mcp.Engine. Safe for concurrent use.
type Bridge struct {
	opts Options
	ctx  context.Context // of what goes on behind calls
	stop context.CancelFunc
	work sync.WaitGroup

	mu     sync.Mutex // guards what is below; held while the store is opened
	place  *Place
	closed bool

	refreshWait    time.Duration
	turns          refreshTurns
	readingHistory atomic.Bool // git history is being read behind an answer
}

// New makes a bridge. Close ends what it does behind calls; the app is its opener's to close.
func New(o Options) *Bridge {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	b := &Bridge{opts: o, refreshWait: refreshWait}
	b.ctx, b.stop = context.WithCancel(context.Background())
	return b
}

// Close ends what is done behind calls. No call may be under way.
func (b *Bridge) Close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.stop()
	b.work.Wait()
}

// open is the place, opened if it is not yet.
func (b *Bridge) open(ctx context.Context) (*Place, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.place != nil:
		return b.place, nil
	case b.closed:
		return nil, errors.New("the server is stopping")
	}
	p, err := b.opts.Open(ctx)
	if err != nil {
		return nil, err
	}
	b.place = p
	return p, nil
}

// resolve is the open store and the folders that a call means. root is as the client gave it: a relative one lies in
// what it works in, and a folder in a repository means that repository.
func (b *Bridge) resolve(ctx context.Context, root string) (*Place, workspace.Found, error) {
	p, err := b.open(ctx)
	if err != nil {
		return nil, workspace.Found{}, err
	}
	if root == "" {
		f, err := p.Roots(ctx)
		return p, f, err
	}
	if u, err := url.Parse(root); err == nil && u.Scheme == "file" { // some models think of roots as addresses
		root = filepath.FromSlash(u.Path)
	}
	if !filepath.IsAbs(root) {
		f, err := p.Roots(ctx)
		if err != nil {
			return nil, f, err
		}
		if f.Base == "" {
			return nil, f, severalError(f.Roots)
		}
		root = filepath.Join(f.Base, root)
	}
	real, err := p.App.Access.Confine(ctx, root)
	if err != nil {
		return nil, workspace.Found{}, withRootHint(err)
	}
	real = workspace.Up(real, func(dir string) bool {
		_, err := p.App.Access.Confine(ctx, dir)
		return err == nil
	})
	return p, workspace.Found{Base: real, Roots: []string{real}}, nil
}

// resolveOne is like resolve, for a call that concerns exactly one project.
func (b *Bridge) resolveOne(ctx context.Context, root string) (p *Place, dir, project string, err error) {
	p, f, err := b.resolve(ctx, root)
	if err != nil {
		return nil, "", "", err
	}
	if len(f.Roots) > 1 {
		return nil, "", "", severalError(f.Roots)
	}
	project, err = b.project(ctx, p, f.Roots[0])
	return p, f.Roots[0], project, err
}

// project is the id of the project of a root.
func (b *Bridge) project(ctx context.Context, p *Place, root string) (string, error) {
	t, fault, err := p.App.Access.Resolve(ctx, access.Where{Root: root}, findTime)
	if err == nil {
		err = fault
	}
	return t.Project, withRootHint(err)
}

// severalError is returned where one project is wanted and several are meant.
type severalError []string

func (e severalError) Error() string {
	return fmt.Sprintf("several repositories here: want argument \"root\", one of %s", strings.Join(e, ", "))
}
