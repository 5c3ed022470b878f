package sqlite

import (
	"context"
	"database/sql"
	"time"

	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/sqlfile"
)

// insertDead inserts a dead letter.
func insertDead(tx *sql.Tx, c queue.DeadLetter) error {
	_, err := tx.Exec("INSERT OR REPLACE INTO dead (id, project, root, reason, attempts, at, paths, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		parseID(c.ID), c.Project, c.Root, c.Reason, c.Attempts, c.At.UnixMilli(), queue.EncodePaths(c.Paths),
		queue.EncodeBody(c.Body))
	return err
}

// trimDead deletes the oldest dead letters over the limit and returns their number.
func trimDead(tx *sql.Tx) (int, error) {
	res, err := tx.Exec(
		"DELETE FROM dead WHERE id IN (SELECT id FROM dead ORDER BY at DESC, id DESC LIMIT -1 OFFSET ?)", queue.MaxDead)
	if err != nil {
		return 0, err
	}
	n, err := res.RowsAffected()
	return int(n), err
}

// Dead implements queue.Queue.
func (q *Queue) Dead(ctx context.Context) (all []queue.Letter, err error) {
	err = q.withDB("list dead letters of queue", func(db *sql.DB) error {
		all = nil
		letters := sqlfile.Each(db.QueryContext(ctx,
			"SELECT id, project, root, reason, attempts, at, paths FROM dead ORDER BY at, id"))
		return letters(func(rows *sql.Rows) error {
			var l queue.Letter
			var id, at int64
			var paths string
			if err := rows.Scan(&id, &l.Project, &l.Root, &l.Reason, &l.Attempts, &at, &paths); err != nil {
				return err
			}
			l.ID, l.At, l.Paths = formatID(id), time.UnixMilli(at).UTC(), queue.DecodePaths(paths)
			all = append(all, l)
			return nil
		})
	})
	return all, err
}

// RetryDead implements queue.Queue.
func (q *Queue) RetryDead(ctx context.Context, ids []string) (n int, err error) {
	err = q.inTransaction(ctx, "revive in queue", func(tx *sql.Tx) error {
		n = 0
		if ids == nil {
			if ids, err = deadIDs(tx); err != nil {
				return err
			}
		}
		for _, id := range ids {
			ok, err := rowChanged(
				tx.Exec("INSERT INTO intake (at, project, body) SELECT ?, project, body FROM dead WHERE id = ?",
					q.now().UnixMilli(), parseID(id)))
			if err != nil {
				return err
			}
			if ok {
				n++
			}
			if _, err := tx.Exec("DELETE FROM dead WHERE id = ?", parseID(id)); err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}

func deadIDs(tx *sql.Tx) (ids []string, err error) {
	err = sqlfile.Each(tx.Query("SELECT id FROM dead ORDER BY at, id"))(func(rows *sql.Rows) error {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return err
		}
		ids = append(ids, formatID(id))
		return nil
	})
	return ids, err
}

// DropDead implements queue.Queue.
func (q *Queue) DropDead(ctx context.Context, ids []string) (n int, err error) {
	err = q.inTransaction(ctx, "drop from queue", func(tx *sql.Tx) error {
		n = 0
		for _, id := range ids {
			ok, err := rowChanged(tx.Exec("DELETE FROM dead WHERE id = ?", parseID(id)))
			if err != nil {
				return err
			}
			if ok {
				n++
			}
		}
		return nil
	})
	return n, err
}
