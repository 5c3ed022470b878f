package prompt

import (
	"context"
	"slices"
	"time"

	"github.com/contextd/contextd/internal/retrieve"
)

// retrievalOff reports whether code is left out of the contexts of the project, because finding it cost too much
// several times in a row.
func (a *Assembler) retrievalOff(ctx context.Context, j *job) bool {
	if a.Breakers == nil {
		return false
	}
	_, off := a.Breakers.Off(ctx, j.target.Project, time.Now())
	if off {
		j.degrade(RetrievalOff)
	}
	return off
}

// noteCost takes in what asking the index cost, without waits for an index that was being made. What came in time is
// counted as it took, what did not up to now; a search that failed, or had no index yet, says nothing.
func (a *Assembler) noteCost(ctx context.Context, j *job) {
	c := j.cost
	if a.Breakers == nil || !j.asksCode || a.Code == nil || j.target.Project == "" {
		return
	}
	took := c.took
	switch {
	case took == 0 && ctx.Err() == nil, j.fault != nil:
		return
	case j.found.code != nil && (slices.Contains(j.found.code.Reasons, retrieve.IndexBuilding) ||
		slices.Contains(j.found.code.Reasons, retrieve.IndexMissing)):
		return
	case took == 0: // left behind: below the limit that tells nothing
		if took = time.Since(c.began); took-c.waits.Total() <= a.Breakers.Limit() {
			return
		}
	}
	took -= c.waits.Total()
	if took < 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepWithin)
	defer cancel()
	off, err := a.Breakers.Note(ctx, j.target.Project, time.Now().Add(-took), took)
	if err != nil {
		a.log().Warn("cost of retrieval not kept", "project", j.target.Project, "error", err)
	}
	if off {
		retrievalTurnedOff.Inc()
		a.log().Warn("retrieval is slow: code is left out of contexts for a while", "project", j.target.Project,
			"took_ms", took.Milliseconds(), "reason", RetrievalOff)
	}
}
