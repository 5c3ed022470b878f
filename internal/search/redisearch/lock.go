package redisearch

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/owner"
	"github.com/contextd/contextd/internal/search"
)

const (
	lockTime  = 30 * time.Second // how long the lock outlives its holder's last sign
	lockRenew = 8 * time.Second
	lockPoll  = 50 * time.Millisecond
)

// lock is the lock of one build of a project, renewed in the background until it is released. Its value proves it to the scripts:
// the server decides, so a holder that was stopped for a minute writes nothing afterwards.
type lock struct {
	client *redis.Client
	key    string
	value  string // owner, a space, a random token
	lost   atomic.Bool
	stop   chan struct{}
	ended  sync.WaitGroup
}

// heldLocks are the values of the locks that this process holds or is about to take. One that the server keeps for this
// process and that is not among them was given back while the server could not be told: it is nobody's.
var heldLocks sync.Map

// lock takes a lock of a project; *search.LockedError when another holds it for longer than wait. That of a dead process
// of this host is taken at once.
func (x *Index) lock(ctx context.Context, key, pid string, wait time.Duration) (l *lock, err error) {
	return x.lockBy(ctx, lockScript, key, pid, wait)
}

func (x *Index) lockBy(ctx context.Context, take *redis.Script, key, pid string, wait time.Duration) (l *lock, err error) {
	l = &lock{client: x.writeClient, key: key, value: owner.Self() + " " + randomHex(8), stop: make(chan struct{})}
	value := l.value
	heldLocks.Store(value, true)
	defer func() {
		if err != nil {
			heldLocks.Delete(value)
		}
	}()
	end := time.Now().Add(wait)
	dead := ""
	for {
		held, err := take.Run(ctx, x.writeClient, []string{l.key}, l.value, dead, lockTime.Milliseconds()).Text()
		if err != nil {
			return nil, fmt.Errorf("lock project %q: %w", pid, err)
		}
		if held == l.value {
			l.ended.Add(1)
			go l.renew()
			return l, nil
		}
		holder := held[:max(0, strings.LastIndexByte(held, ' '))]
		_, ours := heldLocks.Load(held)
		if held != dead && (owner.Dead(holder) || holder == owner.Self() && !ours) {
			x.opts.Log.Info("search lock taken over", "project", pid, "from", owner.Describe(holder))
			dead = held
			continue
		}
		left := time.Until(end)
		if left <= 0 {
			return nil, &search.LockedError{Project: pid, Holder: owner.Describe(holder)}
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("lock project %q: %w", pid, ctx.Err())
		case <-time.After(min(left, lockPoll)):
		}
	}
}

func (l *lock) renew() {
	defer l.ended.Done()
	tick := time.NewTicker(lockRenew)
	defer tick.Stop()
	for {
		select {
		case <-l.stop:
			return
		case <-tick.C:
		}
		ctx, cancel := context.WithTimeout(context.Background(), lockRenew)
		n, err := renewScript.Run(ctx, l.client, []string{l.key}, l.value, lockTime.Milliseconds()).Int()
		cancel()
		if err == nil && n == 0 {
			l.lost.Store(true)
			return
		}
	}
}

// release gives the lock back. If the server cannot be told, this process takes it over when it needs it again; for
// others it runs out by itself.
func (l *lock) release() {
	close(l.stop)
	l.ended.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_ = releaseScript.Run(ctx, l.client, []string{l.key}, l.value).Err()
	heldLocks.Delete(l.value)
}

// randomHex is n random bytes in hexadecimal.
func randomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails (crypto/rand)
	return hex.EncodeToString(b)
}
