package backend

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/servers"
	"github.com/contextd/contextd/internal/store"
	redisstore "github.com/contextd/contextd/internal/store/redis"
)

// severalStores is a store.Store on several servers: a shelf lies on that of its owner. What it asks for the first time
// is brought there first, if it lies on another: the list of servers may have changed.
type severalStores struct {
	*several
	each    []store.Store // by place
	settled *sync.Map     // shelves and names of logs of which no other server has anything
	count   *atomic.Int64 // of settled
}

// mostSettled bounds what is remembered of shelves and logs: agents may have any names.
const mostSettled = 100_000

var _ store.Store = severalStores{}

func (s *several) openStores() (store.Store, error) {
	all := severalStores{several: s, settled: new(sync.Map), count: new(atomic.Int64)}
	for _, b := range s.each {
		one, err := b.Documents()
		if err != nil {
			return nil, err
		}
		all.each = append(all.each, one)
	}
	return all, nil
}

func (s severalStores) shelf(ctx context.Context, sh store.Shelf) (at store.Store, place int) {
	place = s.set.Of(sh.Owner)
	s.settle(ctx, sh, place,
		func(ctx context.Context, from *redisstore.Store) (bool, error) { return from.Holds(ctx, sh) },
		func(ctx context.Context, m *mover, to *redisstore.Store) error {
			_, _, err := m.moveShelf(ctx, sh, to)
			return err
		})
	return s.each[place], place
}

// receiptsLog begins the names of the logs that have the key of their project for an owner.
const receiptsLog = "receipts"

// logKey is the key of the owner of a log.
func logKey(log string) string {
	kind, owner, _ := strings.Cut(log, ":")
	if kind == receiptsLog {
		return owner
	}
	return servers.Key(owner)
}

func (s severalStores) log(ctx context.Context, name string) (at store.Store, place int) {
	place = s.set.OfKey(logKey(name))
	s.settle(ctx, name, place,
		func(ctx context.Context, from *redisstore.Store) (bool, error) { return from.HoldsLog(ctx, name) },
		func(ctx context.Context, m *mover, to *redisstore.Store) error { return m.moveLog(ctx, name, to) })
	return s.each[place], place
}

// settleWithin is how long a first use waits for the other servers to say that they have nothing of it.
const settleWithin = 100 * time.Millisecond

// settle brings to its place what other servers have of a shelf or a log, once in the life of s. What could not be asked
// or moved is left to the next use: nothing is lost by that, the daemon and doctor find it too.
func (s severalStores) settle(
	ctx context.Context, what any, place int, holds func(context.Context, *redisstore.Store) (bool, error),
	move func(context.Context, *mover, *redisstore.Store) error,
) {
	if _, done := s.settled.Load(what); done {
		return
	}
	to, ok := s.each[place].(*redisstore.Store)
	if !ok {
		return
	}
	look, cancel := context.WithTimeout(ctx, settleWithin)
	defer cancel()
	found, err := ask(look, s.several, func(ctx context.Context, b *Backend) (bool, error) {
		from, ok := s.each[b.place.number].(*redisstore.Store)
		if !ok || b.place.number == place {
			return false, nil
		}
		return holds(ctx, from)
	})
	for i, there := range found {
		if !there {
			continue
		}
		m := &mover{from: s.each[i].(*redisstore.Store), place: i, b: s.several.each[i].All()}
		if moveErr := move(ctx, m, to); moveErr != nil {
			m.b.opts.Log.Warn("documents not moved to their server", "server", m.server(), "what", what, "error", moveErr)
			err = moveErr
		}
	}
	if err != nil {
		return
	}
	if s.count.Add(1) > mostSettled {
		s.settled.Clear()
		s.count.Store(0)
	}
	s.settled.Store(what, true)
}

func (s severalStores) Get(ctx context.Context, sh store.Shelf, id string) (store.Doc, error) {
	at, place := s.shelf(ctx, sh)
	d, err := at.Get(ctx, sh, id)
	return d, s.faultOf(place, err)
}

func (s severalStores) All(ctx context.Context, sh store.Shelf) ([]store.Doc, int64, error) {
	at, place := s.shelf(ctx, sh)
	all, rev, err := at.All(ctx, sh)
	return all, rev, s.faultOf(place, err)
}

func (s severalStores) Rev(ctx context.Context, sh store.Shelf) (int64, error) {
	at, place := s.shelf(ctx, sh)
	rev, err := at.Rev(ctx, sh)
	return rev, s.faultOf(place, err)
}

// faultOf is err, of the server at a place, as a fault of that server where it did not answer.
func (s severalStores) faultOf(place int, err error) error {
	switch rdb.Classify(err) {
	case rdb.Unreachable, rdb.Deadline, rdb.Loading, rdb.Auth:
		return &servers.Fault{Set: s.set, Errors: map[int]error{place: err}}
	}
	return err
}

// Owners lists those of the servers that answer; the error is a *servers.Fault.
func (s severalStores) Owners(ctx context.Context, bucket string) ([]string, error) {
	lists, err := ask(ctx, s.several, func(ctx context.Context, b *Backend) ([]string, error) {
		return s.each[b.place.number].Owners(ctx, bucket)
	})
	owners := slices.Concat(lists...)
	slices.Sort(owners)
	return slices.Compact(owners), err
}

func (s severalStores) Apply(ctx context.Context, sh store.Shelf, writes ...store.Write) (int64, error) {
	at, place := s.shelf(ctx, sh)
	rev, err := at.Apply(ctx, sh, writes...)
	return rev, s.faultOf(place, err)
}

func (s severalStores) Append(ctx context.Context, log string, keep int, data ...[]byte) (string, error) {
	at, place := s.log(ctx, log)
	id, err := at.Append(ctx, log, keep, data...)
	return id, s.faultOf(place, err)
}

func (s severalStores) Tail(ctx context.Context, log, after string, n int) ([]store.Entry, error) {
	at, place := s.log(ctx, log)
	entries, err := at.Tail(ctx, log, after, n)
	return entries, s.faultOf(place, err)
}

func (s severalStores) Last(ctx context.Context, log string, n int) ([]store.Entry, error) {
	at, place := s.log(ctx, log)
	entries, err := at.Last(ctx, log, n)
	return entries, s.faultOf(place, err)
}

// Close leaves the servers to the Backend.
func (s severalStores) Close() error { return nil }

// severalVectors keeps each vector on the server of its key. A server that is down has none: they are made again.
type severalVectors struct{ *several }

// split are the places of keys, by server.
func (v severalVectors) split(keys []embed.Key) [][]int {
	by := make([][]int, len(v.each))
	for i := range keys {
		n := v.set.OfKey(string(keys[i][:]))
		by[n] = append(by[n], i)
	}
	return by
}

func (v severalVectors) Get(ctx context.Context, keys []embed.Key) ([][]float32, error) {
	out, by := make([][]float32, len(keys)), v.split(keys)
	return out, v.tell(ctx, func(ctx context.Context, b *Backend) error {
		own, mine := []embed.Key{}, by[b.place.number]
		for _, i := range mine {
			own = append(own, keys[i])
		}
		found, err := b.vectors.Get(ctx, own)
		for j := range min(len(found), len(mine)) {
			out[mine[j]] = found[j]
		}
		return err
	})
}

func (v severalVectors) Put(ctx context.Context, keys []embed.Key, vectors [][]float32) error {
	by := v.split(keys)
	return v.tell(ctx, func(ctx context.Context, b *Backend) error {
		var own []embed.Key
		var vs [][]float32
		for _, i := range by[b.place.number] {
			own, vs = append(own, keys[i]), append(vs, vectors[i])
		}
		return b.vectors.Put(ctx, own, vs)
	})
}

func (v severalVectors) Drop(ctx context.Context) error {
	return v.tell(ctx, func(ctx context.Context, b *Backend) error { return b.vectors.Drop(ctx) })
}

func (v severalVectors) Close() error { return nil }
