package vectors

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/sqlfile"
)

const schema = `
CREATE TABLE IF NOT EXISTS vector (key BLOB PRIMARY KEY, at INTEGER NOT NULL, v BLOB NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS vector_at ON vector (at);
PRAGMA user_version = 1;`

// The ways into the file. What a crash of the machine loses is made again.
const (
	write = iota
	read
)

var ways = []sqlfile.Way{
	write: {Query: "_pragma=busy_timeout(1000)&_txlock=immediate&_pragma=synchronous(OFF)", Conns: 1},
	read:  {Query: "_pragma=busy_timeout(1000)&_txlock=deferred&_pragma=query_only(1)", Conns: 4},
}

// usedEvery is how exactly the last use of a vector is known.
const usedEvery = time.Hour

// File keeps vectors in one file. Implements embed.Vectors.
type File struct {
	path  string
	bound int64 // bytes
	now   func() time.Time

	mu   sync.Mutex // guards what follows
	file *sqlfile.File
	aged bool // what is too old was dropped
}

// InFile keeps vectors in the file at path, at most bound bytes. The file is made when the first vector is kept.
func InFile(path string, bound int64, now func() time.Time) *File {
	return &File{path: path, bound: bound, now: now}
}

// open is the open file; nil if there is none and make is not set.
func (f *File) open(make bool) (*sqlfile.File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file != nil {
		return f.file, nil
	}
	if _, err := os.Lstat(f.path); !make && errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	file, err := sqlfile.Open(f.path, sqlfile.Options{Version: 1, Schema: schema, Tables: []string{"vector"}, CheckBelow: 1 << 20, Ways: ways,
		Replaceable: true, Aside: func(error) (said, failed error) { return nil, f.remove() }})
	if err != nil {
		return nil, fmt.Errorf("open vectors %q: %w", f.path, err)
	}
	f.file = file
	return file, nil
}

// remove removes the file: what was in it is made again.
func (f *File) remove() error {
	var errs []error
	for _, tail := range []string{"-wal", "-shm", ""} {
		if err := os.Remove(f.path + tail); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Get implements embed.Vectors.
func (f *File) Get(ctx context.Context, keys []embed.Key) ([][]float32, error) {
	out := make([][]float32, len(keys))
	file, err := f.open(false)
	if file == nil || err != nil || len(keys) == 0 {
		return out, err
	}
	at, args := map[embed.Key][]int{}, make([]any, len(keys))
	for i, k := range keys {
		at[k] = append(at[k], i)
		args[i] = keys[i][:]
	}
	var used []any
	err = file.Do(func(dbs []*sql.DB) error {
		query := "SELECT key, at, v FROM vector WHERE key IN (?" + strings.Repeat(", ?", len(keys)-1) + ")"
		return sqlfile.Each(dbs[read].QueryContext(ctx, query, args...))(func(rows *sql.Rows) error {
			var key, v []byte
			var last int64
			if err := rows.Scan(&key, &last, &v); err != nil {
				return err
			}
			if len(key) != len(embed.Key{}) {
				return nil
			}
			for _, i := range at[embed.Key(key)] {
				out[i] = decode(v)
			}
			if f.now().Unix()-last > int64(usedEvery/time.Second) {
				used = append(used, key)
			}
			return nil
		})
	})
	if err == nil && len(used) > 0 {
		err = f.write(ctx, file, func(tx *sql.Tx) error {
			_, err := tx.Exec("UPDATE vector SET at = ? WHERE key IN (?"+strings.Repeat(", ?", len(used)-1)+")", append([]any{f.now().Unix()}, used...)...)
			return err
		})
	}
	if err != nil {
		return out, fmt.Errorf("read vectors %q: %w", f.path, err)
	}
	return out, nil
}

// Put implements embed.Vectors.
func (f *File) Put(ctx context.Context, keys []embed.Key, vectors [][]float32) error {
	if len(keys) == 0 {
		return nil
	}
	file, err := f.open(true)
	if err != nil {
		return err
	}
	now := f.now().Unix()
	err = f.write(ctx, file, func(tx *sql.Tx) error {
		for i := range keys {
			if _, err := tx.Exec("INSERT OR REPLACE INTO vector (key, at, v) VALUES (?, ?, ?)", keys[i][:], now, encode(vectors[i])); err != nil {
				return err
			}
		}
		if f.ages() {
			if _, err := tx.Exec("DELETE FROM vector WHERE at < ?", now-int64(keep/time.Second)); err != nil {
				return err
			}
		}
		return f.trim(tx)
	})
	if err != nil {
		return fmt.Errorf("write vectors %q: %w", f.path, err)
	}
	return nil
}

// Drop forgets all vectors.
func (f *File) Drop(ctx context.Context) error {
	file, err := f.open(false)
	if file == nil || err != nil {
		return err
	}
	return f.write(ctx, file, func(tx *sql.Tx) error {
		_, err := tx.Exec("DELETE FROM vector")
		return err
	})
}

// ages reports, once, that what is too old is to go.
func (f *File) ages() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	was := f.aged
	f.aged = true
	return !was
}

// trim drops the least recently used eighth while the file is over its bound. Freed pages are used again.
func (f *File) trim(tx *sql.Tx) error {
	for {
		var pages, free, size int64
		for pragma, n := range map[string]*int64{"page_count": &pages, "freelist_count": &free, "page_size": &size} {
			if err := tx.QueryRow("PRAGMA " + pragma).Scan(n); err != nil {
				return err
			}
		}
		if (pages-free)*size <= f.bound {
			return nil
		}
		res, err := tx.Exec("DELETE FROM vector WHERE key IN (SELECT key FROM vector ORDER BY at LIMIT (SELECT 1 + count(*) / 8 FROM vector))")
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); n == 0 || err != nil {
			return err
		}
	}
}

func (f *File) write(ctx context.Context, file *sqlfile.File, work func(tx *sql.Tx) error) error {
	return file.Do(func(dbs []*sql.DB) error {
		var tx *sql.Tx
		err := sqlfile.RetryBusy(ctx, func() (err error) { tx, err = dbs[write].BeginTx(ctx, nil); return err })
		if err != nil {
			return err
		}
		return sqlfile.Finish(tx, work)
	})
}

// Close closes the file if it was opened.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file == nil {
		return nil
	}
	err := f.file.Close()
	f.file = nil
	return err
}
