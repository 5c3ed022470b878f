package daemon

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"time"

	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/queue/spool"
	"github.com/contextd/contextd/internal/sandbox"
)

// Options of a daemon.
type Options struct {
	Backend  *backend.Backend
	Ingester *ingest.Ingester
	Sandbox  sandbox.Options
	StateDir string
	Spool    *spool.Spool // where requests wait while the store takes none; nil: nowhere
	// folders to watch, which are allowed; one must exist, the others are watched once they appear
	Watch             []string
	Allow             []string      // folders that may be indexed, absolute; they need not exist
	Listen            string        // host:port for metrics and health
	ReconcileInterval time.Duration // 0 means 30 s
	Workers           int           // projects indexed at once; 0 means 2
	Log               *slog.Logger
	Listening         func(net.Addr)   // called once the address is open; may be nil
	Now               func() time.Time // what time it is; nil means time.Now
}

// WithDefaults fills what is not set.
func (o Options) WithDefaults() Options {
	o.ReconcileInterval = cmp.Or(o.ReconcileInterval, 30*time.Second)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Validate names the first option that is wrong.
func (o Options) Validate() error {
	switch {
	case o.Backend == nil || o.Ingester == nil:
		return errors.New("daemon: want a backend and an ingester")
	case o.ReconcileInterval < 0:
		return fmt.Errorf("reconcile interval must be above 0 (got %v)", o.ReconcileInterval)
	}
	for _, dir := range o.Allow {
		if !filepath.IsAbs(dir) {
			return fmt.Errorf("allowed root %q: want an absolute path", dir)
		}
	}
	return nil
}
