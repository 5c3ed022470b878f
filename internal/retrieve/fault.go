package retrieve

import (
	"context"
	"errors"

	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/search"
)

// note adds the reason that an error stands for to the reply, and returns it.
func (rt *Retriever) note(reply *Reply, err error) Reason {
	reason := rt.reasonOf(err)
	reply.add(reason)
	rt.opts.Log.Debug("degraded", "reason", reason, "error", err)
	return reason
}

func (rt *Retriever) reasonOf(err error) Reason {
	switch {
	case errors.Is(err, search.ErrNoProject):
		return IndexMissing
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return Deadline
	case rt.opts.Embedded:
		return IndexMissing // what cannot be read is not there
	}
	switch rdb.Classify(err) {
	case rdb.Auth:
		return RedisAuth
	case rdb.Deadline:
		return Deadline
	case rdb.OOM:
		return StoreFull
	case rdb.NoModule:
		return SearchUnsupported
	case rdb.NoIndex, rdb.WrongType:
		return IndexMissing
	}
	return RedisUnreachable
}
