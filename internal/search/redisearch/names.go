package redisearch

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
)

// A file's value in the name index: language (length and bytes), then 5 bytes, little-endian, for each of its
// search.NameTerms.

func encodeName(f *code.File) []byte {
	ids := search.NameTerms(f)
	b := binary.AppendUvarint(make([]byte, 0, 8+len(f.Language)+5*len(ids)), uint64(len(f.Language)))
	b = append(b, f.Language...)
	for _, id := range ids {
		b = append(b, byte(id), byte(id>>8), byte(id>>16), byte(id>>24), byte(id>>32))
	}
	return b
}

// decodeName appends the terms of a value to ids.
func decodeName(ids []code.TermID, value string) (language string, _ []code.TermID) {
	r := reader{b: value}
	language = r.text()
	for v := r.b; len(v) >= 5; v = v[5:] {
		ids = append(ids, code.TermID(v[0])|code.TermID(v[1])<<8|code.TermID(v[2])<<16|code.TermID(v[3])<<24|code.TermID(v[4])<<32)
	}
	return language, ids
}

// matchNames finds the files whose values hold most of a query, the best first, at most n; df counts the files that
// hold each word, whatever keep says.
func matchNames(values map[string]string, q search.Query, keep func(path, language string) bool, n int) (paths []code.Path, df []int) {
	m := search.NewNameMatch(q)
	all := make([]code.Path, 0, len(values))
	var ids []code.TermID
	for path, value := range values {
		_, ids = decodeName(ids[:0], value)
		for _, id := range ids {
			m.Add(int32(len(all)), id)
		}
		all = append(all, path)
	}
	files, df := m.Best(len(all), func(i int32) code.Path { return all[i] }, func(i int32) bool {
		r := reader{b: values[all[i]]}
		return keep(all[i], r.text())
	}, n)
	for _, i := range files {
		paths = append(paths, all[i])
	}
	return paths, df
}

// byName nominates from the name index, in process.
func (s *snapshot) byName(ctx context.Context, rec record, q search.Query) (*search.Nominees, error) {
	for _, g := range q.Globs {
		if _, err := parseGlob(g); err != nil {
			return nil, err
		}
	}
	f := &filter{langs: q.Langs, globs: search.NewGlobs(q.Globs)}
	names, err := s.x.readClient.HGetAll(ctx, s.x.keys.names(rec.ID, rec.ver)).Result()
	if err != nil {
		return nil, fmt.Errorf("read the name index of project %q: %w", rec.ID, err)
	}
	if len(names) == 0 && rec.Files > 0 {
		moved, err := s.reloadIfReplaced(ctx, rec)
		if err != nil {
			return nil, err
		}
		if moved {
			return s.Nominate(ctx, q)
		}
	}
	paths, df := matchNames(names, q, f.keep, q.Files)
	if len(q.Count) > 0 {
		_, counts := matchNames(names, search.Query{Words: q.Count}, f.keep, 0)
		df = append(df, counts...)
	}
	out := &search.Nominees{Stats: stats(rec, df), NoVector: !search.IsZero(q.Vector)}
	if len(q.Named) > 0 {
		if out.Named, err = s.named(ctx, rec, q, slices.Collect(maps.Keys(names)), q.Vector); err != nil {
			return nil, err
		}
	}
	out.Files, err = s.fetch(ctx, rec, paths, q.Vector, func(*stored) bool { return true })
	if err != nil {
		return nil, err
	}
	return out, nil
}
