package eviction

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/syserr"
)

// fileRooms measure the state directory.
type fileRooms struct {
	e *Evictor
	Files
}

func (f fileRooms) look(context.Context, string) (room, error) { return fileRoom{f}, nil }

func (fileRooms) forget(context.Context, string) {}

// fileRoom measures again whenever it is asked: other processes write there, too.
type fileRoom struct{ fileRooms }

func (fileRoom) removed(context.Context, string) {}

func (r fileRoom) size(ctx context.Context, project string) (int64, error) {
	if s, ok := r.e.opts.Index.(sizer); ok {
		return s.Size(ctx, project)
	}
	return 0, nil
}

func (r fileRoom) over(context.Context) (int64, error) {
	dir, limit := r.StateDir, r.e.opts.MaxBytes
	indexes, err := sizeOf(r.Indexes)
	if err != nil {
		return 0, err
	}
	copies, err := r.copies()
	if err != nil {
		return 0, err
	}
	var damaged int64
	for _, c := range copies {
		damaged += c.bytes
	}
	for _, c := range copies {
		if indexes+damaged <= limit {
			break
		}
		for _, tail := range []string{"-wal", "-shm", ""} {
			if err := os.Remove(c.path + tail); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return 0, fmt.Errorf("remove %q: %w", c.path+tail, syserr.Cause(err))
			}
		}
		r.e.opts.Log.Warn("damaged copy removed: the state was over its limit", obs.KeyPath, c.path, "bytes", c.bytes,
			"limit", limit)
		damaged -= c.bytes
	}
	if indexes+damaged > limit {
		return indexes + damaged - limit, nil
	}
	all, err := sizeOf(dir)
	if err == nil && all > limit {
		r.e.warnOnce("the state is over its limit with what is never removed", "limit", limit, "bytes", all,
			"indexes", indexes,
			"damaged", damaged, "remembered_and_queued", all-indexes-damaged,
			"hint", "raise --max-state-bytes; it removes indexes and damaged copies only, and these are within it")
	}
	return 0, err
}

// aside is a damaged file that was set aside.
type aside struct {
	path  string
	bytes int64 // with its WAL
}

// copies lists the damaged files, the oldest of each kind first.
func (r fileRoom) copies() (all []aside, err error) {
	paths, err := r.Damaged()
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		c := aside{path: path}
		for _, tail := range []string{"", "-wal", "-shm"} {
			if info, err := os.Lstat(path + tail); err == nil && info.Mode().IsRegular() {
				c.bytes += info.Size()
			}
		}
		if c.bytes > 0 {
			all = append(all, c)
		}
	}
	return all, nil
}

// sizeOf is the size of all files below dir. What vanishes meanwhile counts nothing.
func sizeOf(dir string) (total int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			var info fs.FileInfo
			if info, err = d.Info(); err == nil {
				total += info.Size()
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("measure %q: %w", dir, syserr.Cause(err))
	}
	return total, nil
}
