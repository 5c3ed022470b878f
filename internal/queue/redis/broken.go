package redis

import (
	"context"
	"fmt"

	goredis "github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/code"
)

// wrongTypeKeys returns an error text for each of these projects that has a key of a wrong type. Until that key is
// deleted, nothing of the project is merged or claimed.
func (q *Queue) wrongTypeKeys(ctx context.Context, projects map[string]bool) (map[string]string, error) {
	type ask struct {
		project, key string
		is           *goredis.StatusCmd
	}
	var all []ask
	if len(projects) == 0 {
		return nil, nil
	}
	_, err := q.client.Pipelined(ctx, func(p goredis.Pipeliner) error {
		for id := range projects {
			for _, key := range []string{q.pending(id), q.state(id)} {
				all = append(all, ask{id, key, p.Type(ctx, key)})
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	broken := map[string]string{}
	for _, a := range all {
		if is := a.is.Val(); is != "none" && is != "hash" {
			broken[a.project] = fmt.Sprintf("queue key %q holds a %s, want a hash: delete it", a.key, is)
		}
	}
	return broken, nil
}

// projectsToCheck are the projects of v that may have a key of a wrong type: their messages still lie in the intake, or
// nothing could be read of them. At most page of them.
func (v view) projectsToCheck() map[string]bool {
	all := map[string]bool{}
	for _, m := range v.intake {
		if p := m.Fields["project_id"]; p != "" && len(all) < pageSize {
			all[p] = true
			all[code.RootIndexID(p, m.Fields["sandbox_root"])] = true
		}
	}
	for _, r := range v.rows {
		if r.Paths == 0 && len(all) < pageSize {
			all[r.Project] = true
		}
	}
	return all
}
