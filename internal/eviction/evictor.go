package eviction

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/search"
)

// Options say which index is kept within which limit.
type Options struct {
	Index    search.Index
	MaxBytes int64        // size of all indexes together
	Log      *slog.Logger // not nil
	// Removed hears of each project that Evict has removed.
	Removed func(ctx context.Context, project string)
}

// Files is where the embedded backing keeps what counts and what is noted.
type Files struct {
	StateDir string // absolute
	Indexes  string // the folder of all indexes, below StateDir
	// Damaged lists files that were damaged and set aside, oldest of each kind first. They go before any index.
	Damaged func() ([]string, error)
}

// Server is the Redis on which the index lies, and what is noted beside it.
type Server struct {
	Client *redis.Client // stays open until after Wait
	Prefix string        // first part of each key
	// MakeRoom removes what is made again more easily than an index. It is called before any index goes for a full
	// server.
	MakeRoom func(ctx context.Context)
}

// Evictor keeps one index within its limit. Safe for concurrent use.
type Evictor struct {
	opts  Options
	notes notes
	rooms rooms
	told  sync.Map // what was said or done once
}

// InFiles keeps an index in a state directory within its limit.
func InFiles(o Options, f Files) *Evictor {
	e := &Evictor{opts: o, notes: fileNotes{f}}
	e.rooms = fileRooms{e, f}
	return e
}

// OnRedis keeps an index on Redis within its limit, and the server within its own.
func OnRedis(o Options, s Server) *Evictor {
	e := &Evictor{opts: o, notes: &redisNotes{Server: s}}
	e.rooms = redisRooms{e, s}
	return e
}

// Queried notes that a project was queried just now. Where nothing can be written nothing is noted.
func (e *Evictor) Queried(project string) { e.notes.queried(project, time.Now()) }

// Wait waits for the notes that Queried is still writing.
func (e *Evictor) Wait() { e.notes.wait() }

// Forget removes what is noted of a project that was removed: if it comes again, it is new. What cannot be removed now
// KeepUses and the next Evict find.
func (e *Evictor) Forget(ctx context.Context, project string) {
	e.notes.drop(ctx, e.notes.name(project))
	e.rooms.forget(ctx, project)
}

// KeepUses forgets the use of projects other than those of ids, which are all that the index holds, once it is old: a
// project may have been made since ids were read, or may come back.
func (e *Evictor) KeepUses(ctx context.Context, ids []string) error {
	all, err := e.notes.all(ctx)
	for _, id := range ids {
		delete(all, e.notes.name(id))
	}
	e.forgetOld(ctx, all, time.Now())
	return err
}

// uses reads the use of the projects, and forgets that of others which is old.
func (e *Evictor) uses(ctx context.Context, projects []search.Project, now time.Time) (map[string]use, error) {
	all, err := e.notes.all(ctx)
	if err != nil {
		return nil, err
	}
	mine := make(map[string]use, len(projects))
	for _, p := range projects {
		name := e.notes.name(p.ID)
		mine[p.ID] = all[name]
		delete(all, name)
	}
	e.forgetOld(ctx, all, now)
	return mine, nil
}

// forgetOld forgets each use that is older than useKept.
func (e *Evictor) forgetOld(ctx context.Context, all map[string]use, now time.Time) {
	for name, u := range all {
		if now.Sub(u.brought) > useKept && now.Sub(u.queried) > useKept {
			e.notes.drop(ctx, name)
		}
	}
}

// warnOnce warns once in the life of e.
func (e *Evictor) warnOnce(msg string, args ...any) {
	if _, told := e.told.LoadOrStore(msg, true); !told {
		e.opts.Log.Warn(msg, args...)
	}
}
