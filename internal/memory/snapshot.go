package memory

import "context"

// Snapshot is a checkpoint with what its items say.
type Snapshot struct {
	Checkpoint
	Items []SnapshotItem `json:"items"`
}

// SnapshotItem is an item as it stood at a checkpoint, with what it says now.
type SnapshotItem struct {
	Ref
	Kind    Kind   `json:"item_type,omitempty"`
	Content string `json:"content,omitempty"` // "": forgotten since
}

// Snapshot returns a checkpoint of an agent ("": its last one) to be looked at.
func (m *Memory) Snapshot(ctx context.Context, agent, id string) (Snapshot, error) {
	c, err := m.Checkpoint(ctx, agent, id)
	if err != nil {
		return Snapshot{}, err
	}
	found, err := m.visible(ctx, Who{Agent: agent, Project: c.Project}, true, func(*Item) bool { return true })
	if err != nil {
		return Snapshot{}, err
	}
	by := make(map[string]*entry, len(found))
	for _, s := range found {
		by[s.ID] = s.entry
	}
	out := Snapshot{Checkpoint: c, Items: make([]SnapshotItem, len(c.Items))}
	for i, r := range c.Items {
		out.Items[i].Ref = r
		if e := by[r.ID]; e != nil {
			out.Items[i].Kind, out.Items[i].Content = e.Kind, e.Content
		}
	}
	return out, nil
}
