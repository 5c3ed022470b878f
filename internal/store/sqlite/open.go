package sqlite

import (
	"cmp"
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

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/contextd/contextd/internal/store"
)

// version is the layout of the file, kept as its user_version.
const version = 1

const schema = `
CREATE TABLE IF NOT EXISTS shelf (n INTEGER PRIMARY KEY, bucket BLOB NOT NULL, owner BLOB NOT NULL, rev INTEGER NOT NULL, UNIQUE (bucket, owner));
CREATE TABLE IF NOT EXISTS doc (shelf INTEGER NOT NULL, id BLOB NOT NULL, rev INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (shelf, id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS entry (log BLOB NOT NULL, id INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (log, id));
PRAGMA user_version = 1;`

// checkBelow is the size of a file up to which Open looks at all of it; a check costs about 1 ms for 4 MB.
const checkBelow = 4 << 20

// readers is how many reads run at once.
const readers = 4

// Store is a store.Store in one file. Implements store.Store.
type Store struct {
	path string
	log  *slog.Logger
	now  func() time.Time

	damaged atomic.Pointer[store.DamagedError] // the last one

	writing chan struct{} // holds the one writer of this process; others wait here and not in SQLite, which only polls

	mu     sync.RWMutex // guards what follows; held for reading during each method's work
	db     handles
	file   os.FileInfo // of the opened file; nil if it could not be opened again
	closed bool
}

var _ store.Store = (*Store)(nil)

// handles are the ways into one file.
type handles struct {
	read *sql.DB // may not write
	safe *sql.DB // a commit is on the disk
	soon *sql.DB // a commit survives the process, not the machine
}

// Open opens the file at path and makes it if it does not exist.
func Open(path string, log *slog.Logger) (*Store, error) {
	s := &Store{path: path, log: log, now: time.Now, writing: make(chan struct{}, 1)}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(); err != nil {
		return nil, fmt.Errorf("open documents %q: %w", path, err)
	}
	return s, nil
}

// OpenExisting is Open for those who only look: false if there is no file at path.
func OpenExisting(path string, log *slog.Logger) (*Store, bool, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	s, err := Open(path, log)
	return s, err == nil, err
}

// Close ends all use of s.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return s.db.close()
}

func (h handles) close() error {
	var errs []error
	for _, db := range []*sql.DB{h.read, h.soon, h.safe} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}

// Damaged is the last damaged file that s set aside, by Open or later; nil if there was none.
func (s *Store) Damaged() *store.DamagedError { return s.damaged.Load() }

// open opens the file as it is, or a new one in place of a damaged one, which Damaged and the log say: there is no call yet that
// could lose anything by it. It requires that s.mu is held.
func (s *Store) open() error {
	for try := 0; ; try++ {
		db, info, err := connect(s.path)
		if err == nil {
			s.db, s.file = db, info
			return nil
		}
		if try > 1 || !damaged(err) {
			return err
		}
		if _, err := s.setAside(info, err); err != nil {
			return err
		}
	}
}

// connect opens the file at path; on failure it returns what it tried to open.
func connect(path string) (h handles, info os.FileInfo, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return h, nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return h, nil, err
	}
	info, err = f.Stat()
	f.Close()
	if err != nil {
		return h, nil, err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return h, nil, err
	}
	abs = filepath.ToSlash(abs)
	if abs[0] != '/' {
		abs = "/" + abs // file:///C:/…
	}
	// SQLite waits for a lock whatever becomes of the context, so a writer waits a little there and the rest here.
	open := func(query string, conns int) *sql.DB {
		dsn := url.URL{Scheme: "file", Path: abs, RawQuery: "_pragma=journal_mode(WAL)&" + query}
		db, openErr := sql.Open("sqlite", dsn.String())
		if err = cmp.Or(err, openErr); db != nil {
			db.SetMaxOpenConns(conns)
			db.SetMaxIdleConns(conns)
		}
		return db
	}
	h.safe = open("_pragma=busy_timeout(20)&_txlock=immediate&_pragma=synchronous(FULL)", 1)
	h.soon = open("_pragma=busy_timeout(20)&_txlock=immediate&_pragma=synchronous(NORMAL)", 1)
	h.read = open("_pragma=busy_timeout(5000)&_txlock=deferred&_pragma=query_only(1)", readers)
	if err == nil {
		// Making a file a WAL file does not wait for locks as other statements do.
		err = retryBusy(context.Background(), func() error { return prepare(h.safe, info.Size()) })
	}
	if err != nil {
		h.close()
	}
	return h, info, err
}

// prepare checks the file and gives a new one its tables.
func prepare(db *sql.DB, size int64) error {
	var v int
	if err := db.QueryRow("PRAGMA user_version").Scan(&v); err != nil {
		return err
	}
	switch {
	case v == 0:
		tx, err := db.Begin()
		if err != nil {
			return err
		}
		defer tx.Rollback()
		if _, err := tx.Exec(schema); err != nil {
			return err
		}
		return tx.Commit()
	case v > version:
		return fmt.Errorf("it has layout %d, this version knows up to %d: use the newer contextd, or another state directory", v, version)
	}
	if size <= checkBelow {
		var verdict string
		if err := db.QueryRow("PRAGMA quick_check(1)").Scan(&verdict); err != nil {
			return err
		}
		if verdict != "ok" {
			return fmt.Errorf("%s: %w", verdict, errDamaged)
		}
	}
	var n int
	if err := db.QueryRow("SELECT count(*) FROM sqlite_schema WHERE name IN ('shelf', 'doc', 'entry')").Scan(&n); err != nil {
		return err
	}
	if n != 3 {
		return fmt.Errorf("tables are missing: %w", errDamaged)
	}
	return nil
}

// Ping reports whether the file can be read.
func (s *Store) Ping(ctx context.Context) error {
	return s.read("read", func(db *sql.DB) error {
		var n int // scanned, because a row that is not would keep its connection
		return db.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT 1 FROM shelf LIMIT 1)").Scan(&n)
	})
}
