package search

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/servers"
)

// FileHashes tells which hashes files have in the indexes of a project's roots. What cites a file is checked by it.
type FileHashes struct {
	Index Index
	List  Lister // of the projects of Index
}

// Lister lists projects.
type Lister interface {
	Projects(ctx context.Context) ([]Project, error)
}

// Hashes are those of the files at paths, by path: of each root of the project that has the file in its index, every
// hash once.
func (f FileHashes) Hashes(ctx context.Context, project string, paths []string) (map[string][]string, error) {
	if project == "" {
		return nil, errors.New("no project is named")
	}
	projects, err := f.List.Projects(ctx)
	if err = servers.ForOwner(err, project); err != nil {
		return nil, err
	}
	found := make(map[string][]string, len(paths))
	known := false
	for _, p := range projects { // by id: the first root is the first
		if p.ProjectID() != project {
			continue
		}
		switch err := f.add(ctx, p.ID, paths, found); {
		case errors.Is(err, ErrNoProject): // removed just now
		case err != nil:
			return nil, err
		default:
			known = true
		}
	}
	if !known {
		return nil, fmt.Errorf("open project %q: %w", project, ErrNoProject)
	}
	return found, nil
}

// add adds those of one root.
func (f FileHashes) add(ctx context.Context, index string, paths []string, found map[string][]string) error {
	snap, err := f.Index.Open(ctx, index)
	if err != nil {
		return fmt.Errorf("open project %q: %w", index, err)
	}
	defer snap.Close()
	for _, p := range paths {
		e, ok, err := snap.Entry(ctx, p)
		if err != nil {
			return fmt.Errorf("look up %q: %w", p, err)
		}
		if h := e.Hash.String(); ok && e.Hash != (code.Hash{}) && !slices.Contains(found[p], h) {
			found[p] = append(found[p], h)
		}
	}
	return nil
}
