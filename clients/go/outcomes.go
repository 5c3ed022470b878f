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
	Learned []LearnedOf    `json:"learned"`
}

// LearnedOf is what outcomes say about the numbers of a profile, for one kind of agent.
type LearnedOf struct {
	AgentKind string    `json:"agent_kind"`
	Profile   string    `json:"profile"`
	On        bool      `json:"on"`       // the numbers hold; else they would
	Outcomes  int       `json:"outcomes"` // tasks that were learnt from
	Changes   []Learned `json:"changes"`
}

// Learned is a number of a profile that outcomes of tasks moved.
type Learned struct {
	Number     string  `json:"number"`      // as in a file of profiles: "code.bytes"
	From       float64 `json:"from"`        // the profile's own
	To         float64 `json:"to"`          // what holds
	Outcomes   int     `json:"outcomes"`    // tasks that were learnt from
	RateMuch   float64 `json:"rate_much"`   // share of those that succeeded whose contexts had much of what the number governs; 0 for a weight that gave way to others
	RateLittle float64 `json:"rate_little"` // of those whose contexts had little of it
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

// ResetLearned forgets what outcomes say about a profile of a project, or about all for "", and returns how many there were.
func (c *Client) ResetLearned(ctx context.Context, project, profile string) (int, error) {
	var reply struct {
		Forgotten int `json:"forgotten"`
	}
	q := url.Values{}
	if profile != "" {
		q.Set("profile", profile)
	}
	err := c.Call(ctx, http.MethodDelete, "/v1/projects/"+url.PathEscape(project)+"/learned", q, nil, &reply)
	return reply.Forgotten, err
}
