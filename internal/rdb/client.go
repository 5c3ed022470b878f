package rdb

import (
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
)

// quiet keeps go-redis from writing to stderr: what it would say there comes back as an error anyway.
var quiet = sync.OnceFunc(logging.Disable)

// Interactive opens a client for work that a caller waits for: it tries once and gives up at the context's deadline,
// or after deadline at the latest. It has enough connections for the two legs of two queries at once.
func Interactive(url string, deadline time.Duration) (*redis.Client, error) {
	return open(url, func(o *redis.Options) {
		o.ContextTimeoutEnabled = true
		o.MaxRetries = -1
		o.DialTimeout = min(deadline, 500*time.Millisecond)
		o.ReadTimeout, o.WriteTimeout = deadline, deadline
		// to wait for a connection is as good as to wait on one: a burst of requests is no fault of the store
		o.PoolTimeout = deadline
		o.PoolSize = 4
		o.PipelinePoolSize = -1
	})
}

// Worker opens a client for background work: short retries of its own, the rest is the caller's backoff. A command may
// be sent twice after a lost connection, so all that goes through it must be idempotent.
func Worker(url string) (*redis.Client, error) {
	return open(url, func(o *redis.Options) {
		o.ContextTimeoutEnabled = true
		o.MaxRetries = 2
		o.DialTimeout = 2 * time.Second
		o.ReadTimeout, o.WriteTimeout = 10*time.Second, 10*time.Second
		o.PoolSize = 8
		o.PipelinePoolSize = 2
	})
}

// Blocking opens a client for one reader that waits on the server (XREADGROUP BLOCK of at most 2 s).
func Blocking(url string) (*redis.Client, error) {
	return open(url, func(o *redis.Options) {
		o.ContextTimeoutEnabled = true
		o.MaxRetries = -1
		o.DialTimeout = 2 * time.Second
		o.ReadTimeout, o.WriteTimeout = 10*time.Second, 10*time.Second
		o.PoolSize = 2
		o.PipelinePoolSize = -1
	})
}

func open(url string, set func(*redis.Options)) (*redis.Client, error) {
	t, err := ParseURL(url)
	if err != nil {
		return nil, err
	}
	o := t.Options
	if o.TLSConfig != nil {
		if err := t.certs.apply(o.TLSConfig); err != nil {
			return nil, err
		}
	}
	quiet()
	set(o)
	// RESP3 would have the client send CLIENT MAINT_NOTIFICATIONS and change the shape of FT replies by server.
	o.Protocol = 2
	o.DisableIdentity = true
	o.DialerRetries = 1
	refuseClusters(o)
	if t.Master != "" {
		if o.TLSConfig != nil {
			o.TLSConfig.ServerName = "" // ParseURL gave it that of the first Sentinel
		}
		o.Dialer = dialer(o)
		c := failover(t)
		c.AddHook(deniedHook{o.Username})
		return c, nil
	}
	o.Dialer = dialer(o)
	c := redis.NewClient(o)
	c.AddHook(deniedHook{o.Username})
	return c, nil
}
