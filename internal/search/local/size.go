package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Size is how many bytes the files of a project take; 0 where there are none.
func (ix *Index) Size(_ context.Context, project string) (total int64, err error) {
	list, err := os.ReadDir(ix.folder(project))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("measure project %q: %w", project, err)
	}
	for _, f := range list {
		if info, err := f.Info(); err == nil && info.Mode().IsRegular() { // one that vanishes meanwhile counts nothing
			total += info.Size()
		}
	}
	return total, nil
}
