package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"

	sqlite "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

var errDamaged = errors.New("the file is damaged")

// damaged reports whether err says that the file cannot be a queue any more.
func damaged(err error) bool {
	var e *sqlite.Error
	if errors.As(err, &e) {
		switch code := e.Code(); code & 0xff {
		case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB:
			return true
		default:
			return code == lib.SQLITE_IOERR_SHORT_READ
		}
	}
	return errors.Is(err, errDamaged)
}

func hasCode(err error, code int) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && (e.Code() == code || e.Code()&0xff == code)
}

// retryBusy runs f until it no longer fails for a lock, for 5 s at most.
func retryBusy(f func() error) error {
	for start := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		if err := f(); !hasCode(err, lib.SQLITE_BUSY) || time.Since(start) > 5*time.Second {
			return err
		}
	}
}

// do runs f on the open file. A file that was replaced or removed meanwhile is opened again, a damaged one made anew;
// in both cases f runs once more. what names the work in the error.
func (q *Queue) do(what string, f func(*sql.DB) error) error {
	var err error
	for range 2 {
		if err = q.try(f); err == nil {
			return nil
		}
		if !damaged(err) && !hasCode(err, lib.SQLITE_READONLY_DBMOVED) {
			break
		}
		if again := q.reopen(err); again != nil {
			err = again
			break
		}
	}
	return fmt.Errorf("%s %q: %w", what, q.path, err)
}

func (q *Queue) try(f func(*sql.DB) error) error {
	if now, err := os.Stat(q.path); err != nil || !os.SameFile(now, q.opened()) {
		if err := q.reopen(nil); err != nil {
			return err
		}
	}
	q.mu.RLock()
	defer q.mu.RUnlock()
	return f(q.db)
}

func (q *Queue) opened() os.FileInfo {
	q.mu.RLock()
	defer q.mu.RUnlock()
	return q.file
}

// reopen opens the file at q.path in place of the one that is open, which is damaged if cause is not nil.
func (q *Queue) reopen(cause error) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return errors.New("the queue is closed")
	}
	now, err := os.Stat(q.path)
	same := err == nil && os.SameFile(now, q.file)
	if same && cause == nil {
		return nil // another goroutine was faster
	}
	if !same {
		keepWAL(q.db)
	}
	q.db.Close()
	defer func(old os.FileInfo) {
		if q.file == old {
			q.file = nil // so that the next method tries again
		}
	}(q.file)
	if same && damaged(cause) {
		if err := q.setAside(q.file, cause); err != nil {
			return err
		}
	}
	return q.open()
}

// keepWAL has the coming Close leave the file's WAL alone: SQLite would remove it by name, and by now the name is that of
// the new file's WAL.
func keepWAL(db *sql.DB) {
	c, err := db.Conn(context.Background())
	if err != nil {
		return
	}
	defer c.Close()
	_ = c.Raw(func(conn any) error {
		if fc, ok := conn.(sqlite.FileControl); ok {
			_, err := fc.FileControlPersistWAL("main", 1)
			return err
		}
		return nil
	})
}

// tx runs f in a transaction that writes.
func (q *Queue) tx(ctx context.Context, what string, f func(*sql.Tx) error) error {
	return q.do(what, func(db *sql.DB) error {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer tx.Rollback()
		if err := f(tx); err != nil {
			return err
		}
		return tx.Commit()
	})
}
