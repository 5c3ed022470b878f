package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Agents lists who remembers something of its own, sorted.
func (c *Client) Agents(ctx context.Context) ([]string, error) {
	var reply struct {
		Agents []string `json:"agents"`
	}
	err := c.Call(ctx, http.MethodGet, "/v1/agents", nil, nil, &reply)
	return reply.Agents, err
}

// MemoryItem is one thing that is remembered, in the words of /v1: an Item says the same in those of the memory design.
type MemoryItem struct {
	ID           string     `json:"id"`
	Agent        string     `json:"agent_id"` // who wrote it first
	Project      string     `json:"project"`
	Scope        string     `json:"scope"`
	Kind         string     `json:"kind"`
	Content      string     `json:"content"`
	Importance   float64    `json:"importance"`
	Tier         string     `json:"tier"`
	AccessCount  int        `json:"access_count"`
	CreatedAt    time.Time  `json:"created_at"`
	LastAccessed time.Time  `json:"last_accessed"`
	SaidAt       time.Time  `json:"said_at,omitzero"` // when it was written again, the last time
	Tags         []string   `json:"tags"`
	Citations    []Citation `json:"citations"`
	TaskID       string     `json:"task_id"` // the task it was written for
	Past         bool       `json:"past"`    // that task is not the current one any more
	Pinned       *float64   `json:"pinned"`  // the importance that was given with it; it does not fade
	Demoted      bool       `json:"demoted"` // WARM for want of room in HOT, until it is used
	Verify       bool       `json:"verify"`  // what it cites has changed since, or cannot be checked
	Archived     bool       `json:"archived"`
	Hash         string     `json:"hash"`
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
	q := filled(map[string]string{"project": f.Project, "kind": strings.Join(f.Kinds, ","), "tier": strings.Join(f.Tiers, ","),
		"scope": strings.Join(f.Scopes, ","), "tag": strings.Join(f.Tags, ","), "text": f.Text, "task": f.TaskID})
	if f.Limit != 0 {
		q.Set("limit", strconv.Itoa(f.Limit))
	}
	var reply struct {
		Items []MemoryItem `json:"items"`
	}
	err := c.Call(ctx, http.MethodGet, "/v1/agents/"+url.PathEscape(agent)+"/memory", q, nil, &reply)
	return reply.Items, err
}

// MemoryStats counts what an agent remembers.
type MemoryStats struct {
	Items    int                   `json:"total_items"`
	Hot      int                   `json:"hot_count"`
	Warm     int                   `json:"warm_count"`
	Cold     int                   `json:"cold_count"` // what is put away, too
	Archived int                   `json:"archived_count"`
	Tokens   int                   `json:"total_tokens"`
	Tiers    map[string]TierCounts `json:"tiers"`
}

// TierCounts counts what is in one tier.
type TierCounts struct {
	Items  int `json:"items"`
	Tokens int `json:"tokens"`
}

// MemoryStats counts what an agent remembers; projectID may be "", and encoding, of the tokens, too.
func (c *Client) MemoryStats(ctx context.Context, agent, projectID, encoding string) (*MemoryStats, error) {
	q := filled(map[string]string{"project": projectID, "encoding": encoding})
	var s MemoryStats
	return &s, c.Call(ctx, http.MethodGet, agentContext(agent, "/stats"), q, nil, &s)
}
