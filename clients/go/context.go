package client

import (
	"context"
	"net/http"
)

// Context compiles the context of one call of an agent.
func (c *Client) Context(ctx context.Context, r ContextRequest) (*ContextReply, error) {
	var reply ContextReply
	return &reply, c.Call(ctx, http.MethodPost, "/v1/context", nil, r, &reply)
}
