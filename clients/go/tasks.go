package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Task is a completed task.
type Task struct {
	ID               string          `json:"task_id"`
	Type             string          `json:"task_type,omitempty"`
	CompletedAt      *time.Time      `json:"completed_at,omitempty"` // nil in a request: now
	RequiresContext  bool            `json:"requires_context"`       // whether intent and summary are shown
	Intent           string          `json:"intent,omitempty"`       // in a request, any text that says what was to be done
	Summary          string          `json:"summary,omitempty"`
	Success          bool            `json:"success"`
	OutcomeUnknown   bool            `json:"-"` // in a request, the validation report says how it ended; in a reply, nothing did
	ByPolicy         bool            `json:"-"` // in a request, the context policy says what RequiresContext is; else it is off where it is false
	ChangedFiles     []string        `json:"changed_files,omitempty"`
	ValidationReport json.RawMessage `json:"validation_report,omitempty"`
}

// MarshalJSON leaves success out where the outcome is unknown, and requires_context where the policy decides.
func (t Task) MarshalJSON() ([]byte, error) {
	type plain Task
	out := struct {
		plain
		Success         *bool `json:"success,omitempty"`
		RequiresContext *bool `json:"requires_context,omitempty"`
	}{plain(t), &t.Success, &t.RequiresContext}
	if t.OutcomeUnknown {
		out.Success = nil
	}
	if t.ByPolicy {
		out.RequiresContext = nil
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads a task, whose outcome is unknown where success is not there.
func (t *Task) UnmarshalJSON(data []byte) error {
	type plain Task
	in := struct {
		*plain
		Success *bool `json:"success"`
	}{plain: (*plain)(t)}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	if t.OutcomeUnknown = in.Success == nil; !t.OutcomeUnknown {
		t.Success = *in.Success
	}
	return nil
}

// CompleteTask records a completed task. agent, if it is not "", has its memory re-tiered; next is the task it goes on
// with.
func (c *Client) CompleteTask(ctx context.Context, projectID string, t Task, agent, next string) (*Task, error) {
	q := filled(map[string]string{"agent": agent, "next_task": next})
	var done Task
	return &done, c.Call(ctx, http.MethodPost, project(projectID, "/tasks"), q, t, &done)
}

// ImportHistory takes over a state that something else kept, in JSON. The same state again changes nothing.
func (c *Client) ImportHistory(ctx context.Context, projectID string, state json.RawMessage) (*Imported, error) {
	var done Imported
	return &done, c.Call(ctx, http.MethodPost, project(projectID, "/history/import"), nil, state, &done)
}

// Tasks lists completed tasks, the newest first; n below 1 means all that are kept.
func (c *Client) Tasks(ctx context.Context, projectID string, n int) ([]Task, error) {
	q := url.Values{}
	if n > 0 {
		q.Set("limit", strconv.Itoa(n))
	}
	var reply Tasks
	err := c.Call(ctx, http.MethodGet, project(projectID, "/tasks"), q, nil, &reply)
	return reply.Tasks, err
}

// ShowTask turns the toggle of a task.
func (c *Client) ShowTask(ctx context.Context, projectID, task string, on bool) (*Task, error) {
	var t Task
	return &t, c.Call(ctx, http.MethodPatch, project(projectID, "/tasks/"+url.PathEscape(task)), nil, TaskPatch{&on}, &t)
}

// Block says that a task cannot go on.
func (c *Client) Block(ctx context.Context, projectID string, b Blocker) (*Blocker, error) {
	var done Blocker
	return &done, c.Call(ctx, http.MethodPost, project(projectID, "/blockers"), nil, b, &done)
}

// Unblock says that it can.
func (c *Client) Unblock(ctx context.Context, projectID, task string) error {
	return c.Call(ctx, http.MethodDelete, project(projectID, "/blockers/"+url.PathEscape(task)), nil, nil, nil)
}

// Blockers lists what is blocked, the oldest first.
func (c *Client) Blockers(ctx context.Context, projectID string) ([]Blocker, error) {
	var reply Blockers
	err := c.Call(ctx, http.MethodGet, project(projectID, "/blockers"), nil, nil, &reply)
	return reply.Blockers, err
}
