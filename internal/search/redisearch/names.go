package redisearch

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
	"github.com/contextd/contextd/internal/search"
)

// A file's value in the name index: language (length and bytes), then 5 bytes, little-endian, for each term: the look-up
// term of its stem and the words of its path.

func encodeName(f *code.File) []byte {
	ids := []code.TermID{lexical.FileName(lexical.Join(lexical.FileStem(f.Path))).ID}
	if len(f.Chunks) > 0 { // as analyzed
		for _, t := range f.Chunks[0].Names {
			if t.Text != "" && (t.Text[0] == 'z' || t.Text[0] == 'w') && t.ID != ids[0] {
				ids = append(ids, t.ID)
			}
		}
	}
	for from := 0; ; {
		start, end := lexical.NextIdent(f.Path, from)
		if start >= len(f.Path) {
			break
		}
		lexical.Words(f.Path[start:end], func(w string) {
			if id := lexical.Word(w).ID; !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		})
		from = end
	}
	b := binary.AppendUvarint(make([]byte, 0, 8+len(f.Language)+5*len(ids)), uint64(len(f.Language)))
	b = append(b, f.Language...)
	for _, id := range ids {
		b = append(b, byte(id), byte(id>>8), byte(id>>16), byte(id>>24), byte(id>>32))
	}
	return b
}

func decodeName(value string) (language string, ids []code.TermID) {
	r := reader{b: value}
	language = r.text()
	for len(r.b) >= 5 {
		p := r.take(5)
		ids = append(ids, code.TermID(p[0])|code.TermID(p[1])<<8|code.TermID(p[2])<<16|code.TermID(p[3])<<24|code.TermID(p[4])<<32)
	}
	return language, ids
}

// matchNames finds the files whose paths hold most of a query, the best first, at most n; df counts the
// files that hold each word, whatever the filter leaves out.
func matchNames(names map[string]string, q search.Query, keep func(path, language string) bool, n int) (paths []code.Path, df []int) {
	bits := make(map[code.TermID]int, len(q.Words)+len(q.Names))
	for i, w := range looked(q.Words) {
		bits[w.ID] = i
	}
	for i, w := range q.Names {
		bits[w.ID] = len(q.Words) + i
	}
	type match struct {
		path  code.Path
		terms []int
		score float64
	}
	var found []match
	df = make([]int, len(q.Words))
	for path, value := range names {
		language, ids := decodeName(value)
		var terms []int
		for _, id := range ids {
			if i, ok := bits[id]; ok && !slices.Contains(terms, i) {
				terms = append(terms, i)
				if i < len(df) {
					df[i]++
				}
			}
		}
		if len(terms) > 0 && keep(path, language) {
			found = append(found, match{path: path, terms: terms})
		}
	}
	for i := range found {
		for _, t := range found[i].terms {
			if t < len(df) {
				found[i].score += math.Log(1 + float64(len(names))/float64(df[t]))
			} else {
				found[i].score += math.Log(1 + float64(len(names)))
			}
		}
	}
	slices.SortFunc(found, func(a, b match) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.path, b.path))
	})
	for _, m := range found[:min(n, len(found))] {
		paths = append(paths, m.path)
	}
	return paths, df
}

// byName nominates from the name index, in process.
func (s *snapshot) byName(ctx context.Context, rec record, q search.Query) (*search.Nominees, error) {
	f := &filter{langs: q.Langs, globs: q.Globs}
	for _, g := range q.Globs {
		if _, err := parseGlob(g); err != nil {
			return nil, err
		}
	}
	names, err := s.x.read.HGetAll(ctx, s.x.keys.names(rec.ID, rec.ver)).Result()
	if err != nil {
		return nil, fmt.Errorf("read the name index of project %q: %w", rec.ID, err)
	}
	if len(names) == 0 && rec.Files > 0 {
		moved, err := s.moved(ctx, rec)
		if err != nil {
			return nil, err
		}
		if moved {
			return s.Nominate(ctx, q)
		}
	}
	paths, df := matchNames(names, q, f.keep, q.Files)
	out := &search.Nominees{Stats: stats(rec, df), NoVector: !isZero(q.Vector)}
	out.Files, err = s.fetch(ctx, rec, paths, q.Vector, func(*stored) bool { return true })
	if err != nil {
		return nil, err
	}
	return out, nil
}
