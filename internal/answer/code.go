package answer

import (
	"context"

	"github.com/contextd/contextd/internal/freshness"
	"github.com/contextd/contextd/internal/retrieve"
)

// Code answers prompts, which have found their project already. It sees to the index as Bring says.
type Code struct {
	Answerer *Answerer
	Bring    freshness.Bring
}

// Answer asks about the target of req, with what Resolve said of it.
func (c Code) Answer(ctx context.Context, req retrieve.Request, fault error) (*retrieve.Reply, error) {
	return c.Answerer.ask(ctx, req, fault, c.Bring, nil)
}
