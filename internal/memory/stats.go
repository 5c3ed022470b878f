package memory

import (
	"context"

	"github.com/contextd/contextd/internal/servers"
)

// Count is what is remembered of one tier.
type Count struct {
	Items  int `json:"items"`
	Tokens int `json:"tokens"`
}

// Stats is what an agent sees, counted. Cold counts what is put away, too.
type Stats struct {
	Total    int            `json:"total_items"`
	Hot      int            `json:"hot_count"`
	Warm     int            `json:"warm_count"`
	Cold     int            `json:"cold_count"`
	Archived int            `json:"archived_count"` // of Cold
	Tokens   int            `json:"total_tokens"`
	Tiers    map[Tier]Count `json:"tiers"`
	// all of several servers, where one did not answer: what that one holds is not counted
	Servers []servers.State `json:"servers,omitempty"`
}

// Stats counts the items that who asks may see, and their tokens by count. Where one scope cannot be read, what the
// others hold comes with the error.
func (m *Memory) Stats(ctx context.Context, who Who, count func(text string) int) (Stats, error) {
	found, err := m.visible(ctx, who, true, func(*Item) bool { return true })
	s := Stats{Total: len(found), Tiers: map[Tier]Count{Hot: {}, Warm: {}, Cold: {}}, Servers: servers.Missing(err)}
	for _, e := range found {
		s.Archived += truth(e.archived)
		c := s.Tiers[e.Tier]
		c.Items++
		if count != nil {
			c.Tokens += count(e.Content)
		}
		s.Tiers[e.Tier] = c
	}
	s.Hot, s.Warm, s.Cold = s.Tiers[Hot].Items, s.Tiers[Warm].Items, s.Tiers[Cold].Items
	s.Tokens = s.Tiers[Hot].Tokens + s.Tiers[Warm].Tokens + s.Tiers[Cold].Tokens
	return s, err
}
