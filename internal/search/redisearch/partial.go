package redisearch

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
)

// A writer of a few named files reads their entries alone: what one changed file costs does not grow with the project.
// It believes the record's counts as long as the server holds as much as they say. Where it does not, and where a
// writer died before its commit, the whole manifest is read.

const (
	maxNamed   = 256    // paths and folders above them whose entries are read alone,
	maxSearch  = 4      // and those of them, new or gone, below which there may be entries
	matchCount = 20_000 // fields of the manifest that one step of a search goes through: a few milliseconds of the server
)

// resumeNamed is resume for a writer that changes only what paths name. False: the whole manifest must be loaded, and
// nothing has been.
func (w *writer) resumeNamed(ctx context.Context, paths []code.Path) (ok bool, err error) {
	if len(paths) == 0 || w.rec.dirty || w.rec.Generation == 0 || w.rec.rows <= 0 {
		return false, nil
	}
	all := map[code.Path]bool{}
	for _, p := range paths {
		if p == "" || p == "." {
			return false, nil
		}
		all[p] = true
		for dir := path.Dir(p); dir != "." && dir != "/" && !all[dir] && len(all) <= maxNamed; dir = path.Dir(dir) {
			all[dir] = false
		}
	}
	if len(all) > maxNamed {
		return false, nil
	}
	if whole, err := w.seemsWhole(ctx); !whole || err != nil {
		return false, err
	}
	if ok, err = w.loadNamed(ctx, all); !ok || err != nil {
		clear(w.manifest)
		return false, err
	}
	w.named = true
	return true, nil
}

// seemsWhole reports whether the server holds as many entries, blobs, names and chunks of the build as the record says,
// and nothing that a dead writer left.
func (w *writer) seemsWhole(ctx context.Context) (bool, error) {
	k, ver := w.x.keys, w.rec.ver
	pipe := w.x.writeClient.Pipeline()
	files, names := pipe.HLen(ctx, k.files(w.pid, ver)), pipe.HLen(ctx, k.names(w.pid, ver))
	blobs, ahead := pipe.HLen(ctx, k.blobs(w.pid, ver)), pipe.Exists(ctx, k.ahead(w.pid, ver))
	if _, err := pipe.Exec(ctx); err != nil {
		return false, fmt.Errorf("count the blobs: %w", asDamaged(err))
	}
	if int(files.Val()) != w.rec.rows || int(names.Val()) != w.rec.Files || int(blobs.Val()) != w.rec.Files || ahead.Val() > 0 {
		return false, nil
	}
	if w.rec.mode != search.Full {
		return true, nil
	}
	in, err := indexInfo(ctx, w.x.writeClient, w.rec.idx)
	if err != nil || in.busy || in.docs < w.rec.Chunks {
		return false, ctx.Err() // the index may be gone: whoever loads the manifest makes it again
	}
	return true, w.resumeGraph(ctx, w.rec.Chunks)
}

// loadNamed loads the entries of paths (true), and those below where there may be any: below a path that is no file.
// False: there are too many of those, or a folder above (false) has an entry, which must go.
func (w *writer) loadNamed(ctx context.Context, paths map[code.Path]bool) (bool, error) {
	if err := w.loadEntries(ctx, slices.Collect(maps.Keys(paths))); err != nil {
		return false, err
	}
	var below []code.Path
	for p, named := range paths {
		switch there := w.manifest[p] != nil; {
		case there && !named:
			return false, nil
		case !there && named:
			below = append(below, p)
		}
	}
	if len(below) > maxSearch {
		return false, nil
	}
	for _, p := range below {
		if err := w.loadBelow(ctx, p); err != nil {
			return false, err
		}
	}
	return true, nil
}

// loadEntries loads the entries of files into the manifest, nil for one that is not there.
func (w *writer) loadEntries(ctx context.Context, paths []code.Path) error {
	values, err := w.x.writeClient.HMGet(ctx, w.x.keys.files(w.pid, w.rec.ver), paths...).Result()
	if err == nil && len(values) != len(paths) {
		err = fmt.Errorf("%d values", len(values))
	}
	if err != nil {
		return fmt.Errorf("read %d entries of project %q: %w", len(paths), w.pid, asDamaged(err))
	}
	for i, p := range paths {
		text, there := values[i].(string)
		if !there {
			w.manifest[p] = nil
			continue
		}
		s, err := decodeEntry(p, text)
		if err != nil {
			return fmt.Errorf("%w: %w", errDamaged, err)
		}
		w.manifest[p] = &s
	}
	return nil
}

// inPattern writes a path so that a pattern of Redis matches it alone.
var inPattern = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`, `^`, `\^`, `-`, `\-`)

// loadBelow loads the entries of all files below a folder. The server goes through all paths for it, but sends these.
func (w *writer) loadBelow(ctx context.Context, dir code.Path) error {
	return w.x.scanEntries(ctx, w.x.writeClient, w.pid, w.rec.ver, inPattern.Replace(dir)+"/*", matchCount, func(s *stored) { w.manifest[s.Path] = s })
}

// entry returns the entry of a file, nil if there is none.
func (w *writer) entry(ctx context.Context, path code.Path) (*stored, error) {
	if s, known := w.manifest[path]; known || !w.named {
		return s, nil
	}
	if err := w.loadEntries(ctx, []code.Path{path}); err != nil {
		return nil, err
	}
	return w.manifest[path], nil
}

// scanEntries reads the entries of a build whose paths match a pattern; "" matches all. Each step goes through about
// count fields.
func (x *Index) scanEntries(ctx context.Context, c *redis.Client, pid, ver, pattern string, count int64, add func(*stored)) error {
	for cursor := uint64(0); ; {
		fields, next, err := c.HScan(ctx, x.keys.files(pid, ver), cursor, pattern, count).Result()
		if err != nil {
			return fmt.Errorf("read the manifest of project %q: %w", pid, asDamaged(err))
		}
		for i := 0; i+1 < len(fields); i += 2 {
			s, err := decodeEntry(fields[i], fields[i+1])
			if err != nil {
				return fmt.Errorf("%w: %w", errDamaged, err)
			}
			add(&s)
		}
		if cursor = next; cursor == 0 {
			return nil
		}
	}
}
