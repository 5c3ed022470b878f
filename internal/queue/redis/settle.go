package redis

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	goredis "github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/queue"
)

// DropUntil implements queue.Queue.
func (q *Queue) DropUntil(ctx context.Context, project, root, mark string) error {
	if err := q.dropUntil(ctx, project, root, mark); err != nil {
		return fmt.Errorf("settle project %q up to %s: %w", project, mark, err)
	}
	return nil
}

func (q *Queue) dropUntil(ctx context.Context, project, root, mark string) error {
	last, err := q.lastID(ctx, q.intake())
	if err != nil {
		return err
	}
	if newer(mark, last) {
		return nil // the stream was made again since: what waits may be newer than the mark
	}
	var ms []queue.Message
	err = q.eachEntry(ctx, q.intake(), mark, queue.MaxUndrained, func(m queue.Message) error {
		ms = append(ms, m)
		return nil
	})
	if err != nil {
		return err
	}
	token, err := q.client.HGet(ctx, q.holders(), project).Result()
	if err != nil && !errors.Is(err, goredis.Nil) {
		return err
	}
	if !queue.HolderDead(q.holder, token) {
		token = ""
	}
	at, seq, _ := strings.Cut(mark, "-")
	args := []any{q.skewMS(), project, root, at, seq, token}
	for _, m := range ms {
		if r, err := queue.Parse(m.ID, m.Fields); err == nil && r.Project == code.ProjectOf(project) &&
			queue.SameRoot(r.Root, root) {
			args = append(args, m.ID)
		}
	}
	return dropUntilScript.Run(ctx, q.client, append(q.project(project), q.intake()), args...).Err()
}

// Forget implements queue.Queue.
func (q *Queue) Forget(ctx context.Context, project string) error {
	if err := q.forget(ctx, project); err != nil {
		return fmt.Errorf("forget project %q in %q: %w", project, q.prefix, err)
	}
	return nil
}

func (q *Queue) forget(ctx context.Context, project string) error {
	mark, err := q.Mark(ctx)
	if err != nil {
		return err
	}
	if code.IsFurther(project) {
		return forgetScript.Run(ctx, q.client, append(q.project(project), q.intake(), q.dead()), q.skewMS(),
			project, 0).Err()
	}
	var intake, dead []string
	err = q.eachEntry(ctx, q.intake(), mark, math.MaxInt, func(e queue.Message) error {
		if p := e.Fields[queue.FieldProject]; project == "" || p == project {
			intake = append(intake, e.ID)
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = q.eachEntry(ctx, q.dead(), "+", math.MaxInt, func(e queue.Message) error {
		if p := e.Fields["project"]; project == "" || p == project {
			dead = append(dead, e.ID)
		}
		return nil
	})
	if err != nil {
		return err
	}
	projects := []string{project}
	v, err := q.readView(ctx, "")
	if err != nil {
		return err
	}
	for _, r := range v.rows {
		if project == "" || r.Project != project && code.ProjectOf(r.Project) == project {
			projects = append(projects, r.Project)
		}
	}
	for _, p := range projects {
		for {
			a, b := intake[:min(len(intake), pageSize)], dead[:min(len(dead), pageSize)]
			intake, dead = intake[len(a):], dead[len(b):]
			args := []any{q.skewMS(), p, len(a)}
			for _, id := range slices.Concat(a, b) {
				args = append(args, id)
			}
			if err := forgetScript.Run(ctx, q.client, append(q.project(p), q.intake(), q.dead()),
				args...).Err(); err != nil {
				return err
			}
			if len(intake)+len(dead) == 0 {
				break
			}
		}
	}
	return nil
}
