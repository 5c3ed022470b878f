package backend

import (
	"context"
	"fmt"
	"strconv"

	"github.com/contextd/contextd/internal/rdb"
)

// fullPercent is the share of the server's maxmemory from which projects go, before it refuses writes.
const fullPercent = 90

// sizer is the index of a backing whose projects can be measured one by one.
type sizer interface {
	Size(ctx context.Context, project string) (int64, error)
}

// redisRoom sums the sizes of the projects, which are kept in a hash: only the one that was just written is measured.
type redisRoom struct {
	b     *Backend
	sizes map[string]int64
	sum   int64
	full  int64 // by how much the server is over its share, less what was removed since
}

// sizesKey is a hash: project → bytes of memory.
func (b *Backend) sizesKey() string { return b.opts.Prefix + ":sizes" }

func (b *Backend) redisRoom(ctx context.Context, keep string) (room, error) {
	r := &redisRoom{b: b, sizes: map[string]int64{}}
	rows, err := b.client.HGetAll(ctx, b.sizesKey()).Result()
	if err != nil {
		return nil, fmt.Errorf("read %q from Redis: %w", b.sizesKey(), err)
	}
	for id, text := range rows {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && n >= 0 {
			r.sizes[id] = min(n, 1<<50)
		}
	}
	if err := r.measure(ctx, keep); err != nil {
		return nil, err
	}
	if _, done := b.told.LoadOrStore(b.sizesKey(), true); !done || r.total() > b.opts.MaxStateBytes {
		if err := r.match(ctx); err != nil {
			b.told.Delete(b.sizesKey())
			return nil, err
		}
	}
	r.sum = r.total()
	return r, r.server(ctx, keep)
}

func (r *redisRoom) total() (sum int64) {
	for _, n := range r.sizes {
		sum += n
	}
	return sum
}

// match measures the projects that were never measured, and forgets those that are gone.
func (r *redisRoom) match(ctx context.Context) error {
	projects, err := r.b.Index.Projects(ctx)
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
			r.forget(ctx, id)
		}
	}
	return nil
}

func (r *redisRoom) measure(ctx context.Context, project string) error {
	s, ok := r.b.Index.(sizer)
	if !ok {
		return nil
	}
	n, err := s.Size(ctx, project)
	if err != nil {
		return err
	}
	r.sizes[project] = n
	_ = r.b.client.HSet(ctx, r.b.sizesKey(), project, n).Err() // a full server takes none: it is measured again
	return nil
}

// server looks how full the server is.
func (r *redisRoom) server(ctx context.Context, keep string) error {
	text, err := r.b.client.Info(ctx, "memory").Result()
	if err != nil {
		return nil // its user may not ask: --max-state-bytes holds by itself
	}
	f := rdb.ParseFacts(text)
	if f.Max <= 0 {
		return nil
	}
	if r.full = f.Used - f.Max/100*fullPercent; r.full > 0 {
		r.b.DropVectors(ctx)
		if text, err = r.b.client.Info(ctx, "memory").Result(); err == nil {
			r.full = rdb.ParseFacts(text).Used - f.Max/100*fullPercent
		}
	}
	if r.full > r.sum-r.sizes[keep] { // what fills it is not ours to remove
		r.b.warnOnce("the Redis server is nearly full, and not of projects that could go", "used", f.Used, "maxmemory", f.Max, "indexes", r.sum,
			"hint", "raise maxmemory, or remove what else lies on the server")
		r.full = 0
	}
	return nil
}

func (r *redisRoom) over(context.Context) (int64, error) {
	return max(r.sum-r.b.opts.MaxStateBytes, r.full), nil
}

func (r *redisRoom) size(_ context.Context, project string) (int64, error) {
	return r.sizes[project], nil
}

func (r *redisRoom) removed(ctx context.Context, project string) {
	r.sum -= r.sizes[project]
	r.full -= r.sizes[project]
	r.forget(ctx, project)
}

func (r *redisRoom) forget(ctx context.Context, project string) {
	delete(r.sizes, project)
	_ = r.b.client.HDel(ctx, r.b.sizesKey(), project).Err() // it is forgotten at the next look
}
