package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"

	"github.com/contextd/contextd/internal/queue"
)

// Push implements queue.Queue.
func (q *Queue) Push(ctx context.Context, r queue.Request) (string, error) {
	fields := queue.Fields(r)
	if _, err := queue.Parse("", fields); err != nil {
		return "", fmt.Errorf("push: %w", err)
	}
	return q.PushFields(ctx, fields)
}

// PushFields appends a message as it is, as any client of a Redis could.
func (q *Queue) PushFields(ctx context.Context, fields map[string]string) (string, error) {
	var id int64
	err := q.withDB("push to queue", func(db *sql.DB) error {
		res, err := db.ExecContext(ctx, "INSERT INTO intake (at, project, body) VALUES (?, ?, ?)",
			q.now().UnixMilli(), fields[queue.FieldProject], queue.EncodeBody(fields))
		if err != nil {
			return err
		}
		id, err = res.LastInsertId()
		return err
	})
	if err != nil {
		return "", err
	}
	select {
	case q.wake <- struct{}{}:
	default:
	}
	return formatID(id), nil
}

// Mark implements queue.Queue.
func (q *Queue) Mark(ctx context.Context) (string, error) {
	id, err := q.Pushed(ctx)
	return formatID(id), err
}

// Pushed implements queue.Queue.
func (q *Queue) Pushed(ctx context.Context) (int64, error) {
	var id sql.NullInt64
	err := q.withDB("mark queue", func(db *sql.DB) error {
		return db.QueryRowContext(ctx, "SELECT max(seq) FROM sqlite_sequence WHERE name = 'intake'").Scan(&id)
	})
	return id.Int64, err
}

// claimsCounter is the row of SQLite's own table of sequences that counts claims: a table more would be another layout
// of the file.
const claimsCounter = "claims"

// Claimed implements queue.Queue.
func (q *Queue) Claimed(ctx context.Context) (int64, error) {
	var n sql.NullInt64
	err := q.withDB("count claims of queue", func(db *sql.DB) error {
		return db.QueryRowContext(ctx, "SELECT max(seq) FROM sqlite_sequence WHERE name = ?", claimsCounter).Scan(&n)
	})
	return n.Int64, err
}

// countClaim counts one more.
func countClaim(tx *sql.Tx) error {
	if ok, err := rowChanged(tx.Exec("UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = ?", claimsCounter)); ok ||
		err != nil {
		return err
	}
	_, err := tx.Exec("INSERT INTO sqlite_sequence (name, seq) VALUES (?, 1)", claimsCounter)
	return err
}

// Ids are the row numbers of the intake, which SQLite never gives twice.

func formatID(id int64) string { return strconv.FormatInt(id, 10) }

// parseID is 0, which no row has, for what is no id.
func parseID(id string) int64 {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

func newer(a, b string) bool { return parseID(a) > parseID(b) }
