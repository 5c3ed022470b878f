package memory

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/contextd/contextd/internal/obs"
)

// Manifest knows the files of projects as they are indexed. retrieve and search know them; memory only compares hashes.
type Manifest interface {
	// Hashes returns the SHA-256, in lower-case hexadecimal, of those of the paths that the project has now: one of
	// each of its roots that has the path, that of the first root first. An error says that it cannot tell.
	Hashes(ctx context.Context, project string, paths []string) (map[string][]string, error)
}

// cite fills the hashes that citations were given without, as the files are now. What cannot be told stays empty.
func (m *Memory) cite(ctx context.Context, all []Saved) {
	items := make([]*Item, 0, len(all))
	for i := range all {
		if all[i].Refused == nil {
			items = append(items, &all[i].Item)
		}
	}
	hashes := m.hashes(ctx, items)
	for _, it := range items {
		for i, c := range it.Citations {
			if known := hashes[it.Project][c.Path]; c.Hash == "" && len(known) > 0 {
				it.Citations[i].Hash = known[0]
			}
		}
	}
}

// verify marks the items that cite what is not as it was: changed, gone, or not to be told. A citation whose hash was
// unknown when it was written says nothing.
func (m *Memory) verify(ctx context.Context, items []*Item) {
	if m.o.Manifest == nil {
		return
	}
	hashes := m.hashes(ctx, items)
	for _, it := range items {
		it.Verify = slices.ContainsFunc(it.Citations, func(c Citation) bool {
			return c.Hash != "" && !slices.Contains(hashes[it.Project][c.Path], c.Hash)
		})
		if it.Verify {
			it.Hash = fmt.Sprintf("%x", sha256.Sum256([]byte(it.Hash+" verify")))
		}
	}
}

// hashes asks for the files that items cite: project → path → hashes, one question for each project.
func (m *Memory) hashes(ctx context.Context, items []*Item) map[string]map[string][]string {
	if m.o.Manifest == nil {
		return nil
	}
	paths := map[string][]string{}
	for _, it := range items {
		if it.Project == "" {
			continue // there is nobody to ask
		}
		for _, c := range it.Citations {
			paths[it.Project] = append(paths[it.Project], c.Path)
		}
	}
	hashes := make(map[string]map[string][]string, len(paths))
	for project, list := range paths {
		slices.Sort(list)
		known, err := m.o.Manifest.Hashes(ctx, project, slices.Compact(list))
		if err != nil {
			m.o.Log.DebugContext(ctx, "memory citations unchecked", obs.KeyProject, project, obs.KeyError, err)
			continue
		}
		hashes[project] = known
	}
	return hashes
}
