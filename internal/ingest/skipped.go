package ingest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/search"
)

// skippedKind is the kind under which [search.Index] keeps the counts of files that the last whole walk left out.
const skippedKind = "skipped"

// saveSkipped saves the counts of what a whole walk left out beside the index, for status and why. It writes only
// changes.
func (r *run) saveSkipped(ctx context.Context) {
	data, err := json.Marshal(r.report.Skipped)
	if err == nil {
		var have []byte
		if have, err = r.index.Attached(ctx, r.project, skippedKind); err == nil && !bytes.Equal(have, data) {
			err = r.index.Attach(ctx, r.project, skippedKind, data)
		}
	}
	if err != nil {
		r.opts.Log.Warn("counts of what was left out not kept", obs.KeyProject, r.project, "error", err)
	}
}

// Skipped returns how many files the last whole walk of a project left out, by reason; a pruned folder counts once. It
// is nil where no run has saved it.
func Skipped(ctx context.Context, index search.Index, project string) (counts map[code.Reason]int, err error) {
	data, err := index.Attached(ctx, project, skippedKind)
	if err != nil {
		return nil, fmt.Errorf("read what was left out of project %q: %w", project, err)
	}
	if len(data) > 0 && json.Unmarshal(data, &counts) != nil { // one that is none counts as not told
		return nil, nil
	}
	return counts, nil
}
