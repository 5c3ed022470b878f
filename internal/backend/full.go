package backend

import (
	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/syserr"
)

// Full reports whether err says that the store has no room: a Redis over its maxmemory, a full disk.
func Full(err error) bool { return rdb.Classify(err) == rdb.OOM || syserr.NoRoom(err) }
