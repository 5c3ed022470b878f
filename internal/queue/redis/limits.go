package redis

import (
	"strconv"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/queue"
)

// brokenKeyDelay is how long a project that has a key of a wrong type is put off.
const brokenKeyDelay = 30 * time.Second

// maxIDAhead is how far the id of a message may be ahead of the clock; beyond it, somebody chose the id.
const maxIDAhead = 24 * time.Hour

// luaConstants replaces the names of constants in the scripts by the queue's numbers (times in ms) and the group's
// name.
var luaConstants = strings.NewReplacer(
	"DEBOUNCE", strconv.FormatInt(queue.Debounce.Milliseconds(), 10),
	"MAXDELAY", strconv.FormatInt(queue.MaxDelay.Milliseconds(), 10),
	"AHEADID", strconv.FormatInt(maxIDAhead.Milliseconds(), 10),
	"LEASE", strconv.FormatInt(queue.LeaseTime.Milliseconds(), 10),
	"FARAHEAD", strconv.FormatInt(queue.MaxDueAhead.Milliseconds(), 10),
	"PUTOFF", strconv.FormatInt(brokenKeyDelay.Milliseconds(), 10),
	"MAXPATHS", strconv.Itoa(queue.MaxPaths),
	"MAXFILES", strconv.Itoa(queue.MaxFilesBytes),
	"MAXFIELD", strconv.Itoa(maxField),
	"STEPBYTES", strconv.Itoa(stepBytes),
	"MAXDEAD", strconv.Itoa(queue.MaxDead),
	"'GROUP'", "'"+group+"'",
)
