//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/contextd/contextd/internal/e2e/e2etest"
	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
)

// startRedis starts a server that has on its disk what it confirmed, and a relay to it.
func (s *spell) startRedis(dir string) error {
	prog, err := rdbtest.Find(rdbtest.Search)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make a folder for Redis: %w", err)
	}
	if s.redis, err = rdbtest.Launch(prog, dir, "--appendfsync", "always", "--maxmemory-policy",
		"noeviction"); err != nil {
		return err
	}
	if s.relay, err = e2etest.NewRelay(s.redis.URL); err != nil {
		return err
	}
	s.world.Redis = s.relay.URL
	return nil
}

// onRedis begins a fault of the server itself, which ends any other of its kind.
func (s *spell) onRedis(begin func() error, end func() error) error {
	s.faulty.finish("redis")
	if err := begin(); err != nil {
		return err
	}
	s.faulty.begin("redis", s.aWhile(), func() {
		if err := end(); err != nil {
			s.fail("soak", err)
		}
	})
	return nil
}

func (s *spell) redisKill(context.Context) error {
	return s.onRedis(func() error { s.redis.Kill(); return nil }, s.redis.Restart)
}

func (s *spell) redisHang(context.Context) error { return s.onRedis(s.redis.Pause, s.redis.Resume) }

func (s *spell) redisFull(context.Context) error {
	return s.onRedis(func() error { return s.tell("CONFIG", "SET", "maxmemory", "1mb") },
		func() error { return s.tell("CONFIG", "SET", "maxmemory", "0") })
}

func (s *spell) redisReadOnly(context.Context) error {
	return s.onRedis(func() error { return s.tell("REPLICAOF", "127.0.0.1", "1") },
		func() error { return s.tell("REPLICAOF", "NO", "ONE") })
}

// redisFlush forgets the memories, too, as promised.
func (s *spell) redisFlush(context.Context) error {
	s.faulty.finish("redis")
	return s.memory.flush(func() error { return s.tell("FLUSHALL") })
}

// redisDrop drops the search indexes.
func (s *spell) redisDrop(ctx context.Context) error {
	s.faulty.finish("redis")
	c, err := rdb.Worker(s.redis.URL)
	if err != nil {
		return err
	}
	defer c.Close()
	list, err := c.Do(ctx, "FT._LIST").StringSlice()
	for _, name := range list {
		_ = c.Do(ctx, "FT.DROPINDEX", name).Err() // somebody may have been faster
	}
	return err
}

func (s *spell) tell(args ...any) error {
	c, err := rdb.Worker(s.redis.URL)
	if err != nil {
		return err
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := c.Do(ctx, args...).Err(); err != nil {
		return fmt.Errorf("tell Redis %v: %w", args, err)
	}
	return nil
}

// badLine is what the line to Redis does.
type badLine struct {
	fault e2etest.Fault
	every int // strikes one piece of up to so many
	delay int // up to so many ms
}

var (
	slowLine     = badLine{e2etest.Slow, 1, 120}
	cutLine      = badLine{e2etest.Cut, 12, 0}
	tornLine     = badLine{e2etest.Torn, 12, 0}
	refusingLine = badLine{e2etest.Refuse, 12, 0}
)

// line makes the line to Redis bad for a while.
func (s *spell) line(b badLine) func(context.Context) error {
	return func(context.Context) error {
		s.faulty.finish("line")
		s.relay.Set(b.fault, 1+s.rnd.IntN(b.every), time.Duration(s.rnd.IntN(b.delay+1))*time.Millisecond)
		s.faulty.begin("line", s.aWhile(), func() { s.relay.Set(e2etest.Pass, 1, 0) })
		return nil
	}
}
