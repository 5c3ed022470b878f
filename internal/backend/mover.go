package backend

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/contextd/contextd/internal/servers"
	"github.com/contextd/contextd/internal/store"
	redisstore "github.com/contextd/contextd/internal/store/redis"
)

// mover moves what lies on one server to the servers of its owners.
type mover struct {
	from  *redisstore.Store
	place int // of from; -1: it is none of the store's
	b     *Backend
	drop  bool // what is left is removed
}

func (m *mover) stray(sh store.Shelf, n int) Stray {
	return Stray{What: sh.Bucket, Owner: sh.Owner, Server: m.server(),
		Own: m.nameOf(m.placeOf(servers.Key(sh.Owner))), Count: n}
}

func (m *mover) server() string { return m.nameOf(m.place) }

func (m *mover) nameOf(place int) string {
	if m.b.several == nil || place < 0 {
		return ""
	}
	return m.b.several.set.Name(place)
}

// placeOf is the place of what has a key.
func (m *mover) placeOf(key string) int {
	if m.b.several == nil {
		return 0
	}
	return m.b.several.set.OfKey(key)
}

// target is the store at a place.
func (m *mover) target(place int) (*redisstore.Store, error) {
	one := m.b.Servers()[place]
	docs, err := one.Documents()
	if err != nil {
		return nil, err
	}
	to, ok := docs.(*redisstore.Store)
	if !ok {
		return nil, errors.New("documents are moved to Redis servers only")
	}
	return to, nil
}

// each calls f for every shelf, and g for every log, that belongs to another server than it lies on, with the store it
// belongs to. A failure of one stops no other.
func (m *mover) each(
	ctx context.Context, f func(store.Shelf, *redisstore.Store) error, g func(string, *redisstore.Store) error,
) error {
	shelves, err := m.from.Shelves(ctx)
	if err != nil {
		return err
	}
	logs, err := m.from.Logs(ctx)
	if err != nil {
		return err
	}
	var failed error
	for _, sh := range shelves {
		if place := m.placeOf(servers.Key(sh.Owner)); place != m.place {
			to, err := m.target(place)
			if err == nil {
				err = f(sh, to)
			}
			failed = cmp.Or(failed, err)
		}
	}
	for _, log := range logs {
		if place := m.placeOf(logKey(log)); place != m.place {
			to, err := m.target(place)
			if err == nil {
				err = g(log, to)
			}
			failed = cmp.Or(failed, err)
		}
	}
	return failed
}

func (m *mover) move(ctx context.Context) (done Moved, err error) {
	err = m.each(ctx, func(sh store.Shelf, to *redisstore.Store) error {
		moved, left, err := m.moveShelf(ctx, sh, to)
		if done.Documents += moved; left > 0 {
			done.Left = append(done.Left, m.stray(sh, left))
		}
		return err
	}, func(log string, to *redisstore.Store) error {
		err := m.moveLog(ctx, log, to)
		if err == nil {
			done.Logs++
		}
		return err
	})
	return done, err
}

// One change of a move has at most so many documents and bytes.
const (
	mostWrites = 500
	mostBytes  = 16 << 20
)

// moveShelf copies the documents of a shelf that its own server does not have, and then removes those that both have
// alike. A crash between the two repeats the second. left: documents that differ.
func (m *mover) moveShelf(ctx context.Context, sh store.Shelf, to *redisstore.Store) (moved, left int, err error) {
	docs, _, err := m.from.All(ctx, sh)
	if err != nil {
		return 0, 0, err
	}
	here, _, err := to.All(ctx, sh)
	if err != nil {
		return 0, 0, fmt.Errorf("move %s: %w", sh, err)
	}
	have := make(map[string][]byte, len(here))
	for _, d := range here {
		have[d.ID] = d.Data
	}
	for len(docs) > 0 {
		n, size := 0, 0
		for n < min(len(docs), mostWrites) && (n == 0 || size+len(docs[n].Data) <= mostBytes) {
			size += len(docs[n].Data)
			n++
		}
		some, gone, err := m.moveSome(ctx, sh, docs[:n], have, to)
		if moved, left = moved+some, left+n-gone; err != nil {
			return moved, left, fmt.Errorf("move %s: %w", sh, err)
		}
		docs = docs[n:]
	}
	return moved, left, nil
}

// moveSome moves documents; have are those of the shelf that to had when the move began, by id. gone: how many are no
// longer where they were.
func (m *mover) moveSome(
	ctx context.Context, sh store.Shelf, docs []store.Doc, have map[string][]byte, to *redisstore.Store,
) (moved, gone int, err error) {
	var add, remove []store.Write
	for _, d := range docs {
		data, there := have[d.ID]
		if !there {
			add = append(add, store.Write{ID: d.ID, Data: d.Data, If: store.Absent})
		}
		if !there || m.drop || bytes.Equal(data, d.Data) {
			remove = append(remove, store.Write{ID: d.ID, If: d.Rev})
		}
	}
	if len(add) > 0 {
		if _, err := to.Apply(ctx, sh, add...); err != nil { // another was faster: the next move sees what it did
			return 0, 0, err
		}
	}
	if len(remove) == 0 {
		return 0, 0, nil
	}
	if _, err := m.from.Apply(ctx, sh, remove...); err != nil {
		if errors.Is(err, store.ErrConflict) { // moved by another, or changed meanwhile by who has an old list
			return len(add), len(docs), nil
		}
		return len(add), 0, err
	}
	return len(add), len(remove), nil
}

// mostEntries bounds the entries of a log that are moved: no log keeps more.
const mostEntries = 100_000

func (m *mover) moveLog(ctx context.Context, log string, to *redisstore.Store) error {
	entries, err := m.from.Tail(ctx, log, "", mostEntries)
	if err != nil || len(entries) == 0 {
		return err
	}
	if err := to.Insert(ctx, log, entries); err != nil {
		return err
	}
	return m.from.DropLog(ctx, log, entries[len(entries)-1].ID)
}
