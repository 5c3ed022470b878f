package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/sqlfile"
)

// DropUntil implements queue.Queue.
func (q *Queue) DropUntil(ctx context.Context, project, root, mark string) error {
	upTo := parseID(mark)
	return q.inTransaction(ctx, "settle queue", func(tx *sql.Tx) error {
		var kept, holder string
		var until int64
		err := tx.QueryRow("SELECT root, holder, until FROM project WHERE project = ?", project).Scan(&kept,
			&holder, &until)
		waits := err == nil
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if holder != "" && until > q.now().UnixMilli() && !queue.HolderDead(q.holder, holder) {
			return nil
		}
		if err := settleIntake(tx, project, root, upTo); err != nil || !waits || kept != root {
			return err
		}
		if _, err := tx.Exec("DELETE FROM pending WHERE project = ? AND id <= ?", project, upTo); err != nil {
			return err
		}
		return endClaim(tx, project, "UPDATE project SET holder = '', until = 0 WHERE project = ?", project)
	})
}

// settleIntake drops undrained messages that name the project and root.
func settleIntake(tx *sql.Tx, project, root string, upTo int64) error {
	var drop []int64
	messages := sqlfile.Each(tx.Query("SELECT id, body FROM intake WHERE project = ? AND id <= ? LIMIT ?",
		code.ProjectOf(project), upTo, queue.MaxUndrained))
	if err := messages(func(rows *sql.Rows) error {
		var id int64
		var body string
		if err := rows.Scan(&id, &body); err != nil {
			return err
		}
		if r, err := queue.Parse("", queue.DecodeBody(body)); err == nil && queue.SameRoot(r.Root, root) {
			drop = append(drop, id)
		}
		return nil
	}); err != nil {
		return err
	}
	for _, id := range drop {
		if _, err := tx.Exec("DELETE FROM intake WHERE id = ?", id); err != nil {
			return err
		}
	}
	return nil
}

// Forget implements queue.Queue.
func (q *Queue) Forget(ctx context.Context, project string) error {
	return q.inTransaction(ctx, "forget in queue", func(tx *sql.Tx) error {
		for _, table := range []string{"intake", "project", "pending", "dead"} {
			if _, err := tx.Exec("DELETE FROM "+table+
				" WHERE ?1 IN ('', project) OR substr(project, 1, length(?1) + 1) = ?1 || '@'", project); err != nil {
				return err
			}
		}
		return nil
	})
}
