package backend

import (
	"errors"
	"syscall"

	"github.com/contextd/contextd/internal/rdb"
)

// Full reports whether err says that the store has no room: a Redis over its maxmemory, a full disk.
func Full(err error) bool { return rdb.Classify(err) == rdb.OOM || errors.Is(err, syscall.ENOSPC) }
