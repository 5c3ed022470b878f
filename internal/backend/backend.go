package backend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
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
	sqlitestore "github.com/contextd/contextd/internal/store/sqlite"
	"github.com/contextd/contextd/internal/vectors"
)

// The names of the backings.
const (
	Embedded = "embedded"
	Redis    = "redis"
)

// Options choose a backing.
type Options struct {
	Redis         string // URL, or several with blanks between; "" for the embedded backing
	Prefix        string // first part of every Redis key; "" means "ctx"
	StateDir      string // absolute
	NamesOnly     bool   // search file names only, whatever the backing can
	VectorIndex   string // "flat", "hnsw" or "auto", on Redis; "" means auto
	MaxStateBytes int64  // size of all indexes together, of each of several servers; 0 means 10 GB
	Limits        Limits
	// Deadline is the longest that one Redis command may take where somebody waits for an answer. 0: nobody does; what
	// looks takes at most 5 s then, and what writes tries again.
	Deadline time.Duration
	Log      *slog.Logger // nil: none
}

// WithDefaults fills what is not set.
func (o Options) WithDefaults() Options {
	o.Prefix = cmp.Or(o.Prefix, "ctx")
	o.MaxStateBytes = cmp.Or(o.MaxStateBytes, 10_000_000_000)
	o.Limits = o.Limits.WithDefaults()
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// Validate names the first option that is wrong.
func (o Options) Validate() error {
	if o.Redis != "" {
		if _, err := rdb.ParseURLs(o.Redis); err != nil {
			return err
		}
	}
	if !filepath.IsAbs(o.StateDir) {
		return errors.New("state directory: want an absolute path")
	}
	return nil
}

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

// ExistingDocuments is Documents for those who only look: nil on the embedded backing where nothing was ever
// remembered.
func (b *Backend) ExistingDocuments() (store.Store, error) {
	if b.Name == Embedded {
		if _, err := os.Stat(filepath.Join(b.opts.StateDir, documentsFile)); errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
	}
	return b.Documents()
}

// DamagedDocuments lists the files of documents that were damaged and set aside, oldest first: what was remembered up
// to then lies there.
func (b *Backend) DamagedDocuments() ([]string, error) {
	if b.Name == Redis {
		return nil, nil
	}
	return sqlitestore.Aside(filepath.Join(b.opts.StateDir, documentsFile))
}

// look is the queue for those who only read: nil if there is none yet.
func (b *Backend) look() (queue.Queue, error) {
	b.mu.Lock()
	if b.queue == nil && b.Name == Embedded {
		q, err := openExistingQueue(b.opts)
		if q == nil {
			b.mu.Unlock()
			return nil, err
		}
		b.queue = q
	}
	b.mu.Unlock()
	return b.Queue()
}

// Stats are the counts of the queue; none where there is no queue yet.
func (b *Backend) Stats(ctx context.Context) (queue.Stats, error) {
	q, err := b.look()
	if q == nil || err != nil {
		return queue.Stats{}, err
	}
	return q.Stats(ctx)
}

// Waiting lists what waits in the queue, of one project or, for "", of all.
func (b *Backend) Waiting(ctx context.Context, project string) ([]queue.Waiting, error) {
	q, err := b.look()
	if q == nil || err != nil {
		return nil, err
	}
	return q.Waiting(ctx, project)
}

// Dead lists the dead letters, oldest first.
func (b *Backend) Dead(ctx context.Context) ([]queue.Letter, error) {
	q, err := b.look()
	if q == nil || err != nil {
		return nil, err
	}
	return q.Dead(ctx)
}

// Ping reports whether the store answers. Where some of several servers do not, the error is a *servers.Fault.
func (b *Backend) Ping(ctx context.Context) error {
	if b.several != nil {
		return b.several.ping(ctx)
	}
	if b.Name == Redis {
		return b.client.Ping(ctx).Err()
	}
	q, err := b.look()
	if q == nil || err != nil {
		return err
	}
	return q.Ping(ctx)
}

// refuseTime is how long Refused waits for a server that does not answer.
const refuseTime = time.Second

// Refused is the error of a server that can never serve (see rdb.ErrCluster), so that what runs long ends at its start;
// nil where the server is down or slow, which may pass.
func (b *Backend) Refused(ctx context.Context) error {
	if b.Name != Redis {
		return nil
	}
	if b.several != nil {
		for _, one := range b.several.each {
			if err := one.Refused(ctx); err != nil {
				return fmt.Errorf("server %q: %w", one.Server(), err)
			}
		}
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, refuseTime)
	defer cancel()
	if err := b.client.Ping(ctx).Err(); NeverServes(err) {
		return fmt.Errorf("open the store: %w", err)
	}
	return nil
}

// NeverServes reports whether err says that trying again is in vain.
func NeverServes(err error) bool { return rdb.Classify(err) == rdb.Cluster }

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
