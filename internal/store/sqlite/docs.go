package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/contextd/contextd/internal/sqlfile"
	"github.com/contextd/contextd/internal/store"
)

// Get implements store.Store.
func (s *Store) Get(ctx context.Context, sh store.Shelf, id string) (store.Doc, error) {
	if err := store.CheckShelf(sh); err != nil {
		return store.Doc{}, err
	}
	d := store.Doc{ID: id}
	err := s.read("read", func(db *sql.DB) error {
		return db.QueryRowContext(ctx,
			"SELECT doc.rev, data FROM shelf JOIN doc ON shelf = n WHERE bucket = ? AND owner = ? AND id = ?",
			[]byte(sh.Bucket), []byte(sh.Owner), []byte(id)).Scan(&d.Rev, &d.Data)
	})
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return store.Doc{}, store.NotFound(sh, id)
	case err != nil:
		return store.Doc{}, err
	}
	return d, nil
}

// All implements store.Store.
func (s *Store) All(ctx context.Context, sh store.Shelf) (all []store.Doc, rev int64, err error) {
	if err := store.CheckShelf(sh); err != nil {
		return nil, 0, err
	}
	err = s.read("read", func(db *sql.DB) error {
		all, rev = nil, 0
		tx, err := db.BeginTx(ctx, nil) // one snapshot for both statements
		if err != nil {
			return err
		}
		defer tx.Rollback()
		n := int64(0)
		if n, rev, err = shelf(tx, sh); err != nil || n == 0 {
			return err
		}
		var id, data sql.RawBytes
		docs := sqlfile.Each(tx.QueryContext(ctx, "SELECT id, rev, data FROM doc WHERE shelf = ? ORDER BY id", n))
		return docs(func(rows *sql.Rows) error {
			var d store.Doc
			if err := rows.Scan(&id, &d.Rev, &data); err != nil {
				return err
			}
			d.ID, d.Data = string(id), append([]byte{}, data...)
			all = append(all, d)
			return nil
		})
	})
	if err != nil {
		return nil, 0, err
	}
	return all, rev, nil
}

// shelf finds a shelf's number and revision, 0 and 0 where there is none.
func shelf(tx *sql.Tx, sh store.Shelf) (n, rev int64, err error) {
	err = tx.QueryRow("SELECT n, rev FROM shelf WHERE bucket = ? AND owner = ?", []byte(sh.Bucket),
		[]byte(sh.Owner)).Scan(&n, &rev)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, 0, nil
	}
	return n, rev, err
}

// Rev implements store.Store.
func (s *Store) Rev(ctx context.Context, sh store.Shelf) (rev int64, err error) {
	if err := store.CheckShelf(sh); err != nil {
		return 0, err
	}
	err = s.read("read", func(db *sql.DB) error {
		return db.QueryRowContext(ctx, "SELECT rev FROM shelf WHERE bucket = ? AND owner = ?", []byte(sh.Bucket),
			[]byte(sh.Owner)).Scan(&rev)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return rev, err
}

// Owners implements store.Store.
func (s *Store) Owners(ctx context.Context, bucket string) (owners []string, err error) {
	if err := store.CheckBucket(bucket); err != nil {
		return nil, err
	}
	err = s.read("list owners in", func(db *sql.DB) error {
		owners = nil
		var owner sql.RawBytes
		found := sqlfile.Each(db.QueryContext(ctx,
			"SELECT owner FROM shelf WHERE bucket = ? AND EXISTS (SELECT 1 FROM doc WHERE shelf = n) ORDER BY owner",
			[]byte(bucket)))
		return found(func(rows *sql.Rows) error {
			if err := rows.Scan(&owner); err != nil {
				return err
			}
			owners = append(owners, string(owner))
			return nil
		})
	})
	return owners, err
}

// Apply implements store.Store.
func (s *Store) Apply(ctx context.Context, sh store.Shelf, writes ...store.Write) (rev int64, err error) {
	if err := errors.Join(store.CheckShelf(sh), store.CheckWrites(writes)); err != nil {
		return 0, fmt.Errorf("write %s: %w", sh, err)
	}
	if len(writes) == 0 {
		return s.Rev(ctx, sh)
	}
	how := safe
	if store.Relaxed(sh.Bucket) {
		how = soon
	}
	err = s.write(ctx, "write", how, func(tx *sql.Tx) error {
		n, last, err := shelf(tx, sh)
		if err != nil {
			return err
		}
		if err := check(ctx, tx, sh, n, writes); err != nil {
			return err
		}
		rev = max(last+1, s.now().UnixMicro())
		if n == 0 {
			res, err := tx.ExecContext(ctx, "INSERT INTO shelf (bucket, owner, rev) VALUES (?, ?, ?)",
				[]byte(sh.Bucket), []byte(sh.Owner), rev)
			if err != nil {
				return err
			}
			if n, err = res.LastInsertId(); err != nil {
				return err
			}
		} else if _, err := tx.ExecContext(ctx, "UPDATE shelf SET rev = ? WHERE n = ?", rev, n); err != nil {
			return err
		}
		return put(ctx, tx, n, rev, writes)
	})
	if err != nil {
		if errors.Is(err, store.ErrConflict) {
			err = errors.Unwrap(err) // which document it was says more than which file
		}
		return 0, err
	}
	return rev, nil
}

// check tells which condition of writes does not hold.
func check(ctx context.Context, tx *sql.Tx, sh store.Shelf, n int64, writes []store.Write) error {
	for _, w := range writes {
		if w.If == store.Any {
			continue
		}
		have := store.Absent
		err := tx.QueryRowContext(ctx, "SELECT rev FROM doc WHERE shelf = ? AND id = ?", n, []byte(w.ID)).Scan(&have)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if have != w.If {
			return store.Conflict(sh, w.ID)
		}
	}
	return nil
}

func put(ctx context.Context, tx *sql.Tx, n, rev int64, writes []store.Write) error {
	set, err := tx.PrepareContext(ctx, "INSERT OR REPLACE INTO doc (shelf, id, rev, data) VALUES (?, ?, ?, ?)")
	if err != nil {
		return err
	}
	defer set.Close()
	for _, w := range writes {
		if w.Data == nil {
			_, err = tx.ExecContext(ctx, "DELETE FROM doc WHERE shelf = ? AND id = ?", n, []byte(w.ID))
		} else {
			_, err = set.ExecContext(ctx, n, []byte(w.ID), rev, w.Data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
