package doctor

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
)

func TestClusterNodeIsNamedWithWhatToUse(t *testing.T) {
	t.Parallel()
	s := rdbtest.Cluster(t)
	found := examine(t, backend.Options{Redis: s.URL, StateDir: filepath.Join(t.TempDir(), "state")}, nil)
	wantFailing(t, found, "backend")
	if c := found["backend"]; !strings.Contains(c.Detail, rdb.ErrCluster.Error()) || c.Hint != rdb.ClusterHint {
		t.Errorf("%+v, want the error and the hint of a cluster", c)
	}
}
