package answer

import (
	"github.com/contextd/contextd/internal/freshness"
	"github.com/contextd/contextd/internal/retrieve"
)

// reasonOf is how a reply says what freshness found.
var reasonOf = map[freshness.Note]retrieve.Reason{
	freshness.Rebuilt:     retrieve.StateRebuilt,
	freshness.Waits:       retrieve.ChangesWaiting,
	freshness.NoVectors:   retrieve.EmbedderUnavailable,
	freshness.Stale:       retrieve.IndexStale,
	freshness.Building:    retrieve.IndexBuilding,
	freshness.Lost:        retrieve.IndexMissing,
	freshness.VectorsLost: retrieve.VectorsBuilding,
	freshness.Full:        retrieve.StoreFull,
}

// reasons are those of notes, in their order; nil for none.
func reasons(notes []freshness.Note) []retrieve.Reason {
	var out []retrieve.Reason
	for _, n := range notes {
		out = append(out, reasonOf[n])
	}
	return out
}
