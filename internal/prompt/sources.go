package prompt

import (
	"context"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/retrieve"
)

// Finder finds the project that is meant: package access. fault says that the index could not be asked, and the target
// is a guess; err that the question itself cannot be.
type Finder interface {
	Resolve(ctx context.Context, w access.Where, limit time.Duration) (t access.Target, fault, err error)
}

// Code asks the index about the target of req, once for a context: package answer. fault is what the Finder said of it.
type Code interface {
	Answer(ctx context.Context, req retrieve.Request, fault error) (*retrieve.Reply, error)
}
