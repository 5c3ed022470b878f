package backend

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/contextd/contextd/internal/statedir"
	"github.com/contextd/contextd/internal/syserr"
)

// Gone says since when a project's root has been missing.
type Gone struct {
	Root  string    `json:"root"`
	Since time.Time `json:"since"`
}

// goneFile holds the map of Gone; only the daemon of the state directory writes it.
const goneFile = "gone.json"

func (b *Backend) goneKey() string { return b.opts.Prefix + ":gone" }

// Gone lists the projects whose roots were noted as missing, by id: of one server, see Servers.
func (b *Backend) Gone(ctx context.Context) (map[string]Gone, error) {
	all := map[string]Gone{}
	if b.Name == Embedded {
		path := filepath.Join(b.opts.StateDir, goneFile)
		data, err := statedir.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read %q: %w", path, syserr.Cause(err))
		}
		if json.Unmarshal(data, &all) != nil { // damaged: the day begins again
			return map[string]Gone{}, nil
		}
		return all, nil
	}
	rows, err := b.client.HGetAll(ctx, b.goneKey()).Result()
	if err != nil {
		return nil, fmt.Errorf("read %q from Redis: %w", b.goneKey(), err)
	}
	for project, row := range rows {
		var g Gone
		if json.Unmarshal([]byte(row), &g) == nil {
			all[project] = g
		}
	}
	return all, nil
}

// NoteGone notes that a project's root is missing, instead of what was noted before; with a zero Gone, that it is not.
func (b *Backend) NoteGone(ctx context.Context, project string, g Gone) error {
	b = b.of(project)
	if b.Name == Embedded {
		all, err := b.Gone(ctx)
		if err != nil {
			return err
		}
		if all[project] = g; g == (Gone{}) {
			delete(all, project)
		}
		data, _ := json.Marshal(all) // times and strings always encode
		path := filepath.Join(b.opts.StateDir, goneFile)
		if err := statedir.Replace(path, data); err != nil {
			return fmt.Errorf("write %q: %w", path, syserr.Cause(err))
		}
		return nil
	}
	var err error
	if g == (Gone{}) {
		err = b.client.HDel(ctx, b.goneKey(), project).Err()
	} else {
		row, _ := json.Marshal(g) // times and strings always encode
		err = b.client.HSet(ctx, b.goneKey(), project, row).Err()
	}
	if err != nil {
		return fmt.Errorf("write %q to Redis: %w", b.goneKey(), err)
	}
	return nil
}
