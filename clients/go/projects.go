package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
)

// Project is what is known of one root of a project: of each sandbox that agents of the project work in.
type Project struct {
	ID         string `json:"project"`
	Root       string `json:"root"`
	Files      int    `json:"files"` // 0 for a project that only waits
	Chunks     int    `json:"chunks"`
	Generation int64  `json:"generation"`
	IndexedAt  string `json:"indexed_at"` // RFC 3339; "" for never
	Stale      bool   `json:"stale"`      // a change waits for over 60 s, or the last refresh failed
	Pending    int    `json:"pending"`    // waiting changes; a rescan counts 1
	Model      string `json:"model"`      // the embedder of the index

	RetrievalOffUntil string `json:"retrieval_off_until"` // code is left out of contexts until then, for finding it was slow; "": it is not
}

func project(id, rest string) string { return "/v1/projects/" + url.PathEscape(id) + rest }

// Projects lists what is indexed or waits to be, by id.
func (c *Client) Projects(ctx context.Context) ([]Project, error) {
	var reply struct {
		Projects []Project `json:"projects"`
	}
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

// Refresh asks that a project be brought up to date: the files that changed, or everything. root may be a further one of the project, or "" for the
// first of one that is known. by tells who sees to it: daemon, server or nobody yet, which it also is
// while the store is away and the server keeps the request for it.
func (c *Client) Refresh(ctx context.Context, projectID, root string, changed ...string) (by string, err error) {
	var reply struct {
		By string `json:"by"`
	}
	body := map[string]any{"root": root, "changed_files": changed}
	err = c.Call(ctx, http.MethodPost, project(projectID, "/refresh"), nil, body, &reply)
	return reply.By, err
}

// Verdict tells whether a path is indexed, and if not, by which rule.
type Verdict struct {
	Path       string      `json:"path"`
	Indexed    bool        `json:"indexed"`
	Reason     string      `json:"reason"` // why it is not: docs/SKIPPED_FILES.md
	Detail     string      `json:"detail"` // the rule, its file and line
	Chunks     int         `json:"chunks"`
	Generation int64       `json:"generation"`
	Companions []Companion `json:"companions"`
}

// Companion is a file that usually changed along with another.
type Companion struct {
	Path  string  `json:"path"`
	Share float64 `json:"share"` // of the changes of the other, those that changed it as well
	Times int     `json:"times"`
}

// WhyPath tells whether a path, relative to the project's root, is indexed, and why not.
func (c *Client) WhyPath(ctx context.Context, projectID, path string) (*Verdict, error) {
	var v Verdict
	return &v, c.Call(ctx, http.MethodGet, project(projectID, "/why"), url.Values{"path": {path}}, nil, &v)
}

// Skipped lists what is left out of a project's index.
type Skipped struct {
	Project string         `json:"project"`
	Root    string         `json:"root"`
	Counts  map[string]int `json:"counts"` // reason → count, of all reasons; a folder counts once
	Files   []SkippedFile  `json:"files"`  // by path
	More    bool           `json:"more"`   // there are more, or the walk took too long to find them all
}

// SkippedFile is a file, or a folder with all that is in it, that is left out.
type SkippedFile struct {
	Path   string `json:"path"`
	Dir    bool   `json:"dir"`
	Reason string `json:"reason"` // docs/SKIPPED_FILES.md
	Detail string `json:"detail"` // the rule, its file and line
}

// SkippedFiles lists what is left out of a project, of one reason or, for "", of all; n below 1 means 100, 1,000 are the most.
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
