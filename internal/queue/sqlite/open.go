package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/owner"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/sqlfile"
)

// version is the layout of the file, kept as its user_version. 1: the first.
const version = 1

const schema = `
CREATE TABLE IF NOT EXISTS intake (id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, project TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS project (project TEXT PRIMARY KEY, root TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
	due INTEGER NOT NULL, not_before INTEGER NOT NULL, attempts INTEGER NOT NULL, holder TEXT NOT NULL, until INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS pending (project TEXT NOT NULL, path TEXT NOT NULL, id INTEGER NOT NULL, at INTEGER NOT NULL,
	PRIMARY KEY (project, path)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS dead (id INTEGER PRIMARY KEY, project TEXT NOT NULL, root TEXT NOT NULL, reason TEXT NOT NULL,
	attempts INTEGER NOT NULL, at INTEGER NOT NULL, paths TEXT NOT NULL, body TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS dead_at ON dead (at, id);
PRAGMA user_version = 1;`

// Queue is a queue.Queue in one file. Implements queue.Queue.
type Queue struct {
	file    *sqlfile.File
	log     *slog.Logger
	holder  string               // who claims
	skew    func() time.Duration // added to the clock
	wake    chan struct{}        // a push of this process waits
	rebuilt atomic.Bool
}

var _ queue.Queue = (*Queue)(nil)

// Open opens the queue at path and makes it if it does not exist.
func Open(path string, log *slog.Logger) (*Queue, error) {
	q := &Queue{log: log, holder: owner.Self(), skew: func() time.Duration { return 0 }, wake: make(chan struct{}, 1)}
	var err error
	q.file, err = sqlfile.Open(path, sqlfile.Options{
		Version: version, Schema: schema, Tables: []string{"intake", "project", "pending", "dead"}, CheckBelow: 1 << 20,
		// Methods are short; a second connection would only wait for the first one's lock.
		Ways: []sqlfile.Way{{Query: "_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=synchronous(NORMAL)",
			Conns: 1}},
		Replaceable: true,
		Aside:       func(cause error) (said, failed error) { return nil, q.setAside(path, cause) },
	})
	if err != nil {
		return nil, fmt.Errorf("open queue %q: %w", path, err)
	}
	return q, nil
}

// OpenExisting is Open for those who only look: false if there is no queue at path.
func OpenExisting(path string, log *slog.Logger) (*Queue, bool, error) {
	return sqlfile.Existing(path, func() (*Queue, error) { return Open(path, log) })
}

// Rebuilt reports whether a damaged file was set aside since Open: what waited in it is gone, so the caller reconciles.
func (q *Queue) Rebuilt() bool { return q.rebuilt.Load() }

// SetHolderAndClock makes q claim as holder and read a clock that is skew ahead, so that a test can act as another
// process and at later times. It must be called before q is used.
func (q *Queue) SetHolderAndClock(holder string, skew func() time.Duration) {
	q.holder, q.skew = holder, skew
}

// Close ends all use of q.
func (q *Queue) Close() error { return q.file.Close() }

// Ping reports whether the file can be read.
func (q *Queue) Ping(ctx context.Context) error {
	return q.withDB("read queue", func(db *sql.DB) error {
		var n int // scanned, because a row that is not would keep its connection
		return db.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT 1 FROM intake LIMIT 1)").Scan(&n)
	})
}

func (q *Queue) now() time.Time { return time.Now().Add(q.skew()) }

// setAside renames the damaged file.
func (q *Queue) setAside(path string, cause error) error {
	for _, tail := range []string{"-wal", "-shm"} {
		if err := os.Remove(path + tail); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := os.Rename(path, path+".bad"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	q.rebuilt.Store(true)
	q.log.Warn("queue file was damaged and is rebuilt", obs.KeyPath, path, obs.KeyError, cause)
	return nil
}

// withDB runs f on the open file, and once more if that was replaced, removed or damaged meanwhile. what names the work
// in the error.
func (q *Queue) withDB(what string, f func(*sql.DB) error) error {
	if err := q.file.Do(func(ways []*sql.DB) error { return f(ways[0]) }); err != nil {
		return fmt.Errorf("%s %q: %w", what, q.file.Path(), err)
	}
	return nil
}

// inTransaction runs f in a transaction that writes.
func (q *Queue) inTransaction(ctx context.Context, what string, f func(*sql.Tx) error) error {
	return q.withDB(what, func(db *sql.DB) error {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		return sqlfile.Finish(tx, f)
	})
}
