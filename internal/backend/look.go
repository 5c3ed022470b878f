package backend

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/store"
	sqlitestore "github.com/contextd/contextd/internal/store/sqlite"
)

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
