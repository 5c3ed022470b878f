package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
)

// Receipts lists the receipts of a project's contexts, the newest first, without what became of their pieces; n below 1
// means 20.
func (c *Client) Receipts(ctx context.Context, projectID string, n int) ([]Receipt, error) {
	q := url.Values{"project": {projectID}}
	if n > 0 {
		q.Set("limit", strconv.Itoa(n))
	}
	var reply Receipts
	err := c.Call(ctx, http.MethodGet, "/v1/receipts", q, nil, &reply)
	return reply.Receipts, err
}

// Receipt explains the context with an id, piece by piece. One that is not kept is a problem "not-found".
func (c *Client) Receipt(ctx context.Context, id string) (*Receipt, error) {
	var r Receipt
	return &r, c.Call(ctx, http.MethodGet, "/v1/receipts/"+url.PathEscape(id), nil, nil, &r)
}

// Prompt compiles the prompt of a context again: code is as it is on disk now, memory and history are as they are in
// the store, and what is not as it was stands as a line in brackets.
func (c *Client) Prompt(ctx context.Context, id string) (*Prompt, error) {
	var p Prompt
	return &p, c.Call(ctx, http.MethodGet, "/v1/receipts/"+url.PathEscape(id)+"/prompt", nil, nil, &p)
}

// DiffReceipts tells what changed from one context to another, and why.
func (c *Client) DiffReceipts(ctx context.Context, from, to string) (*Changes, error) {
	var d Changes
	return &d, c.Call(ctx, http.MethodGet, "/v1/receipts/"+url.PathEscape(from)+"/diff/"+url.PathEscape(to),
		nil, nil, &d)
}
