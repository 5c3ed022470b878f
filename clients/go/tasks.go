package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
)

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
	return &t, c.Call(ctx, http.MethodPatch, project(projectID, "/tasks/"+url.PathEscape(task)), nil,
		TaskPatch{&on}, &t)
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
