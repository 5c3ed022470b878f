package answer

import (
	"context"

	"github.com/contextd/contextd/internal/freshness"
	"github.com/contextd/contextd/internal/retrieve"
)

// Code answers prompts, which have found their project already. It sees to the index as Refresh says.
type Code struct {
	Answerer *Answerer
	Refresh  freshness.When
}

// Answer asks about the target of req, with what Resolve said of it.
func (c Code) Answer(ctx context.Context, req retrieve.Request, fault error) (*retrieve.Reply, error) {
	return c.Answerer.ask(ctx, req, fault, c.Refresh, nil)
}
