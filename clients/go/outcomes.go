package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
)

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

// ResetLearned forgets what outcomes say about a profile of a project, or about all for "", and returns how many there
// were.
func (c *Client) ResetLearned(ctx context.Context, project, profile string) (int, error) {
	var reply LearnedReset
	q := url.Values{}
	if profile != "" {
		q.Set("profile", profile)
	}
	err := c.Call(ctx, http.MethodDelete, "/v1/projects/"+url.PathEscape(project)+"/learned", q, nil, &reply)
	return reply.Forgotten, err
}
