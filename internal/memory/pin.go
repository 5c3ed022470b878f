package memory

import (
	"context"
	"math"
	"strconv"
)

// Pin sets the importance of an item, which then does not fade; nil lets it fade again by its kind and age. One that was put
// away is live again. It returns the item as it is then.
func (m *Memory) Pin(ctx context.Context, who Who, id string, to *float64) (Item, error) {
	if to != nil && (math.IsNaN(*to) || *to < 0 || *to > 1) {
		return Item{}, invalid("pinned", strconv.FormatFloat(*to, 'g', -1, 64), "a number from 0 to 1")
	}
	_, err := m.each(ctx, who, []string{id}, func(p place, mine []string) (int, error) {
		var back []string // ids that come back from the archive
		live, n, err := m.change(ctx, p.live, false, func(live *snapshot) ([]edit, error) {
			back = back[:0]
			away, err := m.read(ctx, p.archive)
			if err != nil {
				return nil, err
			}
			now, edits := m.now(), []edit(nil)
			for _, id := range mine {
				e := live.find(id)
				if e == nil {
					if e = away.find(id); e == nil {
						continue // forgotten meanwhile
					}
					back = append(back, id)
				}
				it := e.Item
				it.Pinned, it.Demoted = to, false
				it.rate(now)
				edits = append(edits, edit{item: it})
			}
			return edits, nil
		})
		if err != nil {
			return n, err
		}
		if err := m.drop(ctx, p.archive, back); err != nil {
			return n, err
		}
		return n, m.bound(ctx, p, live)
	})
	if err != nil {
		return Item{}, err
	}
	return m.Get(ctx, who, id)
}
