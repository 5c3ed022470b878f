package backend

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/eviction"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/statedir"
	"github.com/contextd/contextd/internal/store"
	"github.com/contextd/contextd/internal/vectors"
)

// Backend is an open store. Safe for concurrent use.
type Backend struct {
	Name  string // Embedded or Redis
	Index search.Index

	opts   Options
	client *redis.Client // nil if embedded
	mu     sync.Mutex    // guards what follows
	queue  queue.Queue   // nil until it is used
	docs   store.Store   // nil until it is used

	vectors sharedVectors
	evictor *eviction.Evictor // notes with client; Close waits for it

	several *several // nil: the store is one server, or files; else nothing but Index, queue, docs and vectors is set above
	place   place    // among several servers
}

// Open opens the backing that o chooses. It neither talks to Redis nor makes files.
func Open(o Options) (*Backend, error) {
	o = o.WithDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if o.Redis == "" {
		b := &Backend{Name: Embedded, opts: o}
		var err error
		b.vectors = vectors.InFile(filepath.Join(o.StateDir, vectorsFile), o.MaxStateBytes/vectorsShare, time.Now)
		if b.Index, err = openLocal(o); err != nil {
			return nil, err
		}
		b.evictor = b.newEvictor()
		return b, nil
	}
	urls := rdb.Split(o.Redis)
	if len(urls) == 1 {
		o.Redis = urls[0]
		return openRedis(o)
	}
	targets, err := rdb.ParseURLs(o.Redis)
	if err != nil {
		return nil, err
	}
	return openSeveral(o, urls, targets)
}

// openRedis opens the backing on one server.
func openRedis(o Options) (*Backend, error) {
	b := &Backend{Name: Redis, opts: o}
	var err error
	if b.client, err = rdb.Interactive(o.Redis, cmp.Or(o.Deadline, 5*time.Second)); err != nil {
		return nil, err
	}
	b.vectors = vectors.OnRedis(b.client, o.Prefix, o.MaxStateBytes/vectorsShare)
	if b.Index, err = openRedisearch(o); err != nil {
		_ = b.client.Close()
		return nil, err
	}
	b.evictor = b.newEvictor()
	return b, nil
}

// Queue opens the queue for all uses; on the embedded backing that makes its file.
func (b *Backend) Queue() (queue.Queue, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.queue != nil {
		return b.queue, nil
	}
	if b.Name == Embedded {
		if err := statedir.Make(b.opts.StateDir); err != nil {
			return nil, err
		}
	}
	open := openQueue
	if b.several != nil {
		open = func(Options) (queue.Queue, error) { return b.several.openQueues() }
	}
	q, err := open(b.opts)
	if err != nil {
		return nil, err
	}
	b.queue = q
	return q, nil
}

// Documents opens the store of what is remembered; on the embedded backing that makes its file. It closes with b.
func (b *Backend) Documents() (store.Store, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.docs != nil {
		return b.docs, nil
	}
	if b.Name == Embedded {
		if err := statedir.Make(b.opts.StateDir); err != nil {
			return nil, err
		}
	}
	open := openDocuments
	if b.several != nil {
		open = func(Options) (store.Store, error) { return b.several.openStores() }
	}
	s, err := open(b.opts)
	if err != nil {
		return nil, err
	}
	b.docs = s
	return s, nil
}

// Once reports whether nobody else has called it with key, of a project, in the last interval: for what is done once in
// a while by whichever process comes first. Where it cannot tell, nobody has.
func (b *Backend) Once(ctx context.Context, project, key string, interval time.Duration) (first bool, err error) {
	if b = b.of(project); b.Name == Redis {
		return once(ctx, b.client, b.opts.Prefix+":once:"+key, interval)
	}
	return onceFile(b.opts.StateDir, key, interval)
}

// Close closes what is open.
func (b *Backend) Close() error {
	if b.several != nil {
		var err error
		for _, one := range b.several.each {
			err = errors.Join(err, one.Close())
		}
		return err
	}
	b.evictor.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	err := errors.Join(b.Index.Close(), b.vectors.Close())
	if b.queue != nil {
		err = errors.Join(err, b.queue.Close())
	}
	if b.docs != nil {
		err = errors.Join(err, b.docs.Close())
	}
	if b.client != nil {
		err = errors.Join(err, b.client.Close())
	}
	return err
}
