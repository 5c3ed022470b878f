package rdbtest

import (
	"strconv"
	"testing"
)

// Cluster starts a private server that is the only node of a Redis Cluster.
func Cluster(t testing.TB) *Server {
	t.Helper()
	bus, err := freePort() // else it is 10,000 above the other one, which may be no port
	if err != nil {
		t.Fatal(err)
	}
	return Own(t, Plain, "--cluster-enabled", "yes", "--cluster-port", strconv.Itoa(bus))
}
