package memory

import (
	"context"
	"math"
	"strconv"
	"time"
)

// Pin sets the importance of an item, which then does not fade; nil lets it fade again by its kind and age. One that
// was put away is live again. It returns the item as it is then.
func (m *Memory) Pin(ctx context.Context, who Who, id string, to *float64) (Item, error) {
	if to != nil && (math.IsNaN(*to) || *to < 0 || *to > 1) {
		return Item{}, invalid("pinned", strconv.FormatFloat(*to, 'g', -1, 64), "a number from 0 to 1")
	}
	_, err := m.revise(ctx, who, []string{id}, func(it *Item, _ time.Time) { it.Pinned = to })
	if err != nil {
		return Item{}, err
	}
	return m.Get(ctx, who, id)
}
