package local

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/search"
)

// Options of an embedded index.
type Options struct {
	Dir string       // folder of the projects' folders; made when the first project is written
	Log *slog.Logger // nil: nothing is logged
	// Mode is how to search: search.Full, or search.Names to nominate by paths alone. Both write the same. Empty: Full.
	Mode search.Mode
}

// Validate returns an error that names what is missing.
func (o Options) Validate() error {
	if o.Dir == "" {
		return errors.New("embedded index: want a folder")
	}
	if o.Mode != "" && o.Mode != search.Full && o.Mode != search.Names {
		return fmt.Errorf("embedded index: search mode %q: want %q or %q", o.Mode, search.Full, search.Names)
	}
	return nil
}

// Index is the embedded index of one folder. It implements search.Index.
type Index struct {
	dir              string
	log              *slog.Logger
	mode             search.Mode
	cache            cache
	beforeStep       func(step string) error // called before each change on disk; tests fail or die there
	maxSegmentSource int64                   // bytes of source in one new segment
	foldFrom         int                     // changed rows that may stand in CURRENT, of however small a manifest
	uncheckedLimit   int64                   // bytes of segments that are checked each time, rather than noted in CHECKED

	attached attachments
}

var _ search.Index = (*Index)(nil)

// confirmEvery is how old IndexedAt must be for Confirm to write it.
const confirmEvery = 30 * time.Second

// Open opens the index of a folder, which need not exist yet.
func Open(o Options) (*Index, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	o.Mode = cmp.Or(o.Mode, search.Full)
	return &Index{dir: o.Dir, log: o.Log, mode: o.Mode, beforeStep: noStep, maxSegmentSource: 64 << 20, uncheckedLimit: 4 << 20, foldFrom: 512,
		cache: cache{segments: map[string]*segment{}, states: map[string]*state{}}}, nil
}

// folder is where a project is stored.
func (ix *Index) folder(project string) string {
	h := sha256.Sum256([]byte(project))
	return filepath.Join(ix.dir, hex.EncodeToString(h[:16]))
}

// Mode is that of the Options.
func (ix *Index) Mode(context.Context) (search.Mode, error) { return ix.mode, nil }

// Projects lists the records of all projects, by id. A record that cannot be read is left out.
func (ix *Index) Projects(ctx context.Context) ([]search.Project, error) {
	dirs, err := os.ReadDir(ix.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list the projects of the index: %w", err)
	}
	var all []search.Project
	for _, d := range dirs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		dir := filepath.Join(ix.dir, d.Name())
		h, err := readHead(dir)
		switch {
		case err == nil && ix.folder(h.project.ID) == dir:
			all = append(all, record(dir, h))
		case err == nil || errors.Is(err, errDamaged):
			ix.log.Warn("index of a project is damaged", "dir", d.Name(), obs.KeyError, err)
		}
	}
	slices.SortFunc(all, func(a, b search.Project) int { return strings.Compare(a.ID, b.ID) })
	return all, nil
}

// Open pins the current generation of a project. The error is search.ErrNoProject if there is none, and a
// *DamagedError, which is one too, if it cannot be read.
func (ix *Index) Open(ctx context.Context, project string) (search.Snapshot, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("open the index of project %q: %w", project, err)
	}
	dir := ix.folder(project)
	st, err := ix.load(dir, project)
	if err != nil {
		return nil, openError(project, err)
	}
	return &snapshot{ix: ix, st: st, project: record(dir, st.head)}, nil
}

func openError(project string, err error) error {
	switch {
	case errors.Is(err, errDamaged):
		return &DamagedError{project, err}
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("open project %q: %w", project, search.ErrNoProject)
	}
	return fmt.Errorf("open the index of project %q: %w", project, err)
}

// Confirm records that the index of a project equals the disk; see search.Index.
func (ix *Index) Confirm(_ context.Context, project string, at time.Time) error {
	dir := ix.folder(project)
	h, err := readHead(dir)
	if err != nil {
		return noteError(err, "confirm", project)
	}
	if d := at.Sub(record(dir, h).IndexedAt); d < confirmEvery && d > -search.ClockSetBack {
		return nil
	}
	return noteError(writeConfirmed(dir, h, at, ix.beforeStep), "confirm", project)
}

// Fail records that the last refresh of a project failed; see search.Index.
func (ix *Index) Fail(_ context.Context, project, reason string) error {
	dir := ix.folder(project)
	h, err := readHead(dir)
	if err != nil {
		return noteError(err, "record the failure of", project)
	}
	return noteError(writeFailed(dir, h, reason, ix.beforeStep), "record the failure of", project)
}

// noteError is nil for a project without a readable record.
func noteError(err error, verb, project string) error {
	if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, errDamaged) {
		return nil
	}
	return fmt.Errorf("%s project %q: %w", verb, project, err)
}

// Writer takes the lock of a version of a project; see search.Index.
func (ix *Index) Writer(ctx context.Context, spec search.Spec) (search.Writer, error) {
	if err := code.CheckIndexID(spec.Project); err != nil {
		return nil, err
	}
	if spec.Model.Dims < 0 || spec.Model.Dims > maxDims {
		return nil, fmt.Errorf("project %q: want vectors of 0 to %d dimensions (got %d)", spec.Project, maxDims, spec.Model.Dims)
	}
	dir := ix.folder(spec.Project)
	begin, name := ix.newWriter, lockName
	if spec.Next {
		begin, name = ix.openNext, nextLockName
		if _, err := readHead(dir); err != nil { // beside nothing there is no next one, and nothing is made for it
			return nil, openError(spec.Project, err)
		}
	}
	l, err := lock(ctx, dir, name, spec.Project, spec.Wait)
	if err != nil {
		return nil, err
	}
	w, err := begin(dir, spec)
	if err != nil {
		if _, gone := os.Stat(filepath.Join(dir, currentName)); errors.Is(gone, fs.ErrNotExist) && !spec.Next {
			_ = removeFolder(dir) // there is no project
		}
		_ = l.Unlock()
		return nil, err
	}
	w.lock, w.wait = l, spec.Wait
	return w, nil
}

// Close unmaps what no Snapshot holds. Snapshots that are open stay good.
func (ix *Index) Close() error {
	ix.cache.forgetAll()
	return nil
}
