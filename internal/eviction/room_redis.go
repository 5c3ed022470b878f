package eviction

import (
	"context"
	"fmt"
	"strconv"

	"github.com/contextd/contextd/internal/rdb"
)

// fullPercent is the share of the server's maxmemory from which projects go, before it refuses writes.
const fullPercent = 90

// redisRooms keep the sizes of the projects in a hash: project → bytes of memory.
type redisRooms struct {
	e *Evictor
	Server
}

func (s redisRooms) key() string { return s.Prefix + ":sizes" }

func (s redisRooms) forget(ctx context.Context, project string) {
	_ = s.Client.HDel(ctx, s.key(), project).Err() // the next eviction finds it
}

// redisRoom sums the sizes of the projects: only the one that was just written is measured.
type redisRoom struct {
	redisRooms
	sizes map[string]int64
	sum   int64
	full  int64 // by how much the server is over its share, less what was removed since
}

func (s redisRooms) look(ctx context.Context, keep string) (room, error) {
	r := &redisRoom{redisRooms: s, sizes: map[string]int64{}}
	rows, err := s.Client.HGetAll(ctx, s.key()).Result()
	if err != nil {
		return nil, fmt.Errorf("read %q from Redis: %w", s.key(), err)
	}
	for id, text := range rows {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && n >= 0 {
			r.sizes[id] = min(n, 1<<50)
		}
	}
	if err := r.measure(ctx, keep); err != nil {
		return nil, err
	}
	if _, done := s.e.told.LoadOrStore(s.key(), true); !done || r.total() > s.e.opts.MaxBytes {
		if err := r.match(ctx); err != nil {
			s.e.told.Delete(s.key())
			return nil, err
		}
	}
	r.sum = r.total()
	r.server(ctx, keep)
	return r, nil
}

func (r *redisRoom) total() (sum int64) {
	for _, n := range r.sizes {
		sum += n
	}
	return sum
}

// match measures the projects that were never measured, and forgets those that are gone.
func (r *redisRoom) match(ctx context.Context) error {
	projects, err := r.e.opts.Index.Projects(ctx)
	if err != nil {
		return err
	}
	here := map[string]bool{}
	for _, p := range projects {
		here[p.ID] = true
		if _, ok := r.sizes[p.ID]; ok {
			continue
		}
		if err := r.measure(ctx, p.ID); err != nil {
			return err
		}
	}
	for id := range r.sizes {
		if !here[id] {
			delete(r.sizes, id)
			r.forget(ctx, id)
		}
	}
	return nil
}

func (r *redisRoom) measure(ctx context.Context, project string) error {
	s, ok := r.e.opts.Index.(sizer)
	if !ok {
		return nil
	}
	n, err := s.Size(ctx, project)
	if err != nil {
		return err
	}
	r.sizes[project] = n
	_ = r.Client.HSet(ctx, r.key(), project, n).Err() // a full server takes none: it is measured again
	return nil
}

// server looks how full the server is.
func (r *redisRoom) server(ctx context.Context, keep string) {
	text, err := r.Client.Info(ctx, "memory").Result()
	if err != nil {
		return // its user may not ask: --max-state-bytes holds by itself
	}
	f := rdb.ParseFacts(text)
	if f.Max <= 0 {
		return
	}
	if r.full = f.Used - f.Max/100*fullPercent; r.full > 0 {
		r.MakeRoom(ctx)
		if text, err = r.Client.Info(ctx, "memory").Result(); err == nil {
			r.full = rdb.ParseFacts(text).Used - f.Max/100*fullPercent
		}
	}
	if r.full > r.sum-r.sizes[keep] { // what fills it is not ours to remove
		r.e.warnOnce("the Redis server is nearly full, and not of projects that could go", "used", f.Used,
			"maxmemory", f.Max, "indexes", r.sum,
			"hint", "raise maxmemory, or remove what else lies on the server")
		r.full = 0
	}
}

func (r *redisRoom) over(context.Context) (int64, error) {
	return max(r.sum-r.e.opts.MaxBytes, r.full), nil
}

func (r *redisRoom) size(_ context.Context, project string) (int64, error) {
	return r.sizes[project], nil
}

func (r *redisRoom) removed(ctx context.Context, project string) {
	r.sum -= r.sizes[project]
	r.full -= r.sizes[project]
	delete(r.sizes, project)
	r.forget(ctx, project)
}
