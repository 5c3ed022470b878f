package eviction

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/rdb"
)

func TestProjectsGoBeforeRedisIsFullAndAlsoWhenItIs(t *testing.T) {
	t.Parallel()
	log := &logged{}
	b := onRedis(t, log.logger())
	ctx := t.Context()
	for i, id := range []string{"a", "b", "c"} {
		bring(t, b, id, 2000)
		setUse(t, b, id, 9*time.Hour, time.Duration(9-i)*time.Hour)
	}
	f, err := rdb.AskFacts(ctx, b.client)
	if err != nil {
		t.Fatal(err)
	}
	limit := func(bytes int64) {
		t.Helper()
		if err := b.client.ConfigSet(ctx, "maxmemory", fmt.Sprint(bytes)).Err(); err != nil {
			t.Fatal(err)
		}
	}
	limit(f.Used * 100 / 95)
	if err := b.Evict(ctx, "c", Client); err != nil || strings.HasPrefix(ids(t, b), "a") ||
		!strings.Contains(ids(t, b), "c") {
		t.Errorf("nearly full: %s, %v", ids(t, b), err)
	}
	limit(0)
	bring(t, b, "b", 2000)
	setUse(t, b, "b", 9*time.Hour, 2*time.Hour)
	if f, err = rdb.AskFacts(ctx, b.client); err != nil {
		t.Fatal(err)
	}
	limit(f.Used - 1000)
	if err := b.Evict(ctx, "c", Client); err != nil || ids(t, b) != "c" {
		t.Errorf("full: %s, %v", ids(t, b), err)
	}
	limit(100_000) // far less than the server itself takes
	if err := b.Evict(ctx, "x", Client); err != nil || ids(t, b) != "c" {
		t.Errorf("full of other things: %s, %v", ids(t, b), err)
	}
	if b.made != 3 {
		t.Errorf("what is made again easily was removed %d times, want at each of the 3", b.made)
	}
	if n := strings.Count(log.text(), "nearly full"); n != 1 {
		t.Errorf("said %d times: %s", n, log.text())
	}
}
