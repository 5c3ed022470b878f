package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/owner"
	"github.com/contextd/contextd/internal/queue"
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

// checkBelow is the size of a file up to which Open looks at all of it; a check costs about 1 ms for 4 MB.
const checkBelow = 1 << 20

// Queue is a queue.Queue in one file. Implements queue.Queue.
type Queue struct {
	path    string
	log     *slog.Logger
	holder  string               // who claims
	skew    func() time.Duration // added to the clock
	wake    chan struct{}        // a push of this process waits
	rebuilt atomic.Bool

	mu     sync.RWMutex // guards what follows; held for reading during each method's work
	db     *sql.DB
	file   os.FileInfo // of the opened file; nil if it could not be opened again
	closed bool
}

var _ queue.Queue = (*Queue)(nil)

// Open opens the queue at path and makes it if it does not exist.
func Open(path string, log *slog.Logger) (*Queue, error) {
	q := &Queue{path: path, log: log, holder: owner.Self(), skew: func() time.Duration { return 0 }, wake: make(chan struct{}, 1)}
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.open(); err != nil {
		return nil, fmt.Errorf("open queue %q: %w", path, err)
	}
	return q, nil
}

// OpenExisting is Open for those who only look: false if there is no queue at path.
func OpenExisting(path string, log *slog.Logger) (*Queue, bool, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	q, err := Open(path, log)
	return q, err == nil, err
}

// Rebuilt reports whether a damaged file was set aside since Open: what waited in it is gone, so the caller reconciles.
func (q *Queue) Rebuilt() bool { return q.rebuilt.Load() }

// Pretend has q claim as holder and read a clock that is skew ahead, so that a test can play another process and later
// times. To be called before q is used.
func (q *Queue) Pretend(holder string, skew func() time.Duration) { q.holder, q.skew = holder, skew }

// Close ends all use of q.
func (q *Queue) Close() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	return q.db.Close()
}

// Ping reports whether the file can be read.
func (q *Queue) Ping(ctx context.Context) error {
	return q.do("read queue", func(db *sql.DB) error {
		var n int // scanned, because a row that is not would keep its connection
		return db.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT 1 FROM intake LIMIT 1)").Scan(&n)
	})
}

func (q *Queue) now() time.Time { return time.Now().Add(q.skew()) }

// open opens the file as it is, or a new one in place of a damaged one. It requires that q.mu is held.
func (q *Queue) open() error {
	for try := 0; ; try++ {
		db, info, err := connect(q.path)
		if err == nil {
			q.db, q.file = db, info
			return nil
		}
		if try > 1 || !damaged(err) {
			return err
		}
		if err := q.setAside(info, err); err != nil {
			return err
		}
	}
}

// connect opens the file at path; on failure it returns what it tried to open.
func connect(path string) (_ *sql.DB, info os.FileInfo, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, nil, err
	}
	info, err = f.Stat()
	f.Close()
	if err != nil {
		return nil, nil, err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, nil, err
	}
	abs = filepath.ToSlash(abs)
	if abs[0] != '/' {
		abs = "/" + abs // file:///C:/…
	}
	dsn := url.URL{Scheme: "file", Path: abs, RawQuery: "_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)"}
	db, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return nil, info, err
	}
	db.SetMaxOpenConns(1) // methods are short; a second connection would only wait for the first one's lock
	defer func() {
		if err != nil {
			db.Close()
		}
	}()
	// Making a file a WAL file does not wait for locks as other statements do.
	err = retryBusy(func() error { return prepare(db, info.Size()) })
	return db, info, err
}

// prepare checks the file and gives a new one its tables.
func prepare(db *sql.DB, size int64) error {
	var v int
	if err := db.QueryRow("PRAGMA user_version").Scan(&v); err != nil {
		return err
	}
	switch v {
	case 0:
		tx, err := db.Begin()
		if err != nil {
			return err
		}
		defer tx.Rollback()
		if _, err := tx.Exec(schema); err != nil {
			return err
		}
		return tx.Commit()
	case version:
	default:
		return fmt.Errorf("layout %d: %w", v, errDamaged)
	}
	if size > checkBelow {
		return nil
	}
	var verdict string
	if err := db.QueryRow("PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return err
	}
	if verdict != "ok" {
		return fmt.Errorf("%s: %w", verdict, errDamaged)
	}
	var n int
	const tables = "SELECT count(*) FROM sqlite_schema WHERE name IN ('intake', 'project', 'pending', 'dead')"
	if err := db.QueryRow(tables).Scan(&n); err != nil {
		return err
	}
	if n != 4 {
		return fmt.Errorf("tables are missing: %w", errDamaged)
	}
	return nil
}

// setAside renames the damaged file unless another process has already put a new one in its place.
func (q *Queue) setAside(info os.FileInfo, cause error) error {
	lock := flock.New(q.path + ".lock")
	if err := lock.Lock(); err != nil {
		return err
	}
	defer lock.Unlock()
	if now, err := os.Stat(q.path); err == nil && !os.SameFile(now, info) {
		return nil
	}
	for _, tail := range []string{"-wal", "-shm"} {
		if err := os.Remove(q.path + tail); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := os.Rename(q.path, q.path+".bad"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	q.rebuilt.Store(true)
	q.log.Warn("queue file was damaged and is made anew", obs.KeyPath, q.path, obs.KeyError, cause)
	return nil
}
