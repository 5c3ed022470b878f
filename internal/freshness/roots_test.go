package freshness_test

import (
	"testing"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/app/apptest"
	"github.com/contextd/contextd/internal/freshness"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/search"
)

func TestAlternatingRootsReindexesNothing(t *testing.T) {
	t.Parallel()
	apptest.OnBoth(t, func(b *apptest.Bed, one, two access.Where) {
		records := []search.Project{b.Reindex(one), b.Reindex(two)}
		for range 20 {
			for i, w := range []access.Where{one, two} {
				r := b.Ask("OpenGate", w, freshness.First)
				if r.Status != retrieve.OK || r.Generation != 1 {
					b.T.Fatalf("%s: %+v", w.Root, r)
				}
				p, err := b.Record(b.T.Context(), records[i].ID)
				if err != nil || p.Epoch != records[i].Epoch || p.Generation != 1 || p.Root != w.Root {
					b.T.Fatalf("%s: %+v, %v; was %+v", w.Root, p, err, records[i])
				}
			}
		}
	})
}
