package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/sqlfile"
)

const (
	drainWait = 2 * time.Second
	drainPoll = 100 * time.Millisecond // for messages of other processes; a look costs about 30 µs
	batch     = 200
)

// Drain implements queue.Queue.
func (q *Queue) Drain(ctx context.Context, accept func(*queue.Request) error) (int, error) {
	end := time.NewTimer(drainWait)
	defer end.Stop()
	tick := time.NewTicker(drainPoll)
	defer tick.Stop()
	for n := 0; ; {
		ms, err := q.readIntake(ctx, batch)
		if err != nil {
			return n, err
		}
		if len(ms) > 0 {
			if err := q.merge(ctx, ms, accept); err != nil {
				return n, err
			}
			n += len(ms)
			continue
		}
		if n > 0 {
			return n, nil
		}
		select {
		case <-ctx.Done():
			return n, ctx.Err()
		case <-end.C:
			return n, nil
		case <-tick.C:
		case <-q.wake:
		}
	}
}

// readIntake reads the oldest messages.
func (q *Queue) readIntake(ctx context.Context, limit int) (ms []queue.Message, err error) {
	err = q.withDB("read intake of queue", func(db *sql.DB) error {
		ms = nil
		oldest := sqlfile.Each(db.QueryContext(ctx, "SELECT id, at, body FROM intake ORDER BY id LIMIT ?", limit))
		return oldest(func(rows *sql.Rows) error {
			var id, at int64
			var body string
			if err := rows.Scan(&id, &at, &body); err != nil {
				return err
			}
			ms = append(ms, queue.Message{ID: formatID(id), At: time.UnixMilli(at), Fields: queue.DecodeBody(body)})
			return nil
		})
	})
	return ms, err
}

// merge moves messages out of the intake. One that is no longer there was settled, forgotten or drained by another.
func (q *Queue) merge(ctx context.Context, ms []queue.Message, accept func(*queue.Request) error) error {
	now := q.now()
	for i := range ms {
		if ms[i].At.After(now) {
			ms[i].At = now // the clock was set back
		}
	}
	good, on, dead := queue.Validate(ms, accept, now)
	var merged, died, dropped int
	err := q.inTransaction(ctx, "drain queue", func(tx *sql.Tx) error {
		merged, died = 0, 0
		var err error
		var mine []queue.Accepted
		for _, a := range good {
			if ok, err := deleteFromIntake(tx, a.ID); err != nil {
				return err
			} else if ok {
				mine = append(mine, a)
			}
		}
		for _, m := range queue.Coalesce(mine) {
			if err := mergePending(tx, m, now); err != nil {
				return err
			}
		}
		merged = len(mine)
		for _, id := range on {
			if _, err := deleteFromIntake(tx, id); err != nil {
				return err
			}
		}
		for _, c := range dead {
			if ok, err := deleteFromIntake(tx, c.ID); err != nil {
				return err
			} else if !ok {
				continue
			}
			if err := insertDead(tx, c); err != nil {
				return err
			}
			died++
		}
		dropped, err = 0, nil
		if died > 0 {
			dropped, err = trimDead(tx)
		}
		return err
	})
	if err != nil {
		return err
	}
	queue.CountDrained(merged, len(on), died)
	queue.CountDropped(dropped)
	return nil
}

func deleteFromIntake(tx *sql.Tx, id string) (bool, error) {
	return rowChanged(tx.Exec("DELETE FROM intake WHERE id = ?", parseID(id)))
}

// mergePending merges m into the pending set of its project.
func mergePending(tx *sql.Tx, m *queue.Merge, now time.Time) error {
	var root, holder string
	first, last, notBefore, attempts := m.First.UnixMilli(), m.Last.UnixMilli(), int64(0), 0
	var oldFirst int64
	err := tx.QueryRow("SELECT root, first, not_before, attempts, holder FROM project WHERE project = ?", m.Project).
		Scan(&root, &oldFirst, &notBefore, &attempts, &holder)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		root = m.Root
	case err != nil:
		return err
	case root != m.Root && !code.IsFurther(m.Project):
		return mergePending(tx, m.WithRootIndex(), now)
	default:
		first = min(first, oldFirst)
	}
	// The items of a claim stay as they are until it ends, so that Done finds them unchanged.
	claimed, items := holder != "", m.Items
	switch {
	case m.Rescan() && !claimed:
		if _, err := tx.Exec("DELETE FROM pending WHERE project = ?", m.Project); err != nil {
			return err
		}
	case !claimed:
		covered, err := rowChanged(tx.Exec("UPDATE pending SET id = ?, at = ? WHERE project = ? AND path = ?",
			parseID(m.LastID), last, m.Project, queue.Rescan))
		if err != nil {
			return err
		}
		if covered {
			items = nil
		}
	}
	put, err := tx.Prepare("INSERT OR REPLACE INTO pending (project, path, id, at) VALUES (?, ?, ?, ?)")
	if err != nil {
		return err
	}
	defer put.Close()
	for _, it := range items {
		if _, err := put.Exec(m.Project, it.Path, parseID(it.ID), last); err != nil {
			return err
		}
	}
	if err := collapseToRescan(tx, m, last); err != nil {
		return err
	}
	due := queue.Due(time.UnixMilli(first), m.Last, now.Sub(m.Last), time.UnixMilli(notBefore)).UnixMilli()
	_, err = tx.Exec(`INSERT INTO project (project, root, first, last, due, not_before, attempts, holder, until) VALUES (?, ?, ?, ?, ?, ?, ?, '', 0)
		ON CONFLICT (project) DO UPDATE SET root = excluded.root, first = excluded.first, last = excluded.last, due = excluded.due,
		not_before = excluded.not_before, attempts = excluded.attempts`, m.Project, m.Root, first, last, due, notBefore, attempts)
	return err
}

// collapseToRescan replaces too many pending paths by one rescan.
func collapseToRescan(tx *sql.Tx, m *queue.Merge, at int64) error {
	var n int
	if err := tx.QueryRow("SELECT count(*) FROM pending WHERE project = ?", m.Project).Scan(&n); err != nil ||
		n <= queue.MaxPaths {
		return err
	}
	if _, err := tx.Exec("DELETE FROM pending WHERE project = ?", m.Project); err != nil {
		return err
	}
	_, err := tx.Exec("INSERT INTO pending (project, path, id, at) VALUES (?, ?, ?, ?)", m.Project, queue.Rescan,
		parseID(m.LastID), at)
	return err
}

// rowChanged reports whether a statement changed a row.
func rowChanged(res sql.Result, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}
