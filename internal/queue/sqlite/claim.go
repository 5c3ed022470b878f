package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/sqlfile"
)

// candidate is a project that may be claimed, with its last holder.
type candidate struct {
	project, holder string
	due             int64
}

// Claim implements queue.Queue. Projects come in the order in which they became due.
func (q *Queue) Claim(ctx context.Context) (*queue.Claim, error) {
	for {
		free, err := q.claimable(ctx)
		if err != nil || len(free) == 0 {
			return nil, err
		}
		for _, c := range free {
			claim, err := q.tryClaim(ctx, c)
			if err != nil || claim != nil {
				return claim, err
			}
		}
		// All of them went to others or held nothing; look again.
	}
}

// claimable lists the projects that may be claimed. It only reads: an idle worker writes nothing.
func (q *Queue) claimable(ctx context.Context) (free []candidate, err error) {
	now := q.now().UnixMilli()
	far := now + queue.MaxDueAhead.Milliseconds()
	err = q.withDB("claim from queue", func(db *sql.DB) error {
		free = nil
		projects := sqlfile.Each(db.QueryContext(ctx,
			"SELECT project, holder, due, until FROM project WHERE holder != '' OR due <= ? OR due > ? ORDER BY due",
			now, far))
		return projects(func(rows *sql.Rows) error {
			var c candidate
			var until int64
			if err := rows.Scan(&c.project, &c.holder, &c.due, &until); err != nil {
				return err
			}
			if c.holder == "" || until <= now || queue.HolderDead(q.holder, c.holder) {
				free = append(free, c)
			}
			return nil
		})
	})
	return free, err
}

// tryClaim claims c. It returns nil, nil if another process was faster.
func (q *Queue) tryClaim(ctx context.Context, c candidate) (claim *queue.Claim, err error) {
	err = q.inTransaction(ctx, "claim from queue", func(tx *sql.Tx) error {
		token := queue.NewToken(q.holder)
		now := q.now()
		claim = &queue.Claim{Project: c.project, Token: token, Abandoned: c.holder != ""}
		ok, err := rowChanged(
			tx.Exec("UPDATE project SET attempts = attempts + 1, holder = ?, until = ? WHERE project = ? AND holder = ? AND (holder != '' OR due <= ? OR due > ?)",
				token, now.Add(queue.LeaseTime).UnixMilli(), c.project, c.holder, now.UnixMilli(),
				now.Add(queue.MaxDueAhead).UnixMilli()))
		if err != nil || !ok {
			claim = nil
			return err
		}
		var first int64
		if err := tx.QueryRow("SELECT root, attempts - 1, first FROM project WHERE project = ?",
			c.project).Scan(&claim.Root, &claim.Attempts, &first); err != nil {
			return err
		}
		claim.Since = time.UnixMilli(first)
		if claim.Items, err = pendingItems(tx, c.project); err != nil {
			return err
		}
		if len(claim.Items) > 0 {
			return countClaim(tx)
		}
		claim = nil
		_, err = tx.Exec("DELETE FROM project WHERE project = ?", c.project)
		return err
	})
	return claim, err
}

func pendingItems(tx *sql.Tx, project string) (all []queue.Item, err error) {
	items := sqlfile.Each(tx.Query("SELECT path, id FROM pending WHERE project = ? ORDER BY path", project))
	err = items(func(rows *sql.Rows) error {
		var it queue.Item
		var id int64
		if err := rows.Scan(&it.Path, &id); err != nil {
			return err
		}
		it.ID = formatID(id)
		all = append(all, it)
		return nil
	})
	return all, err
}

// Renew implements queue.Queue.
func (q *Queue) Renew(ctx context.Context, c *queue.Claim) error {
	return q.withClaim(ctx, "renew claim in queue", c, func(tx *sql.Tx, now time.Time) error {
		_, err := tx.Exec("UPDATE project SET until = ? WHERE project = ?", now.Add(queue.LeaseTime).UnixMilli(),
			c.Project)
		return err
	})
}

// Done implements queue.Queue.
func (q *Queue) Done(ctx context.Context, c *queue.Claim, handled []queue.Item) error {
	return q.withClaim(ctx, "end claim in queue", c, func(tx *sql.Tx, now time.Time) error {
		if err := deletePending(tx, c.Project, handled); err != nil {
			return err
		}
		return endClaim(tx, c.Project,
			"UPDATE project SET attempts = 0, not_before = 0, holder = '', until = 0 WHERE project = ?", c.Project)
	})
}

// Retry implements queue.Queue.
func (q *Queue) Retry(ctx context.Context, c *queue.Claim, delay time.Duration) error {
	return q.endUnfinished(ctx, c, delay, 0)
}

// Release implements queue.Queue.
func (q *Queue) Release(ctx context.Context, c *queue.Claim, delay time.Duration) error {
	return q.endUnfinished(ctx, c, delay, -1)
}

func (q *Queue) endUnfinished(ctx context.Context, c *queue.Claim, delay time.Duration, attempts int) error {
	return q.withClaim(ctx, "give back claim in queue", c, func(tx *sql.Tx, now time.Time) error {
		at := now.Add(delay).UnixMilli()
		_, err := tx.Exec("UPDATE project SET attempts = max(0, attempts + ?), not_before = ?, due = ?, holder = '', until = 0 WHERE project = ?",
			attempts, at, at, c.Project)
		return err
	})
}

// Bury implements queue.Queue.
func (q *Queue) Bury(ctx context.Context, c *queue.Claim, reason string) error {
	return q.withClaim(ctx, "bury claim in queue", c, func(tx *sql.Tx, now time.Time) error {
		if err := insertDead(tx, queue.LetterForClaim(c, reason, now, newer)); err != nil {
			return err
		}
		dropped, err := trimDead(tx)
		if err != nil {
			return err
		}
		queue.CountDropped(dropped)
		if err := deletePending(tx, c.Project, c.Items); err != nil {
			return err
		}
		return endClaim(tx, c.Project,
			"UPDATE project SET attempts = 0, not_before = 0, holder = '', until = 0 WHERE project = ?", c.Project)
	})
}

// withClaim runs f in a transaction that has checked that c still holds.
func (q *Queue) withClaim(
	ctx context.Context, what string, c *queue.Claim, f func(tx *sql.Tx, now time.Time) error,
) error {
	return q.inTransaction(ctx, what, func(tx *sql.Tx) error {
		var holder string
		err := tx.QueryRow("SELECT holder FROM project WHERE project = ?", c.Project).Scan(&holder)
		if errors.Is(err, sql.ErrNoRows) || err == nil && holder != c.Token {
			return fmt.Errorf("project %q: %w", c.Project, queue.ErrLost)
		}
		if err != nil {
			return err
		}
		return f(tx, q.now())
	})
}

// deletePending deletes the pending items that have not changed since they were claimed.
func deletePending(tx *sql.Tx, project string, all []queue.Item) error {
	drop, err := tx.Prepare("DELETE FROM pending WHERE project = ? AND path = ? AND id = ?")
	if err != nil {
		return err
	}
	defer drop.Close()
	for _, it := range all {
		if _, err := drop.Exec(project, it.Path, parseID(it.ID)); err != nil {
			return err
		}
	}
	return nil
}

// endClaim deletes the project if it has no pending items; else it runs update and makes the project due for the rest.
func endClaim(tx *sql.Tx, project, update string, args ...any) error {
	var first, last sql.NullInt64
	if err := tx.QueryRow("SELECT min(at), max(at) FROM pending WHERE project = ?", project).Scan(&first,
		&last); err != nil {
		return err
	}
	if !first.Valid {
		_, err := tx.Exec("DELETE FROM project WHERE project = ?", project)
		return err
	}
	if _, err := tx.Exec(update, args...); err != nil {
		return err
	}
	var notBefore int64
	if err := tx.QueryRow("SELECT not_before FROM project WHERE project = ?", project).Scan(&notBefore); err != nil {
		return err
	}
	due := queue.Due(time.UnixMilli(first.Int64), time.UnixMilli(last.Int64), 0, time.UnixMilli(notBefore)).UnixMilli()
	_, err := tx.Exec("UPDATE project SET first = ?, due = ? WHERE project = ?", first.Int64, due, project)
	return err
}
