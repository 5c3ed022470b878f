package retrieve

import (
	"context"
	"sync"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/githist"
	"github.com/contextd/contextd/internal/search"
)

const (
	maxWanted     = 30 // files that are nominated for their history
	maxCompanions = 3  // of a result
)

// histories keeps the histories of projects as they were last read.
type histories struct {
	mu   sync.Mutex
	read map[string]readHistory
}

type readHistory struct {
	first *byte // of the blob: the same one is the same slice
	part  *githist.Part
}

// past is what was done in a project: its commits, and the tasks that are known. What cannot be read is left out: an
// answer without it is of full strength.
func (rt *Retriever) past(ctx context.Context, project string) []*githist.Part {
	var parts []*githist.Part
	blob, err := rt.opts.Index.Attached(ctx, project, githist.Kind)
	if err != nil {
		rt.opts.Log.Debug("history not read", "project", project, "error", err)
	}
	if len(blob) > 0 {
		if part := rt.opened(project, blob); part != nil {
			parts = append(parts, part)
		}
	}
	if rt.opts.Tasks != nil {
		if part := rt.opts.Tasks.Of(ctx, code.ProjectOf(project)); part != nil {
			parts = append(parts, part)
		}
	}
	return parts
}

func (rt *Retriever) opened(project string, blob []byte) *githist.Part {
	h := &rt.histories
	h.mu.Lock()
	defer h.mu.Unlock()
	if r, ok := h.read[project]; ok && r.first == &blob[0] {
		return r.part
	}
	part, err := githist.Open(blob)
	if err != nil { // whoever keeps it rebuilds it
		rt.opts.Log.Debug("history not read", "project", project, "error", err)
	}
	if h.read == nil {
		h.read = make(map[string]readHistory)
	}
	h.read[project] = readHistory{&blob[0], part}
	return part
}

// companions are the files of the index that usually changed along with one.
func companions(ctx context.Context, snap search.Snapshot, past []*githist.Part, path code.Path) []githist.Companion {
	var out []githist.Companion
	for _, c := range githist.Companions(path, 3*maxCompanions, past...) {
		if len(out) == maxCompanions {
			break
		}
		if e, ok, err := snap.Entry(ctx, c.Path); err == nil && ok && e.Skip == "" {
			c.Share = fourDigits(c.Share)
			out = append(out, c)
		}
	}
	return out
}
