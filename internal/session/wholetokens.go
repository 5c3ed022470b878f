package session

import (
	"context"
	"fmt"

	"github.com/contextd/contextd/internal/sandbox"
)

// Bounds of one call of WholeTokens.
const (
	maxWholeFiles = 2000
	maxWholeBytes = 64 << 20
)

// WholeTokens counts the tokens of whole files as they are on disk now. A path has no count if the index does not hold it, it cannot be
// read, or the call has read 64 MB or 2,000 files already.
func (s *Session) WholeTokens(ctx context.Context, project string, paths []string, count func(text string) int) (map[string]int, error) {
	found := map[string]int{}
	if len(paths) == 0 {
		return found, nil
	}
	snap, err := s.store.Index.Open(ctx, project)
	if err != nil {
		return nil, fmt.Errorf("open project %q: %w", project, err)
	}
	defer snap.Close()
	root, err := sandbox.Open(snap.Project().Root, s.retriever.Sandbox)
	if err != nil {
		return found, nil // its folder is gone: nothing of it can be counted
	}
	defer root.Close()
	left := int64(maxWholeBytes)
	for _, p := range paths[:min(len(paths), maxWholeFiles)] {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e, ok, err := snap.Entry(ctx, p)
		if err != nil {
			return nil, fmt.Errorf("look up %q: %w", p, err)
		}
		if !ok || e.Skip != "" || left <= 0 {
			continue
		}
		data, _, err := root.Read(p)
		if err != nil {
			continue // gone, or not to be read now
		}
		left -= int64(len(data))
		found[p] = count(string(data))
	}
	return found, nil
}
