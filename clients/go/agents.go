package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// Agents lists who remembers something of its own, sorted.
func (c *Client) Agents(ctx context.Context) ([]string, error) {
	var reply Agents
	err := c.Call(ctx, http.MethodGet, "/v1/agents", nil, nil, &reply)
	return reply.Agents, err
}

// MemoryFilter says which items are wanted; of several values of a field one has to fit. The zero value wants all.
type MemoryFilter struct {
	Project string // that the agent works on: what others wrote about it is seen too
	Kinds   []string
	Tiers   []string // COLD includes what is put away
	Scopes  []string
	Tags    []string
	Text    string // that the item's holds, in any case
	TaskID  string // that it was written for
	Limit   int    // 0 means 1,000, which is the greatest
}

// Memory lists what an agent remembers, the most important first.
func (c *Client) Memory(ctx context.Context, agent string, f MemoryFilter) ([]MemoryItem, error) {
	q := filled(map[string]string{"project": f.Project, "kind": strings.Join(f.Kinds, ","),
		"tier":  strings.Join(f.Tiers, ","),
		"scope": strings.Join(f.Scopes, ","), "tag": strings.Join(f.Tags, ","), "text": f.Text, "task": f.TaskID})
	if f.Limit != 0 {
		q.Set("limit", strconv.Itoa(f.Limit))
	}
	var reply MemoryItems
	err := c.Call(ctx, http.MethodGet, "/v1/agents/"+url.PathEscape(agent)+"/memory", q, nil, &reply)
	return reply.Items, err
}

// MemoryStats counts what an agent remembers; projectID may be "", and encoding, of the tokens, too.
func (c *Client) MemoryStats(ctx context.Context, agent, projectID, encoding string) (*MemoryStats, error) {
	q := filled(map[string]string{"project": projectID, "encoding": encoding})
	var s MemoryStats
	return &s, c.Call(ctx, http.MethodGet, agentContext(agent, "/stats"), q, nil, &s)
}
