package backend

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// RegisterFor is how long a daemon counts as alive without renewing.
	RegisterFor = 30 * time.Second
	// RegisterEvery is how often it renews.
	RegisterEvery = 5 * time.Second
)

// Mark is what a daemon remembers of its last registration. The zero Mark has none.
type Mark struct {
	until int64 // Redis: the score it was given
	set   bool
}

// register gives ARGV[1] in KEYS[1] the time now + ARGV[2] seconds by the server's clock and drops who is gone for a day:
// one that was only stopped finds its entry and knows that the store has lost nothing. It returns the time that was there
// before, or 0, and the new one. The key outlives a daemon that crashed by a day.
var register = redis.NewScript(`
local now = tonumber(redis.call('TIME')[1])
local before = redis.call('ZSCORE', KEYS[1], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - 86400)
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), ARGV[1])
redis.call('EXPIRE', KEYS[1], 86400)
return {before and tonumber(before) or 0, now + tonumber(ARGV[2])}`)

// alive returns the members of KEYS[1] that are not gone.
var alive = redis.NewScript(`
return redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. redis.call('TIME')[1], '+inf')`)

type registry struct {
	client *redis.Client
	key    string
}

func (r registry) put(ctx context.Context, d Daemon, m *Mark) (lost bool, err error) {
	data, _ := json.Marshal(d) // strings always encode
	times, err := register.Run(ctx, r.client, []string{r.key}, data, int(RegisterFor.Seconds())).Int64Slice()
	if err == nil && len(times) != 2 {
		err = fmt.Errorf("unexpected reply %v", times)
	}
	if err != nil {
		return false, fmt.Errorf("register this daemon in Redis: %w", err)
	}
	lost = m.set && times[0] != m.until
	*m = Mark{until: times[1], set: true}
	return lost, nil
}

func (r registry) remove(ctx context.Context, d Daemon) error {
	data, _ := json.Marshal(d) // strings always encode
	if err := r.client.ZRem(ctx, r.key, data).Err(); err != nil {
		return fmt.Errorf("take this daemon out of Redis: %w", err)
	}
	return nil
}

func (r registry) list(ctx context.Context) ([]Daemon, error) {
	rows, err := alive.Run(ctx, r.client, []string{r.key}).StringSlice()
	if err != nil {
		return nil, fmt.Errorf("ask Redis for daemons: %w", err)
	}
	var all []Daemon
	for _, row := range rows {
		var d Daemon
		if json.Unmarshal([]byte(row), &d) == nil {
			all = append(all, d)
		}
	}
	return all, nil
}
