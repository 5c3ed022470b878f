package client

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Draft is what an agent wants remembered.
type Draft struct {
	ItemType   string     `json:"item_type"` // DECISION, FACT, TASK …, in any case
	Content    string     `json:"content"`
	Importance *float64   `json:"importance_score,omitempty"` // nil: by type and age; given, it does not fade
	Scope      string     `json:"scope,omitempty"`            // task, project or global; "" means task
	Project    string     `json:"project,omitempty"`          // that the agent works on
	TaskID     string     `json:"task_id,omitempty"`
	Tags       []string   `json:"tags,omitempty"`
	Citations  []Citation `json:"citations,omitempty"`
}

// Citation names lines of a file that an item speaks of.
type Citation struct {
	Path string `json:"path"`
	Span *Span  `json:"span,omitempty"`
	Hash string `json:"hash,omitempty"` // "" in a request: the file as it is indexed now
}

// Span is a range of lines, both ends inclusive, from 1.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Item is one thing that is remembered.
type Item struct {
	ID           string     `json:"item_id"`
	Agent        string     `json:"agent_id"`
	Project      string     `json:"project"`
	Scope        string     `json:"scope"`
	ItemType     string     `json:"item_type"`
	Content      string     `json:"content"`
	Importance   float64    `json:"importance_score"`
	Tier         string     `json:"tier"` // HOT, WARM or COLD
	AccessCount  int        `json:"access_count"`
	CreatedAt    time.Time  `json:"created_at"`
	LastAccessed time.Time  `json:"last_accessed"`
	TaskID       string     `json:"task_id"`
	Tags         []string   `json:"tags"`
	Citations    []Citation `json:"citations"`
	Verify       bool       `json:"verify"` // what it cites has changed since, or cannot be checked
	Archived     bool       `json:"archived"`
	Hash         string     `json:"hash"`
	AliasID      string     `json:"id"`    // as ID
	Type         string     `json:"type"`  // as ItemType
	Score        float64    `json:"score"` // as Importance
}

// Saved is what became of a draft.
type Saved struct {
	ID       string   `json:"item_id"`
	Tier     string   `json:"tier"`
	Merged   bool     `json:"merged"`   // it was there already
	Redacted []string `json:"redacted"` // kinds of secrets that were replaced
}

// Flashed is what a flash save did.
type Flashed struct {
	CheckpointID string    `json:"checkpoint_id"`
	Archived     int       `json:"items_archived"`
	HotRetained  int       `json:"hot_items_retained"`
	Items        []Item    `json:"items"`    // what the agent goes on with
	Pointers     []Pointer `json:"pointers"` // to what is WARM for want of room in HOT
	Refused      []int     `json:"refused"`  // which of the drafts, from 0, repeat what contextd injected; they are not saved
}

// Pointer is what stays of an item that was HOT and became WARM for want of room.
type Pointer struct {
	ID   string `json:"item_id"`
	Type string `json:"item_type"`
	Line string `json:"line"`
}

// Checkpoint is what was HOT and WARM at a flash save.
type Checkpoint struct {
	Version   int              `json:"version"`
	ID        string           `json:"checkpoint_id"`
	Agent     string           `json:"agent_id"`
	Project   string           `json:"project"`
	CreatedAt time.Time        `json:"created_at"`
	TaskID    string           `json:"task_id"`
	Used      int              `json:"tokens_used"`
	Limit     int              `json:"tokens_limit"`
	Hot       int              `json:"hot_items"`
	Warm      int              `json:"warm_items"`
	Parts     int              `json:"parts"`
	Items     []CheckpointItem `json:"items"` // only where one is read
}

// CheckpointItem is an item as it stood at a checkpoint.
type CheckpointItem struct {
	ID         string  `json:"id"`
	Scope      string  `json:"scope"`
	Tier       string  `json:"tier"`
	Importance float64 `json:"importance"`
	Type       string  `json:"item_type"`
	Content    string  `json:"content"` // "": forgotten since
}

// Retier gives all that an agent remembers its importance and tier as of now, task being the one that it works on, and returns how
// many items changed.
func (c *Client) Retier(ctx context.Context, agent, projectID, task string) (int, error) {
	var reply struct {
		Changed int `json:"changed"`
	}
	err := c.Call(ctx, http.MethodPost, agentContext(agent, "/retier"), nil, map[string]string{"project": projectID, "task_id": task}, &reply)
	return reply.Changed, err
}

// Checkpoints lists an agent's checkpoints, the last one first, without their items.
func (c *Client) Checkpoints(ctx context.Context, agent string) ([]Checkpoint, error) {
	var reply struct {
		Checkpoints []Checkpoint `json:"checkpoints"`
	}
	err := c.Call(ctx, http.MethodGet, agentContext(agent, "/checkpoints"), nil, nil, &reply)
	return reply.Checkpoints, err
}

// Checkpoint shows one checkpoint with its items.
func (c *Client) Checkpoint(ctx context.Context, agent, id string) (*Checkpoint, error) {
	var found Checkpoint
	return &found, c.Call(ctx, http.MethodGet, agentContext(agent, "/checkpoints/"+url.PathEscape(id)), nil, nil, &found)
}

func agentContext(agent, rest string) string {
	return "/api/agents/" + url.PathEscape(agent) + "/context" + rest
}

// Save remembers one thing. A text that contextd itself put into the agent's prompt is a problem "injected-text".
func (c *Client) Save(ctx context.Context, agent string, d Draft) (*Saved, error) {
	var s Saved
	return &s, c.Call(ctx, http.MethodPost, agentContext(agent, "/save"), nil, d, &s)
}

// Load lists what an agent remembers, the most important first: what is HOT, or what is in the tiers named. projectID may be "".
func (c *Client) Load(ctx context.Context, agent, projectID string, tiers ...string) ([]Item, error) {
	q := filled(map[string]string{"project": projectID})
	if len(tiers) > 0 {
		q.Set("tier", strings.Join(tiers, ","))
	}
	var reply struct {
		Items []Item `json:"items"`
	}
	err := c.Call(ctx, http.MethodGet, agentContext(agent, ""), q, nil, &reply)
	return reply.Items, err
}

// Forget removes an item for good.
func (c *Client) Forget(ctx context.Context, agent, projectID, item string) error {
	q := filled(map[string]string{"project": projectID})
	return c.Call(ctx, http.MethodDelete, "/v1/agents/"+url.PathEscape(agent)+"/memory/"+url.PathEscape(item), q, nil, nil)
}

// Pin sets the importance of an item, which then does not fade; nil lets it fade again by its kind and age.
func (c *Client) Pin(ctx context.Context, agent, projectID, item string, importance *float64) (*MemoryItem, error) {
	q := filled(map[string]string{"project": projectID})
	var it MemoryItem
	return &it, c.Call(ctx, http.MethodPatch, "/v1/agents/"+url.PathEscape(agent)+"/memory/"+url.PathEscape(item), q, map[string]any{"pinned": importance}, &it)
}

// FlashSave lets an agent clear its working context, of which drafts were not saved yet.
func (c *Client) FlashSave(ctx context.Context, agent, projectID string, drafts ...Draft) (*Flashed, error) {
	items := make([]Draft, len(drafts))
	for i, d := range drafts {
		d.Project = "" // it is said once
		items[i] = d
	}
	var f Flashed
	return &f, c.Call(ctx, http.MethodPost, agentContext(agent, "/flash-save"), nil, map[string]any{"project": projectID, "items": items}, &f)
}

// Restore takes an agent back to a checkpoint, "" for its last one, and returns what it goes on with.
func (c *Client) Restore(ctx context.Context, agent, projectID, checkpoint string) ([]Item, error) {
	var reply struct {
		Items []Item `json:"items"`
	}
	err := c.Call(ctx, http.MethodPost, agentContext(agent, "/restore"), nil, map[string]string{"project": projectID, "checkpoint_id": checkpoint}, &reply)
	return reply.Items, err
}

// Archive lists what is put away, the most important first.
func (c *Client) Archive(ctx context.Context, agent, projectID string) ([]Item, error) {
	q := filled(map[string]string{"project": projectID})
	var reply struct {
		Items []Item `json:"items"`
	}
	err := c.Call(ctx, http.MethodGet, agentContext(agent, "/archive"), q, nil, &reply)
	return reply.Items, err
}

// Held is an item that an agent has, with the Hash that it came with.
type Held struct {
	ID   string `json:"id"`
	Hash string `json:"hash"`
}

// Delta is what to do to what an agent has.
type Delta struct {
	Added   []Item   `json:"added"`
	Changed []Item   `json:"changed"`
	Dropped []string `json:"dropped"` // ids of what it has and should not
	Same    int      `json:"same"`
}

// Diff loads, of what Load would, only what is new or changed since.
func (c *Client) Diff(ctx context.Context, agent, projectID string, have []Held, tiers ...string) (*Delta, error) {
	body := map[string]any{"project": projectID, "have": append([]Held{}, have...)}
	if len(tiers) > 0 {
		body["tier"] = strings.Join(tiers, ",")
	}
	var d Delta
	return &d, c.Call(ctx, http.MethodPost, agentContext(agent, "/diff"), nil, body, &d)
}
