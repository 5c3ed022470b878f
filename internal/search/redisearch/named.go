package redisearch

import (
	"context"
	"slices"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
)

// named reads the files that a query names, among paths.
func (s *snapshot) named(ctx context.Context, rec record, q search.Query, paths []code.Path, vector []float32) ([]search.Candidate, error) {
	f := &filter{langs: q.Langs, globs: search.NewGlobs(q.Named)}
	paths = slices.DeleteFunc(paths, func(p code.Path) bool { return !f.globs.Match(p) })
	slices.Sort(paths)
	var out []search.Candidate
	for some := range slices.Chunk(paths, q.Files) {
		found, err := s.fetch(ctx, rec, some, vector, func(e *stored) bool { return f.keep(e.Path, e.Language) })
		if err != nil {
			return nil, err
		}
		if out = append(out, found...); len(out) >= q.Files {
			return out[:q.Files], nil
		}
	}
	return out, nil
}
