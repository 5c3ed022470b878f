package backend

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// RegisterFor is how long a daemon counts as alive without renewing.
	RegisterFor = 30 * time.Second
	// RegisterEvery is how often it renews.
	RegisterEvery = 8 * time.Second
)

// register adds ARGV[1] to KEYS[1] for ARGV[2] seconds, by the server's clock, and drops who is gone.
var register = redis.NewScript(`
local now = tonumber(redis.call('TIME')[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), ARGV[1])
redis.call('EXPIRE', KEYS[1], tonumber(ARGV[2]) * 2)
return 0`)

// alive returns the members of KEYS[1] that are not gone.
var alive = redis.NewScript(`
return redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. redis.call('TIME')[1], '+inf')`)

type registry struct {
	client *redis.Client
	key    string
}

func (r registry) put(ctx context.Context, d Daemon) error {
	data, _ := json.Marshal(d) // strings always encode
	if err := register.Run(ctx, r.client, []string{r.key}, data, int(RegisterFor.Seconds())).Err(); err != nil && !errors.Is(err, redis.Nil) {
		return fmt.Errorf("register this daemon in Redis: %w", err)
	}
	return nil
}

func (r registry) remove(ctx context.Context, d Daemon) error {
	data, _ := json.Marshal(d)
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
