package client

import (
	"context"
	"net/http"
	"net/url"
)

// Feedback tells how the context with an id was used; what was used comes earlier next time.
func (c *Client) Feedback(ctx context.Context, id string, f Feedback) (*Outcome, error) {
	var o Outcome
	return &o, c.Call(ctx, http.MethodPost, "/v1/context/"+url.PathEscape(id)+"/feedback", nil, f, &o)
}

// Compacted says that an agent's window was compacted: what it held makes nothing redundant any more.
func (c *Client) Compacted(ctx context.Context, agent string) error {
	return c.Call(ctx, http.MethodPost, "/v1/agents/"+url.PathEscape(agent)+"/compacted", nil, nil, nil)
}

// Recall asks an agent's memory for more than its context brought along. kind is one of memory (decision, fact,
// procedure, episode …), or "" for all. text is the same as it may stand in a prompt.
func (c *Client) Recall(
	ctx context.Context, agent, projectID, query, kind string,
) (items []Recalled, text string, err error) {
	var reply RecallReply
	err = c.Call(ctx, http.MethodPost, "/v1/recall", nil,
		RecallRequest{Agent: agent, Project: projectID, Query: query, MemoryType: kind}, &reply)
	return reply.Items, reply.Text, err
}
