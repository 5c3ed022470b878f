package client

import (
	"context"
	"net/http"
	"net/url"
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

// Outcomes tells how the tasks of a project ended.
func (c *Client) Outcomes(ctx context.Context, project string) (Outcomes, error) {
	var o Outcomes
	err := c.Call(ctx, http.MethodGet, "/v1/projects/"+url.PathEscape(project)+"/outcomes", nil, nil, &o)
	return o, err
}
