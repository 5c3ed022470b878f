package daemon

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
)

// While Redis is away a supervisor's XADD fails: what it was about is found by comparing when Redis is back, watched or
// not.
func TestWhatChangedDuringAnOutageIsFoundWithoutARequest(t *testing.T) {
	b := newBundle(t, rdbtest.Own(t, rdbtest.Search, "--appendonly", "yes", "--appendfsync", "always"))
	b.push(queue.Request{Project: "web", Root: b.root})
	b.start(func(o *Options) {
		o.Watch, o.Allow, o.ReconcileInterval = nil, []string{filepath.Dir(b.root)}, time.Hour
	})
	b.indexed("web", "a.go")
	b.redis.Kill(t)
	b.eventually("a daemon that knows of the outage", func() string {
		if n := len(b.log.String()); n == 0 {
			return "no log"
		}
		if _, err := b.back.Projects(t.Context(), "web"); err == nil {
			return "Redis answers"
		}
		return ""
	})
	b.write("b.go", "package b\n")
	b.redis.Restart(t)
	b.indexed("web", "a.go", "b.go")
}
