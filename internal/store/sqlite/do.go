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

// damaged reports whether err says that the file cannot be read any more.
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

// retryBusy runs f until it no longer fails for a lock, for 5 s at most or as long as ctx lasts.
func retryBusy(ctx context.Context, f func() error) error {
	for start := time.Now(); ; {
		err := f()
		if !hasCode(err, lib.SQLITE_BUSY) || time.Since(start) > 5*time.Second {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
}

// read runs f on the readers of the open file.
func (s *Store) read(what string, f func(*sql.DB) error) error {
	return s.do(what, func(h handles) error { return f(h.read) })
}

// write runs f in a transaction of the handle that pick chooses.
func (s *Store) write(ctx context.Context, what string, pick func(handles) *sql.DB, f func(*sql.Tx) error) error {
	select {
	case s.writing <- struct{}{}:
		defer func() { <-s.writing }()
	case <-ctx.Done():
		return fmt.Errorf("%s documents %q: %w", what, s.path, ctx.Err())
	}
	return s.do(what, func(h handles) error {
		var tx *sql.Tx
		err := retryBusy(ctx, func() (err error) { tx, err = pick(h).BeginTx(ctx, nil); return err })
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

func safe(h handles) *sql.DB { return h.safe }
func soon(h handles) *sql.DB { return h.soon }

// do runs f on the open file. If that was replaced or removed meanwhile, the one at its path is opened and f runs once more. A
// damaged one is set aside, and the error says so: f does not run again, for it would find none of what the caller knows.
func (s *Store) do(what string, f func(handles) error) error {
	err := s.try(f)
	if hasCode(err, lib.SQLITE_READONLY_DBMOVED) {
		if err = s.reopen(err); err == nil {
			err = s.try(f)
		}
	}
	if err == nil {
		return nil
	}
	if damaged(err) {
		err = s.reopen(err)
	}
	return fmt.Errorf("%s documents %q: %w", what, s.path, err)
}

func (s *Store) try(f func(handles) error) error {
	if now, err := os.Stat(s.path); err != nil || !os.SameFile(now, s.opened()) {
		if err := s.reopen(nil); err != nil {
			return err
		}
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return errClosed
	}
	return f(s.db)
}

var errClosed = errors.New("the store is closed")

func (s *Store) opened() os.FileInfo {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.file
}

// reopen opens the file at s.path in place of the one that is open. If that is the same file and cause says that it is damaged,
// it is set aside first, and the error is the *store.DamagedError.
func (s *Store) reopen(cause error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	now, err := os.Stat(s.path)
	same := err == nil && os.SameFile(now, s.file)
	if same && cause == nil {
		return nil // another goroutine was faster
	}
	if same && !damaged(cause) {
		return cause
	}
	// From here on the name may be another file's, and SQLite would remove the WAL by name when the last handle closes.
	keepWAL(s.db.safe)
	keepWAL(s.db.soon)
	s.db.close()
	old := s.file
	s.file = nil // so that, if this fails, the next method tries again
	if same {
		said, err := s.setAside(old, cause)
		if err != nil {
			return err
		}
		if err := s.open(); err != nil {
			return err
		}
		if said != nil {
			return said
		}
		return cause // another process set it aside meanwhile
	}
	if err := s.open(); err != nil {
		return err
	}
	if damaged(cause) {
		return cause // the file is gone that was damaged, and what f did in it, too
	}
	return nil
}

// keepWAL has the coming Close leave the WAL alone.
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
