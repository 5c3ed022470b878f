package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/store"
	"github.com/contextd/contextd/internal/store/shelves"
)

// Checkpoint is the working context of an agent at a flash save: what was HOT and WARM then. It names the items, which
// stay where they are, in full; so it is small, and what is forgotten is forgotten here, too.
type Checkpoint struct {
	Version   int       `json:"version"`
	ID        string    `json:"checkpoint_id,omitempty"` // "" in a part
	Agent     string    `json:"agent_id,omitempty"`
	Project   string    `json:"project,omitempty"`
	CreatedAt time.Time `json:"created_at,omitzero"`
	TaskID    string    `json:"task_id,omitempty"`
	Used      int       `json:"tokens_used,omitempty"`
	Limit     int       `json:"tokens_limit,omitempty"`
	Hot       int       `json:"hot_items"`
	Warm      int       `json:"warm_items"`
	Parts     int       `json:"parts,omitempty"` // documents that hold the items, refsPerPart each
	Items     []Ref     `json:"items,omitempty"`
}

// Ref is an item as it stood at a checkpoint.
type Ref struct {
	ID         string  `json:"id"`
	Scope      Scope   `json:"scope"`
	Tier       Tier    `json:"tier"`
	Importance float64 `json:"importance"`
}

// refsPerPart bounds the documents of a checkpoint, some 120 bytes for each item.
const refsPerPart = 5000

// partID is the id of the n-th document of a checkpoint's items, from 1.
func partID(id string, n int) string { return fmt.Sprintf("%s.%d", id, n) }

// writes are the documents of a checkpoint: first what Checkpoints lists, then the items in parts.
func (c Checkpoint) writes() ([]store.Write, error) {
	rest := c.Items
	c.Items, c.Parts = nil, (len(rest)+refsPerPart-1)/refsPerPart
	docs, ids := []Checkpoint{c}, []string{c.ID}
	for n := 1; n <= c.Parts; n++ {
		cut := min(len(rest), refsPerPart)
		docs, ids = append(docs, Checkpoint{Version: format, Items: rest[:cut]}), append(ids, partID(c.ID, n))
		rest = rest[cut:]
	}
	all := make([]store.Write, len(docs))
	for i, d := range docs {
		data, err := json.Marshal(d)
		if err != nil {
			return nil, fmt.Errorf("encode checkpoint %q: %w", c.ID, err)
		}
		all[i] = store.Write{ID: ids[i], Data: data, If: store.Absent}
	}
	return all, nil
}

// parseCheckpoint reads one document of a checkpoint that is to be agent's.
func parseCheckpoint(data []byte, id, agent string) (c Checkpoint, err error) {
	if err := json.Unmarshal(data, &c); err != nil {
		return c, fmt.Errorf("read checkpoint %q: %w", id, err)
	}
	switch {
	case c.Version > format:
		return c, fmt.Errorf("read checkpoint %q: version %d, this program knows %d: %w", id, c.Version,
			format, ErrNewer)
	case c.Version < 1 || c.ID == "" && !strings.Contains(id, "."):
		return c, fmt.Errorf("read checkpoint %q: it is none", id)
	case c.ID != "" && c.Agent != agent:
		return c, fmt.Errorf("read checkpoint %q for %q: %w", id, agent, ErrForeign)
	}
	return c, nil
}

func checkpoints(agent string) store.Shelf {
	return store.Shelf{Bucket: bucketCheckpoint, Owner: agent}
}

// Checkpoints lists an agent's checkpoints without their items, the last one first.
func (m *Memory) Checkpoints(ctx context.Context, agent string) ([]Checkpoint, error) {
	if err := (Who{Agent: agent}).check(); err != nil {
		return nil, err
	}
	docs, _, err := m.st.All(ctx, checkpoints(agent))
	if err != nil {
		return nil, err
	}
	var all []Checkpoint
	for _, d := range docs {
		if strings.Contains(d.ID, ".") {
			continue
		}
		c, err := parseCheckpoint(d.Data, d.ID, agent)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b Checkpoint) int { return cmp.Compare(b.ID, a.ID) })
	return all, nil
}

// Checkpoint returns one checkpoint of an agent, whole; "" is the last one. One of another agent is ErrForeign.
func (m *Memory) Checkpoint(ctx context.Context, agent, id string) (Checkpoint, error) {
	if id == "" {
		all, err := m.Checkpoints(ctx, agent)
		if err != nil {
			return Checkpoint{}, err
		}
		if len(all) == 0 {
			return Checkpoint{}, fmt.Errorf("checkpoint of %q: %w", agent, ErrNotFound)
		}
		id = all[0].ID
	}
	if err := cmp.Or((Who{Agent: agent}).check(), ids([]string{id})); err != nil {
		return Checkpoint{}, err
	}
	d, err := m.st.Get(ctx, checkpoints(agent), id)
	if errors.Is(err, store.ErrNotFound) {
		return Checkpoint{}, m.noCheckpoint(ctx, agent, id)
	}
	if err != nil {
		return Checkpoint{}, err
	}
	c, err := parseCheckpoint(d.Data, id, agent)
	if err != nil {
		return c, err
	}
	for n := 1; n <= c.Parts; n++ {
		d, err := m.st.Get(ctx, checkpoints(agent), partID(id, n))
		if err != nil {
			return c, fmt.Errorf("read checkpoint %q: %w", id, err)
		}
		part, err := parseCheckpoint(d.Data, d.ID, agent)
		if err != nil {
			return c, err
		}
		c.Items = append(c.Items, part.Items...)
	}
	return c, nil
}

// noCheckpoint says why an agent has no such checkpoint: there is none, or it is another one's.
func (m *Memory) noCheckpoint(ctx context.Context, agent, id string) error {
	owners, err := m.st.Owners(ctx, bucketCheckpoint)
	if err != nil {
		return err
	}
	for _, o := range owners {
		if _, err := m.st.Get(ctx, checkpoints(o), id); err == nil {
			return fmt.Errorf("read checkpoint %q for %q: %w", id, agent, ErrForeign)
		}
	}
	return fmt.Errorf("checkpoint %q: %w", id, ErrNotFound)
}

// addCheckpoint writes a checkpoint under the next id, and drops those that are too many.
func (m *Memory) addCheckpoint(ctx context.Context, c Checkpoint) (string, error) {
	_, err := shelves.Update(ctx, m.st, checkpoints(c.Agent), func(int) ([]store.Write, error) {
		before, err := m.Checkpoints(ctx, c.Agent)
		if err != nil {
			return nil, err
		}
		c.ID = nextCheckpoint(c.Agent, c.CreatedAt, before)
		writes, err := c.writes()
		for _, old := range before[min(len(before), m.o.Checkpoints-1):] {
			writes = append(writes, store.Write{ID: old.ID})
			for n := 1; n <= old.Parts; n++ {
				writes = append(writes, store.Write{ID: partID(old.ID, n)})
			}
		}
		return writes, err
	})
	return c.ID, err
}
