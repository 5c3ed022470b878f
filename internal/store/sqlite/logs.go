package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"

	"github.com/contextd/contextd/internal/sqlfile"
	"github.com/contextd/contextd/internal/store"
)

// Append implements store.Store.
func (s *Store) Append(ctx context.Context, log string, keep int, data ...[]byte) (string, error) {
	if err := store.CheckEntries(log, keep, data); err != nil {
		return "", fmt.Errorf("append: %w", err)
	}
	var id int64
	err := s.write(ctx, "append to", soon, func(tx *sql.Tx) error {
		var last sql.NullInt64
		if err := tx.QueryRowContext(ctx, "SELECT max(id) FROM entry WHERE log = ?",
			[]byte(log)).Scan(&last); err != nil {
			return err
		}
		id = last.Int64
		for _, d := range data {
			if id++; id < s.now().UnixMicro() {
				id = s.now().UnixMicro()
			}
			if d == nil {
				d = []byte{}
			}
			if _, err := tx.ExecContext(ctx, "INSERT INTO entry (log, id, data) VALUES (?, ?, ?)", []byte(log), id,
				d); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx,
			"DELETE FROM entry WHERE log = ? AND id <= (SELECT id FROM entry WHERE log = ? ORDER BY id DESC LIMIT 1 OFFSET ?)",
			[]byte(log), []byte(log), keep)
		return err
	})
	return formatID(id), err
}

// Tail implements store.Store.
func (s *Store) Tail(ctx context.Context, log, after string, n int) ([]store.Entry, error) {
	from := int64(0)
	if after != "" {
		var err error
		if from, err = strconv.ParseInt(after, 10, 64); err != nil {
			return nil, fmt.Errorf("read log %q after %q: want the id of an entry", log, after)
		}
	}
	return s.entries(ctx, log, n, "SELECT id, data FROM entry WHERE log = ? AND id > ? ORDER BY id LIMIT ?",
		[]byte(log), from, n)
}

// Last implements store.Store.
func (s *Store) Last(ctx context.Context, log string, n int) ([]store.Entry, error) {
	return s.entries(ctx, log, n, "SELECT id, data FROM entry WHERE log = ? ORDER BY id DESC LIMIT ?", []byte(log), n)
}

func (s *Store) entries(
	ctx context.Context, log string, n int, query string, args ...any,
) (all []store.Entry, err error) {
	if err := store.CheckLog(log); err != nil || n <= 0 {
		return nil, err
	}
	err = s.read("read log in", func(db *sql.DB) error {
		all = nil
		return sqlfile.Each(db.QueryContext(ctx, query, args...))(func(rows *sql.Rows) error {
			var id int64
			var e store.Entry
			if err := rows.Scan(&id, &e.Data); err != nil {
				return err
			}
			e.ID = formatID(id)
			all = append(all, e)
			return nil
		})
	})
	return all, err
}

// formatID writes ids in one width, so that they compare as strings.
func formatID(id int64) string { return fmt.Sprintf("%019d", id) }
