package backend

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/search"
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

// Facts asks the server. On the embedded backing there are none: ok is false.
func (b *Backend) Facts(ctx context.Context) (f Facts, ok bool, err error) {
	if b.Name != Redis {
		return f, false, nil
	}
	began := time.Now()
	now, err := b.client.Time(ctx).Result()
	if err != nil {
		return f, true, fmt.Errorf("ask Redis for its time: %w", err)
	}
	took := time.Since(began)
	text, err := b.client.Info(ctx).Result()
	if err != nil {
		return f, true, fmt.Errorf("ask Redis about itself: %w", err)
	}
	f = parseFacts(text)
	f.Skew = now.Sub(began.Add(took / 2))
	return f, true, nil
}

// parseFacts reads the reply to INFO.
func parseFacts(info string) (f Facts) {
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

// QueueFaults says what is wrong with the keys of the queue.
func (b *Backend) QueueFaults(ctx context.Context) ([]queue.Fault, error) {
	q, err := b.look()
	if i, ok := q.(queue.Inspector); ok && err == nil {
		return i.Inspect(ctx)
	}
	return nil, err
}

// Inspect says what is wrong with the stored indexes.
func (b *Backend) Inspect(ctx context.Context) ([]search.Fault, error) {
	if i, ok := b.Index.(search.Inspector); ok {
		return i.Inspect(ctx)
	}
	return nil, nil
}
