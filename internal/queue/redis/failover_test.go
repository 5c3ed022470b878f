package redis

import (
	"fmt"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
)

// TestNoReplicatedRequestIsLostWhenTheMasterIsKilled: the master goes while requests are pushed. Each that the replica
// had confirmed is claimed afterwards, from the replica that took its place.
func TestNoReplicatedRequestIsLostWhenTheMasterIsKilled(t *testing.T) {
	t.Parallel()
	s := rdbtest.Watched(t, rdbtest.Plain)
	q := open(t, s.URL, s.Prefix)
	var ahead time.Duration
	q.SetHolderAndClock(q.holder, func() time.Duration { return ahead })
	marker, err := rdb.Worker(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer marker.Close()
	replicated := func() bool { // the stream of replication keeps the order: what came before the mark is there too
		c := marker.Conn()
		defer c.Close()
		if c.Set(t.Context(), s.Prefix+":mark", 1, 0).Err() != nil {
			return false
		}
		n, err := c.Wait(t.Context(), 1, time.Second).Result()
		return err == nil && n == 1
	}
	wanted, after := map[string]bool{}, 0
	killed := make(chan struct{})
	for i := 0; after < 10; i++ {
		if i == 30 {
			go func() { defer close(killed); s.Failover(t) }()
		}
		if i > 5000 {
			t.Fatal("no request is taken after the failover")
		}
		project := fmt.Sprintf("p%d", i)
		_, err := q.Push(t.Context(), queue.Request{Project: project, Root: "/srv/" + project})
		select {
		case <-killed:
			if err == nil {
				wanted[project] = true // the only server left has it
				after++
			}
		default:
			if err == nil && i < 60 && replicated() {
				wanted[project] = true
			}
		}
		if err != nil {
			time.Sleep(20 * time.Millisecond)
		}
	}
	if len(wanted) < 40 {
		t.Errorf("only %d requests were replicated: this test tests little", len(wanted))
	}
	for range 5 { // the reader's connection may have gone with the master
		if n, err := q.Drain(t.Context(), func(*queue.Request) error { return nil }); err == nil && n > 0 {
			break
		}
	}
	ahead = time.Minute
	for len(wanted) > 0 {
		c, err := q.Claim(t.Context())
		if err != nil || c == nil {
			t.Fatalf("%d replicated requests are lost, %v", len(wanted), err)
		}
		delete(wanted, c.Project)
	}
}
