package sqlfile

import (
	"context"
	"database/sql"
	"errors"
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

// moved reports whether err says that another file stands at the path.
func moved(err error) bool { return hasCode(err, lib.SQLITE_READONLY_DBMOVED) }

func hasCode(err error, code int) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && (e.Code() == code || e.Code()&0xff == code)
}

// RetryBusy runs f until it no longer fails for a lock, for 5 s at most or as long as ctx lasts.
func RetryBusy(ctx context.Context, f func() error) error {
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

// keepWAL has the coming Close of db leave the WAL alone.
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
