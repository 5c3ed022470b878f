package rdb

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/redis/go-redis/v9"
)

// SentinelError is returned where no Sentinel told which server is the master.
type SentinelError struct {
	Master    string
	Sentinels []string
	unknown   bool  // one answered that it knows no master of this name
	err       error // nil if unknown: redis.Nil would mean that a key is missing
}

func (e *SentinelError) Error() string {
	hosts := strings.Join(e.Sentinels, ", ")
	if e.unknown {
		return fmt.Sprintf("ask the Sentinels %s: they know no master %q", hosts, e.Master)
	}
	return fmt.Sprintf("ask the Sentinels %s for the master %q: %v", hosts, e.Master, e.err)
}
func (e *SentinelError) Unwrap() error { return e.err }

// Hint tells what to do about it.
func (e *SentinelError) Hint() string {
	switch {
	case e.unknown:
		return "put the name after \"sentinel monitor\" in the Sentinels' settings into the path of --redis"
	case Classify(e) == Auth:
		return "the Sentinels want a login of their own: add ?sentinel_password=… (and sentinel_username=…) to the URL"
	}
	return "the hosts of the URL must be those of Sentinels, by default on port 26379; --redis off uses the embedded store"
}

// class tells a wrong login from Sentinels that do not answer.
func (e *SentinelError) class() Class {
	var said redis.Error
	if errors.As(e.err, &said) && auth().MatchString(said.Error()) {
		return Auth
	}
	return Unreachable
}

// failover opens a client that asks the Sentinels of t for the master at each new connection, and whose idle
// connections close when they announce another one.
func failover(t *Target) *redis.Client {
	o := t.Options
	c := redis.NewFailoverClient(&redis.FailoverOptions{
		MasterName: t.Master, SentinelAddrs: t.Sentinels, SentinelUsername: t.sentinelUser,
		SentinelPassword: t.sentinelPassword, ClientName: o.ClientName, Dialer: o.Dialer, OnConnect: o.OnConnect,
		Protocol: o.Protocol, Username: o.Username, Password: o.Password, MaxRetries: o.MaxRetries,
		MinRetryBackoff: o.MinRetryBackoff, MaxRetryBackoff: o.MaxRetryBackoff, DialTimeout: o.DialTimeout,
		DialerRetries: o.DialerRetries, ReadTimeout: o.ReadTimeout, WriteTimeout: o.WriteTimeout,
		ContextTimeoutEnabled: o.ContextTimeoutEnabled, PoolFIFO: o.PoolFIFO, PoolSize: o.PoolSize,
		PoolTimeout: o.PoolTimeout, MinIdleConns: o.MinIdleConns, MaxIdleConns: o.MaxIdleConns,
		MaxActiveConns: o.MaxActiveConns, MaxConcurrentDials: o.MaxConcurrentDials, ConnMaxIdleTime: o.ConnMaxIdleTime,
		ConnMaxLifetime: o.ConnMaxLifetime, ConnMaxLifetimeJitter: o.ConnMaxLifetimeJitter,
		PipelinePoolSize: o.PipelinePoolSize, PipelineReadBufferSize: o.PipelineReadBufferSize,
		PipelineWriteBufferSize: o.PipelineWriteBufferSize, TLSConfig: o.TLSConfig, DisableIdentity: o.DisableIdentity,
	})
	c.AddHook(sentinelHook{t})
	return c
}

// sentinelHook gives errors of Sentinels their own type: one that knows no such master would else read as a missing
// key.
type sentinelHook struct{ t *Target }

func (h sentinelHook) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := next(ctx, network, addr)
		if err == nil || !strings.HasPrefix(err.Error(), "redis: all sentinels") && !errors.Is(err, redis.Nil) {
			return conn, err
		}
		e := &SentinelError{Master: h.t.Master, Sentinels: h.t.Sentinels, unknown: errors.Is(err, redis.Nil)}
		if cause := errors.Unwrap(err); cause != nil && !e.unknown {
			e.err = cause
		} else if !e.unknown {
			e.err = err
		}
		return nil, e
	}
}
func (sentinelHook) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }
func (sentinelHook) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}
