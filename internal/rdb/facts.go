package rdb

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// Facts is what a Redis server tells of itself as far as contextd depends on it. What it does not tell is zero.
type Facts struct {
	Version   string
	Replica   bool          // it takes no writes
	Used, Max int64         // bytes of memory; Max 0: no limit
	Policy    string        // what it evicts over Max: "noeviction", "allkeys-lru" …
	Evicted   int64         // keys evicted since its start
	SaveFails string        // the kind of file it could not save lately: it may refuse writes for that; "" if none
	Skew      time.Duration // its clock less ours
	// AppendOnly: it keeps an append-only file, so that a restart loses nothing.
	AppendOnly bool
}

// AskFacts asks a server.
func AskFacts(ctx context.Context, client *redis.Client) (Facts, error) {
	began := time.Now()
	now, err := client.Time(ctx).Result()
	if err != nil {
		return Facts{}, fmt.Errorf("ask Redis for its time: %w", err)
	}
	took := time.Since(began)
	text, err := client.Info(ctx).Result()
	if err != nil {
		return Facts{}, fmt.Errorf("ask Redis about itself: %w", err)
	}
	f := ParseFacts(text)
	f.Skew = now.Sub(began.Add(took / 2))
	return f, nil
}

// ParseFacts reads the reply to INFO: all of it, or some of its sections.
func ParseFacts(info string) (f Facts) {
	v := map[string]string{}
	for line := range strings.Lines(info) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			v[name] = value
		}
	}
	number := func(name string) int64 {
		n, _ := strconv.ParseInt(v[name], 10, 64)
		return n
	}
	f.Version, f.Replica, f.Policy = v["redis_version"], v["role"] == "slave", v["maxmemory_policy"]
	f.AppendOnly = v["aof_enabled"] == "1"
	f.Used, f.Max, f.Evicted = number("used_memory"), number("maxmemory"), number("evicted_keys")
	switch {
	case v["rdb_last_bgsave_status"] == "err":
		f.SaveFails = "snapshot"
	case v["aof_last_write_status"] == "err":
		f.SaveFails = "append-only file"
	}
	return f
}
