package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Outcomes tell how the tasks of a project ended, by what the contexts compiled for them looked like.
type Outcomes struct {
	Project string         `json:"project"`
	Agents  []Succeeds     `json:"agents"` // by kind of agent and profile
	Shapes  []ShapeOutcome `json:"shapes"` // by shape too, the most tasks first
	Tasks   []TaskOutcome  `json:"tasks"`  // the newest first
}

// Succeeds counts tasks by how they ended, each once.
type Succeeds struct {
	AgentKind string  `json:"agent_kind"`
	Profile   string  `json:"profile"`
	Contexts  int     `json:"contexts"`
	Tasks     int     `json:"tasks"`
	Succeeded int     `json:"succeeded"`
	Failed    int     `json:"failed"`
	Unknown   int     `json:"unknown"`
	Rate      float64 `json:"success_rate"` // of those that succeeded or failed
}

// ShapeOutcome is how often tasks with a context of one shape succeeded.
type ShapeOutcome struct {
	Succeeds
	Mode       string   `json:"mode"`
	Complexity string   `json:"complexity"`
	Kinds      []string `json:"kinds"`
	Compressed bool     `json:"compressed"`
}

// TaskOutcome is how a task ended, and the fingerprints of its contexts.
type TaskOutcome struct {
	TaskID       string   `json:"task_id"`
	Success      *bool    `json:"success"` // nil: unknown
	Fingerprints []string `json:"fingerprints"`
}

// Savings compares the tokens of code in contexts with those of the same files whole.
type Savings struct {
	Project     string           `json:"project"`
	GivenTokens int              `json:"given_tokens"`
	WholeTokens int              `json:"whole_tokens"` // an upper bound: who reads a file may read a part only
	Contexts    []ContextSavings `json:"contexts"`     // that had code, the newest first
}

// ContextSavings is the comparison for one context.
type ContextSavings struct {
	ID           string    `json:"id"`
	At           time.Time `json:"at"`
	Files        int       `json:"files"`         // that are counted
	MissingFiles int       `json:"missing_files"` // that are gone or left out now, and count on neither side
	GivenTokens  int       `json:"given_tokens"`
	WholeTokens  int       `json:"whole_tokens"`
}

// Savings compares the code of a project's last contexts, at most limit (0 means 50), with the same files whole.
func (c *Client) Savings(ctx context.Context, project string, limit int) (*Savings, error) {
	q := url.Values{}
	if limit > 0 {
		q.Set("limit", strconv.Itoa(limit))
	}
	var s Savings
	return &s, c.Call(ctx, http.MethodGet, "/v1/projects/"+url.PathEscape(project)+"/savings", q, nil, &s)
}

// Outcomes tells how the tasks of a project ended.
func (c *Client) Outcomes(ctx context.Context, project string) (Outcomes, error) {
	var o Outcomes
	err := c.Call(ctx, http.MethodGet, "/v1/projects/"+url.PathEscape(project)+"/outcomes", nil, nil, &o)
	return o, err
}
