package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/contextd/contextd/internal/search"
)

var _ search.Inspector = (*Index)(nil)

// Inspect implements search.Inspector: every project is opened, with all its sums.
func (ix *Index) Inspect(ctx context.Context) ([]search.Fault, error) {
	dirs, err := os.ReadDir(ix.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list the projects of the index: %w", err)
	}
	var faults []search.Fault
	for _, d := range dirs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		dir := filepath.Join(ix.dir, d.Name())
		h, err := readHead(dir)
		name := d.Name()
		if err == nil {
			forgetChecked(dir)
			if name = h.project.ID; ix.folder(name) != dir {
				err = damagedf("the folder %q is not that of its project", d.Name())
			} else if st, loadErr := ix.load(dir, name); loadErr == nil {
				ix.cache.releaseState(st)
			} else {
				err = loadErr
			}
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // a folder without CURRENT: the first index is in the making
			faults = append(faults, search.Fault{Project: name, Detail: err.Error()})
		}
	}
	return faults, nil
}
