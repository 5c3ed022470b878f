package sqlite

import (
	"context"
	"database/sql"
	"time"

	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/sqlfile"
)

// Stats implements queue.Queue.
func (q *Queue) Stats(ctx context.Context) (queue.Stats, error) {
	rows, err := q.projectRows(ctx)
	if err != nil {
		return queue.Stats{}, err
	}
	ms, err := q.readIntake(ctx, queue.MaxUndrained)
	if err != nil {
		return queue.Stats{}, err
	}
	s := queue.SumStats(rows, ms, q.now())
	err = q.withDB("count dead letters of queue", func(db *sql.DB) error {
		return db.QueryRowContext(ctx, "SELECT count(*) FROM dead").Scan(&s.Dead)
	})
	return s, err
}

// Waiting implements queue.Queue.
func (q *Queue) Waiting(ctx context.Context, project string) ([]queue.Waiting, error) {
	rows, err := q.projectRows(ctx)
	if err != nil {
		return nil, err
	}
	ms, err := q.readIntake(ctx, queue.MaxUndrained)
	if err != nil {
		return nil, err
	}
	return queue.ListWaiting(rows, ms, project, q.now()), nil
}

func (q *Queue) projectRows(ctx context.Context) (all []queue.ProjectRow, err error) {
	now := q.now().UnixMilli()
	err = q.withDB("read queue", func(db *sql.DB) error {
		all = nil
		projects := sqlfile.Each(db.QueryContext(ctx, `SELECT project, root, first, due, holder, until,
			(SELECT count(*) FROM pending WHERE pending.project = project.project) FROM project`))
		return projects(func(rows *sql.Rows) error {
			var r queue.ProjectRow
			var first, due, until int64
			var holder string
			if err := rows.Scan(&r.Project, &r.Root, &first, &due, &holder, &until, &r.Paths); err != nil {
				return err
			}
			r.First, r.Due = time.UnixMilli(first), time.UnixMilli(due)
			r.Claimed = holder != "" && until > now && !queue.HolderDead(q.holder, holder)
			all = append(all, r)
			return nil
		})
	})
	return all, err
}
