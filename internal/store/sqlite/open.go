package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"time"

	"github.com/contextd/contextd/internal/sqlfile"
	"github.com/contextd/contextd/internal/store"
)

// version is the layout of the file, kept as its user_version.
const version = 1

const schema = `
CREATE TABLE IF NOT EXISTS shelf (n INTEGER PRIMARY KEY, bucket BLOB NOT NULL, owner BLOB NOT NULL, rev INTEGER NOT NULL, UNIQUE (bucket, owner));
CREATE TABLE IF NOT EXISTS doc (shelf INTEGER NOT NULL, id BLOB NOT NULL, rev INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (shelf, id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS entry (log BLOB NOT NULL, id INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (log, id));
PRAGMA user_version = 1;`

// The ways into the file.
const (
	safe = iota // a commit is on the disk, on macOS not just in the cache of the drive
	soon        // a commit survives the process, not the machine
	read        // may not write
)

// ways are their settings. SQLite waits for a lock whatever becomes of the context, so a writer waits a little there
// and the rest in Store.write.
var ways = []sqlfile.Way{
	safe: {Query: "_pragma=busy_timeout(20)&_txlock=immediate&_pragma=synchronous(FULL)&_pragma=fullfsync(1)", Conns: 1},
	soon: {Query: "_pragma=busy_timeout(20)&_txlock=immediate&_pragma=synchronous(NORMAL)", Conns: 1},
	read: {Query: "_pragma=busy_timeout(5000)&_txlock=deferred&_pragma=query_only(1)", Conns: 4},
}

// Store is a store.Store in one file. Implements store.Store.
type Store struct {
	file *sqlfile.File
	log  *slog.Logger
	now  func() time.Time

	writing chan struct{} // holds the one writer of this process; others wait here and not in SQLite, which only polls
}

var _ store.Store = (*Store)(nil)

// Open opens the file at path and makes it if it does not exist. A damaged one is set aside, which the log says.
func Open(path string, log *slog.Logger) (*Store, error) {
	s := &Store{log: log, now: time.Now, writing: make(chan struct{}, 1)}
	var err error
	s.file, err = sqlfile.Open(path, sqlfile.Options{
		Version: version, Schema: schema, Tables: []string{"shelf", "doc", "entry"}, CheckBelow: 4 << 20, Ways: ways,
		Aside: func(cause error) (said, failed error) { return s.setAside(path, cause) },
	})
	if err != nil {
		return nil, fmt.Errorf("open documents %q: %w", path, err)
	}
	return s, nil
}

// Close ends all use of s.
func (s *Store) Close() error { return s.file.Close() }

// Ping reports whether the file can be read.
func (s *Store) Ping(ctx context.Context) error {
	return s.read("read", func(db *sql.DB) error {
		var n int // scanned, because a row that is not would keep its connection
		return db.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT 1 FROM shelf LIMIT 1)").Scan(&n)
	})
}

// read runs f on a reader of the open file.
func (s *Store) read(what string, f func(*sql.DB) error) error { return s.do(what, read, f) }

// write runs f in a transaction on one of the two ways that write.
func (s *Store) write(ctx context.Context, what string, way int, f func(*sql.Tx) error) error {
	select {
	case s.writing <- struct{}{}:
		defer func() { <-s.writing }()
	case <-ctx.Done():
		return fmt.Errorf("%s documents %q: %w", what, s.file.Path(), ctx.Err())
	}
	return s.do(what, way, func(db *sql.DB) error {
		var tx *sql.Tx
		err := sqlfile.RetryBusy(ctx, func() (err error) { tx, err = db.BeginTx(ctx, nil); return err })
		if err != nil {
			return err
		}
		return sqlfile.Finish(tx, f)
	})
}

// do runs f on a way into the open file, and once more if that was replaced or removed meanwhile. If it is damaged, f
// does not run again, for it would find none of what the caller knows: the error says what became of the file. what
// names the work in it.
func (s *Store) do(what string, way int, f func(*sql.DB) error) error {
	if err := s.file.Do(func(ways []*sql.DB) error { return f(ways[way]) }); err != nil {
		return fmt.Errorf("%s documents %q: %w", what, s.file.Path(), err)
	}
	return nil
}
