package redis

import (
	"strconv"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/queue"
)

// putOff is when a project that has a key of a wrong type is looked at again.
const putOff = 30 * time.Second

// aheadID is how far ahead of the clock the id of a message can only be by choice.
const aheadID = 24 * time.Hour

// limits puts the queue's numbers (times in ms) and the group's name into the scripts.
var limits = strings.NewReplacer(
	"DEBOUNCE", strconv.FormatInt(queue.Debounce.Milliseconds(), 10),
	"MAXDELAY", strconv.FormatInt(queue.MaxDelay.Milliseconds(), 10),
	"AHEADID", strconv.FormatInt(aheadID.Milliseconds(), 10),
	"LEASE", strconv.FormatInt(queue.LeaseTime.Milliseconds(), 10),
	"FARAHEAD", strconv.FormatInt(queue.FarAhead.Milliseconds(), 10),
	"PUTOFF", strconv.FormatInt(putOff.Milliseconds(), 10),
	"MAXPATHS", strconv.Itoa(queue.MaxPaths),
	"MAXFILES", strconv.Itoa(queue.MaxFilesBytes),
	"MAXFIELD", strconv.Itoa(maxField),
	"STEPBYTES", strconv.Itoa(stepBytes),
	"MAXDEAD", strconv.Itoa(queue.MaxDead),
	"'GROUP'", "'"+group+"'",
)
