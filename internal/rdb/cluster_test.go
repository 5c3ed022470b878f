package rdb_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
)

// TestClusterNodeIsRefusedByEveryClient: the first command and each later one has the same clear error.
func TestClusterNodeIsRefusedByEveryClient(t *testing.T) {
	t.Parallel()
	s := rdbtest.Cluster(t)
	for name, open := range map[string]func(string) (*redis.Client, error){
		"worker": rdb.Worker, "blocking": rdb.Blocking,
		"interactive": func(url string) (*redis.Client, error) { return rdb.Interactive(url, time.Second) },
	} {
		t.Run(name, func(t *testing.T) {
			c, err := open(s.URL)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			for range 2 {
				if err := c.Ping(context.Background()).Err(); !errors.Is(err, rdb.ErrCluster) ||
					rdb.Classify(err) != rdb.Cluster {
					t.Errorf("ping: %v (class %q), want %v", err, rdb.Classify(err), rdb.ErrCluster)
				}
			}
		})
	}
}

func TestServerAloneIsNoCluster(t *testing.T) {
	t.Parallel()
	s := rdbtest.Own(t, rdbtest.Plain, "--rename-command", "INFO", "")
	if err := s.Client(t).Set(t.Context(), s.Prefix, 1, 0).Err(); err != nil {
		t.Errorf("a server that does not tell: %v", err)
	}
}
