package backend

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/store"
	redisstore "github.com/contextd/contextd/internal/store/redis"
)

// Moved is what a move of documents has done.
type Moved struct {
	Documents int // that lie on the server of their owner now
	Logs      int
	// Left are documents that both servers have, and not alike: that of the owner's server counts, the other one stays
	// where it is until somebody drops it.
	Left []Stray
}

// Stray is what lies on a server that is not its owner's.
type Stray struct {
	What   string `json:"what"`   // a shelf, or a log, for people
	Owner  string `json:"owner"`  // a project, an agent, or "all"
	Server string `json:"server"` // where it lies; "" for a server that is not in the list
	Own    string `json:"own"`    // where it belongs; "" where the store has one server
	Count  int    `json:"count"`  // documents; 0 for a log
}

// mover is that of a server of this store.
func (b *Backend) mover(drop bool) (*mover, error) {
	docs, err := b.Documents()
	from, ok := docs.(*redisstore.Store)
	if err != nil || !ok {
		return nil, cmp.Or(err, errors.New("documents lie in no Redis"))
	}
	return &mover{from: from, place: b.place.number, b: b.All(), drop: drop}, nil
}

// MoveDocuments moves what is remembered on this server of projects and agents that belong to others. drop: of documents
// that both have, those here are removed.
func (b *Backend) MoveDocuments(ctx context.Context, drop bool) (Moved, error) {
	m, err := b.mover(drop)
	if err != nil {
		return Moved{}, err
	}
	return m.move(ctx)
}

// MoveDocumentsFrom is MoveDocuments of a server that is not, or no longer, one of this store.
func (b *Backend) MoveDocumentsFrom(ctx context.Context, url string, drop bool) (Moved, error) {
	t, err := rdb.ParseURL(url)
	if err != nil {
		return Moved{}, err
	}
	targets, err := rdb.ParseURLs(b.opts.Redis)
	if err != nil {
		return Moved{}, err
	}
	for _, own := range targets {
		if own.Name() == t.Name() || own.Addr == t.Addr {
			return Moved{}, fmt.Errorf("move from %q: it is one of the servers of --redis", t.Name())
		}
	}
	from, err := redisstore.Open(redisstore.Options{URL: url, Prefix: b.opts.Prefix})
	if err != nil {
		return Moved{}, err
	}
	defer from.Close()
	done, err := (&mover{from: from, place: -1, b: b, drop: drop}).move(ctx)
	if err == nil && len(done.Left) == 0 {
		err = b.forgetSeen(t)
	}
	return done, err
}

// Strays lists what is remembered on this server of projects and agents that belong to others.
func (b *Backend) Strays(ctx context.Context) (all []Stray, err error) {
	if b.place.all == nil {
		return nil, nil
	}
	m, err := b.mover(false)
	if err != nil {
		return nil, err
	}
	err = m.each(ctx, func(sh store.Shelf, to *redisstore.Store) error {
		docs, _, err := m.from.All(ctx, sh)
		all = append(all, m.stray(sh, len(docs)))
		return err
	}, func(log string, to *redisstore.Store) error {
		all = append(all, Stray{What: "log " + log, Server: m.server(), Own: m.nameOf(m.placeOf(logKey(log)))})
		return nil
	})
	return all, err
}
