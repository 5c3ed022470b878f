package client

import (
	"context"
	"net/http"
	"net/url"
	"strings"
)

// Retier gives all that an agent remembers its importance and tier as of now, task being the one that it works on, and
// returns how many items changed.
func (c *Client) Retier(ctx context.Context, agent, projectID, task string) (int, error) {
	var reply Retiered
	err := c.Call(ctx, http.MethodPost, agentContext(agent, "/retier"), nil,
		RetierRequest{Project: projectID, TaskID: task}, &reply)
	return reply.Changed, err
}

// Checkpoints lists an agent's checkpoints, the last one first, without their items.
func (c *Client) Checkpoints(ctx context.Context, agent string) ([]Checkpoint, error) {
	var reply Checkpoints
	err := c.Call(ctx, http.MethodGet, agentContext(agent, "/checkpoints"), nil, nil, &reply)
	return reply.Checkpoints, err
}

// Checkpoint shows one checkpoint with its items.
func (c *Client) Checkpoint(ctx context.Context, agent, id string) (*Checkpoint, error) {
	var found Checkpoint
	return &found, c.Call(ctx, http.MethodGet, agentContext(agent, "/checkpoints/"+url.PathEscape(id)), nil,
		nil, &found)
}

func agentContext(agent, rest string) string {
	return "/api/agents/" + url.PathEscape(agent) + "/context" + rest
}

// Save remembers one thing; projectID, which may be "", is what the agent works on. A text that contextd itself put
// into the agent's prompt is a problem "injected-text".
func (c *Client) Save(ctx context.Context, agent, projectID string, d Draft) (*Saved, error) {
	var s Saved
	return &s, c.Call(ctx, http.MethodPost, agentContext(agent, "/save"), nil,
		SaveRequest{Draft: d, Project: projectID}, &s)
}

// Load lists what an agent remembers, the most important first: what is HOT, or what is in the tiers named. projectID
// may be "".
func (c *Client) Load(ctx context.Context, agent, projectID string, tiers ...string) ([]Item, error) {
	q := filled(map[string]string{"project": projectID})
	if len(tiers) > 0 {
		q.Set("tier", strings.Join(tiers, ","))
	}
	var reply ContextItems
	err := c.Call(ctx, http.MethodGet, agentContext(agent, ""), q, nil, &reply)
	return reply.Items, err
}

// Forget removes an item for good.
func (c *Client) Forget(ctx context.Context, agent, projectID, item string) error {
	q := filled(map[string]string{"project": projectID})
	return c.Call(ctx, http.MethodDelete, "/v1/agents/"+url.PathEscape(agent)+"/memory/"+url.PathEscape(item),
		q, nil, nil)
}

// Pin sets the importance of an item, which then does not fade; nil lets it fade again by its kind and age.
func (c *Client) Pin(ctx context.Context, agent, projectID, item string, importance *float64) (*MemoryItem, error) {
	q := filled(map[string]string{"project": projectID})
	var it MemoryItem
	return &it, c.Call(ctx, http.MethodPatch, "/v1/agents/"+url.PathEscape(agent)+"/memory/"+url.PathEscape(item), q,
		MemoryPatch{importance}, &it)
}

// FlashSave lets an agent clear its working context, of which drafts were not saved yet.
func (c *Client) FlashSave(ctx context.Context, agent, projectID string, drafts ...Draft) (*Flashed, error) {
	var f Flashed
	return &f, c.Call(ctx, http.MethodPost, agentContext(agent, "/flash-save"), nil,
		FlashRequest{Project: projectID, Items: drafts}, &f)
}

// Restore takes an agent back to a checkpoint, "" for its last one, and returns what it goes on with.
func (c *Client) Restore(ctx context.Context, agent, projectID, checkpoint string) ([]Item, error) {
	var reply Restored
	err := c.Call(ctx, http.MethodPost, agentContext(agent, "/restore"), nil,
		RestoreRequest{CheckpointID: checkpoint, Project: projectID}, &reply)
	return reply.Items, err
}

// Archive lists what is put away, the most important first.
func (c *Client) Archive(ctx context.Context, agent, projectID string) ([]Item, error) {
	q := filled(map[string]string{"project": projectID})
	var reply ContextItems
	err := c.Call(ctx, http.MethodGet, agentContext(agent, "/archive"), q, nil, &reply)
	return reply.Items, err
}

// Diff loads, of what Load would, only what is new or changed since.
func (c *Client) Diff(ctx context.Context, agent, projectID string, have []Held, tiers ...string) (*Delta, error) {
	body := ContextDiffRequest{Have: have, Tier: strings.Join(tiers, ","), Project: projectID}
	var d Delta
	return &d, c.Call(ctx, http.MethodPost, agentContext(agent, "/diff"), nil, body, &d)
}
