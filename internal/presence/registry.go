package presence

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/owner"
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

// register gives ARGV[1] in KEYS[1] the time now + ARGV[2] seconds by the server's clock and drops who is gone for a
// day: one that was only stopped finds its entry and knows that the store has lost nothing. It returns the time that
// was there before, or 0, and the new one. The key outlives a daemon that crashed by a day.
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

// Registry is the set of the daemons on one Redis. Safe for concurrent use.
type Registry struct {
	client *redis.Client
	key    string
}

// NewRegistry is the registry at a key of Redis. It talks to nobody yet.
func NewRegistry(client *redis.Client, key string) *Registry { return &Registry{client, key} }

// Register tells others that d lives, for RegisterFor. lost: the store has forgotten d since the last call, so it was
// flushed or replaced. Only a call with the *Mark of the last one can tell.
func (r *Registry) Register(ctx context.Context, d Daemon, m *Mark) (lost bool, err error) {
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

// Unregister removes d from the registry; it does not release the lock that Hold took.
func (r *Registry) Unregister(ctx context.Context, d Daemon) error {
	data, _ := json.Marshal(d) // strings always encode
	if err := r.client.ZRem(ctx, r.key, data).Err(); err != nil {
		return fmt.Errorf("take this daemon out of Redis: %w", err)
	}
	return nil
}

// List lists the daemons that have registered within RegisterFor, but for those that are known to be dead. It changes
// nothing.
func (r *Registry) List(ctx context.Context) ([]Daemon, error) {
	rows, err := alive.Run(ctx, r.client, []string{r.key}).StringSlice()
	if err != nil {
		return nil, fmt.Errorf("ask Redis for daemons: %w", err)
	}
	var all []Daemon
	for _, row := range rows {
		var d Daemon
		if json.Unmarshal([]byte(row), &d) == nil && !owner.Dead(d.Owner) {
			all = append(all, d)
		}
	}
	return all, nil
}
