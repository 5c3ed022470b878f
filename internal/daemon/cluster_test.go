package daemon

import (
	"errors"
	"testing"

	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
)

// TestClusterNodeEndsTheDaemonAtItsStart: unlike a server that is down, it is not waited for.
func TestClusterNodeEndsTheDaemonAtItsStart(t *testing.T) {
	b := newBundle(t, rdbtest.Cluster(t))
	if err := Run(t.Context(), b.options(b.open())); !errors.Is(err, rdb.ErrCluster) {
		t.Errorf("run: %v, want %v", err, rdb.ErrCluster)
	}
}
