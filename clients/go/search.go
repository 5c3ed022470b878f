package client

import (
	"context"
	"net/http"
)

// Search answers a question with verified snippets.
func (c *Client) Search(ctx context.Context, r SearchRequest) (*SearchReply, error) {
	var reply SearchReply
	return &reply, c.Call(ctx, http.MethodPost, "/v1/search", nil, r, &reply)
}
