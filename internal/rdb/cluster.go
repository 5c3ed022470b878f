package rdb

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/redis/go-redis/v9"
)

// ErrCluster is the error of every command to a node of a Redis Cluster: scripts and transactions here use several keys
// at once, which a cluster allows only within one hash slot.
var ErrCluster error = clusterError{}

type clusterError struct{}

func (clusterError) Error() string {
	return "the server is a node of a Redis Cluster, which is not supported"
}

// Hint says what to use.
func (clusterError) Hint() string { return ClusterHint }

// ClusterHint says what to use instead of a cluster.
const ClusterHint = "use a Redis that runs alone or with replicas (cluster-enabled no), several of them by giving --redis for each, or --redis off for the embedded store"

// refuseClusters fails the first connection of a client to a node of a cluster, and each later one until a server that
// is none has answered. go-redis unwraps the error of OnConnect once.
func refuseClusters(o *redis.Options) {
	var alone atomic.Bool
	o.OnConnect = func(ctx context.Context, cn *redis.Conn) error {
		if alone.Load() {
			return nil
		}
		info, err := cn.Info(ctx, "cluster").Result()
		var said redis.Error
		switch {
		case errors.As(err, &said):
			return nil // its user may not ask: commands tell what else is wrong
		case err != nil:
			return fmt.Errorf("ask whether the server is in a cluster: %w", err)
		case strings.Contains(info, "cluster_enabled:1"):
			return fmt.Errorf("connect: %w", ErrCluster)
		}
		if strings.Contains(info, "cluster_enabled:0") { // a Sentinel, on the way to a server, says neither
			alone.Store(true)
		}
		return nil
	}
}
