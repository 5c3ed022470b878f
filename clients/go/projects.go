package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
)

func project(id, rest string) string { return "/v1/projects/" + url.PathEscape(id) + rest }

// Projects lists what is indexed or waits to be, by id.
func (c *Client) Projects(ctx context.Context) ([]Project, error) {
	var reply Projects
	err := c.Call(ctx, http.MethodGet, "/v1/projects", nil, nil, &reply)
	return reply.Projects, err
}

// Project shows one. One that is not known is a problem "not-found".
func (c *Client) Project(ctx context.Context, projectID string) (*Project, error) {
	var p Project
	return &p, c.Call(ctx, http.MethodGet, project(projectID, ""), nil, nil, &p)
}

// ProjectRoot shows one root of a project that has several.
func (c *Client) ProjectRoot(ctx context.Context, projectID, root string) (*Project, error) {
	var p Project
	return &p, c.Call(ctx, http.MethodGet, project(projectID, ""), url.Values{"root": {root}}, nil, &p)
}

// Refresh asks that a project be brought up to date: the files that changed, or everything. root may be a further one
// of the project, or "" for the first of one that is known. by tells who sees to it: daemon, server or nobody yet,
// which it also is while the store is away and the server keeps the request for it.
func (c *Client) Refresh(ctx context.Context, projectID, root string, changed ...string) (by string, err error) {
	var reply RefreshReply
	body := RefreshRequest{Root: root, ChangedFiles: changed}
	err = c.Call(ctx, http.MethodPost, project(projectID, "/refresh"), nil, body, &reply)
	return reply.By, err
}

// WhyPath tells whether a path, relative to the project's root, is indexed, and why not.
func (c *Client) WhyPath(ctx context.Context, projectID, path string) (*Verdict, error) {
	var v Verdict
	return &v, c.Call(ctx, http.MethodGet, project(projectID, "/why"), url.Values{"path": {path}}, nil, &v)
}

// SkippedFiles lists what is left out of a project, of one reason or, for "", of all; n below 1 means 100, 1,000 are
// the most.
func (c *Client) SkippedFiles(ctx context.Context, projectID, reason string, n int) (*Skipped, error) {
	q := url.Values{}
	if reason != "" {
		q.Set("reason", reason)
	}
	if n > 0 {
		q.Set("limit", strconv.Itoa(n))
	}
	var s Skipped
	return &s, c.Call(ctx, http.MethodGet, project(projectID, "/skipped"), q, nil, &s)
}
