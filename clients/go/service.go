package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// ErrNotReady says that the server lives and its store does not answer; Ready wraps it, with the reason.
var ErrNotReady = errors.New("not ready")

// Health asks whether the server lives: no error. It needs no token.
func (c *Client) Health(ctx context.Context) error {
	return c.Call(ctx, http.MethodGet, "/healthz", nil, nil, nil)
}

// Ready asks whether the server's store answers: no error, or one that is ErrNotReady. It needs no token.
func (c *Client) Ready(ctx context.Context) error {
	var reply Ready
	resp, data, err := c.exchange(ctx, http.MethodGet, "/readyz", nil, nil)
	switch {
	case err != nil:
	case json.Unmarshal(data, &reply) == nil && reply.Ready:
		return nil
	case resp.StatusCode == http.StatusServiceUnavailable && reply.Reason != "":
		err = fmt.Errorf("%w: %s", ErrNotReady, reply.Reason)
	default:
		err = problemOf(resp, data)
	}
	return fmt.Errorf("GET /readyz: %w", err)
}
