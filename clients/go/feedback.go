package client

import (
	"context"
	"net/http"
	"net/url"
)

// Feedback tells how a context was used.
type Feedback struct {
	Response string   `json:"response,omitempty"` // what the agent answered
	Opened   []string `json:"opened,omitempty"`   // paths that it then opened
	Edited   []string `json:"edited,omitempty"`   // paths that it then edited
	Searched []string `json:"searched,omitempty"` // what it then searched for
	Followed []string `json:"followed,omitempty"` // ids or paths of pieces that it took up
	Done     bool     `json:"done,omitempty"`     // the turn is over: the rest is dead weight
}

// Outcome is what became of the pieces of a context so far.
type Outcome struct {
	ID    string `json:"turn"` // of the context
	Shown int    `json:"shown"`
	Fates
}

// Fates tells what became of the pieces of a context, by their ids.
type Fates struct {
	Used      []string `json:"used"`      // the answer took them up, or their file was edited
	Refetched []string `json:"refetched"` // opened all the same
	Dead      []string `json:"dead"`      // nothing used them
	Missed    []string `json:"missed"`    // paths and searches that the agent needed beside them
	Precision float64  `json:"precision"` // the share of the pieces that was used or opened
}

// Feedback tells how the context with an id was used; what was used comes earlier next time.
func (c *Client) Feedback(ctx context.Context, id string, f Feedback) (*Outcome, error) {
	var o Outcome
	return &o, c.Call(ctx, http.MethodPost, "/v1/context/"+url.PathEscape(id)+"/feedback", nil, f, &o)
}

// Compacted says that an agent's window was compacted: what it held makes nothing redundant any more.
func (c *Client) Compacted(ctx context.Context, agent string) error {
	return c.Call(ctx, http.MethodPost, "/v1/agents/"+url.PathEscape(agent)+"/compacted", nil, nil, nil)
}

// Recalled is one thing that memory says.
type Recalled struct {
	ID        string  `json:"id"`
	Kind      string  `json:"kind"`
	Scope     string  `json:"scope"`
	Content   string  `json:"content"`
	Relevance float64 `json:"relevance"`
	Verify    bool    `json:"verify"`
	Type      string  `json:"type"`  // Kind in capitals
	Score     float64 `json:"score"` // Relevance
	Tier      string  `json:"tier"`  // HOT, WARM or COLD
}

// Recall asks an agent's memory for more than its context brought along. kind is one of memory (decision, fact, procedure, episode …),
// or "" for all. text is the same as it may stand in a prompt.
func (c *Client) Recall(ctx context.Context, agent, projectID, query, kind string) (items []Recalled, text string, err error) {
	var reply struct {
		Items []Recalled `json:"items"`
		Text  string     `json:"text"`
	}
	err = c.Call(ctx, http.MethodPost, "/v1/recall", nil, map[string]string{"agent": agent, "project": projectID, "query": query, "memory_type": kind}, &reply)
	return reply.Items, reply.Text, err
}
