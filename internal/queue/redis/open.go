package redis

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/owner"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/rdb"
)

// Options of a Queue.
type Options struct {
	URL    string
	Prefix string // first part of every key

	// Deadline is the longest time that a method may take; it makes one attempt. 0 is for background work, which may
	// take 10 s and retry.
	Deadline time.Duration

	Log *slog.Logger
}

// Queue is a queue.Queue on Redis. Implements queue.Queue.
type Queue struct {
	keys
	url    string
	log    *slog.Logger
	client *goredis.Client
	holder string               // the name of this process in claims, and of its consumer
	skew   func() time.Duration // added to the server's clock

	draining   sync.Mutex      // one Drain at a time; guards rescued, grouped and broken
	lastRescue time.Time       // when abandoned messages were last looked for
	hasGroup   bool            // the consumer group exists
	broken     map[string]bool // keys found to hold a wrong type; a project's is noted until its next merge

	// the set of due or claimed projects was found overwritten, or may have been before q was opened
	dueLost atomic.Bool

	mu     sync.Mutex      // guards what follows
	reader *goredis.Client // the one that blocks; nil until Drain needs it
	closed bool
}

var _ queue.Queue = (*Queue)(nil)

// Open opens the queue. It sends nothing: a server that is down shows in the first method.
func Open(o Options) (*Queue, error) {
	open := rdb.Worker
	if o.Deadline > 0 {
		open = func(url string) (*goredis.Client, error) { return rdb.Interactive(url, o.Deadline) }
	}
	client, err := open(o.URL)
	if err != nil {
		return nil, err
	}
	q := &Queue{keys: keys{o.Prefix}, url: o.URL, log: o.Log, client: client, holder: owner.Self(),
		broken: map[string]bool{}, skew: func() time.Duration { return 0 }}
	q.dueLost.Store(true)
	return q, nil
}

// SetHolderAndClock makes q claim as holder and read a clock that is skew ahead of the server's, so that a test can act
// as another process and at later times. It must be called before q is used.
func (q *Queue) SetHolderAndClock(holder string, skew func() time.Duration) {
	q.holder, q.skew = holder, skew
}

// Close ends all use of q.
func (q *Queue) Close() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return nil
	}
	q.closed = true
	if q.reader != nil {
		_ = q.reader.Close()
	}
	return q.client.Close()
}

// Ping implements queue.Queue.
func (q *Queue) Ping(ctx context.Context) error {
	if err := q.client.Ping(ctx).Err(); err != nil {
		return fmt.Errorf("ping redis: %w", err)
	}
	return nil
}

// Push implements queue.Queue.
func (q *Queue) Push(ctx context.Context, r queue.Request) (string, error) {
	fields := queue.Fields(r)
	if _, err := queue.Parse("", fields); err != nil {
		return "", fmt.Errorf("push: %w", err)
	}
	return q.PushFields(ctx, fields)
}

// PushFields appends a message as it is, as any other client could.
func (q *Queue) PushFields(ctx context.Context, fields map[string]string) (string, error) {
	id, err := q.client.XAdd(ctx, &goredis.XAddArgs{Stream: q.intake(), Values: flatFields(fields)}).Result()
	if err != nil {
		return "", fmt.Errorf("push to %q: %w", q.intake(), err)
	}
	return id, nil
}

// flatFields returns the fields of a message as XADD takes them. A message must have a field at least.
func flatFields(fields map[string]string) []string {
	var all []string
	for k, v := range fields {
		all = append(all, k, v)
	}
	if all == nil {
		all = []string{"empty", ""}
	}
	return all
}

// Mark implements queue.Queue.
func (q *Queue) Mark(ctx context.Context) (string, error) {
	id, err := q.lastID(ctx, q.intake())
	if err != nil {
		return "", fmt.Errorf("mark in %q: %w", q.intake(), err)
	}
	return id, nil
}

// Pushed implements queue.Queue. Servers before Redis 7 do not report it.
func (q *Queue) Pushed(ctx context.Context) (int64, error) {
	n, err := q.intakeInfo(ctx, "entries-added")
	if err != nil || n == "" {
		if errors.Is(err, errNotReported) {
			err = nil
		}
		return 0, err
	}
	return strconv.ParseInt(n, 10, 64)
}

var errNotReported = errors.New("the server does not tell")

// intakeInfo returns a field that the server reports of the intake; "" where the intake does not exist yet.
func (q *Queue) intakeInfo(ctx context.Context, name string) (string, error) {
	info, err := q.client.Do(ctx, "XINFO", "STREAM", q.intake()).Slice()
	if err != nil {
		if strings.Contains(err.Error(), "no such key") {
			return "", nil
		}
		return "", err
	}
	for i := 0; i+1 < len(info); i += 2 {
		if info[i] == name {
			return fmt.Sprint(info[i+1]), nil
		}
	}
	return "", fmt.Errorf("%w its %s", errNotReported, name)
}

// keys are the names of all keys.
type keys struct{ prefix string }

const group = "indexers"

func (k keys) intake() string          { return k.prefix + ":refresh" }
func (k keys) due() string             { return k.prefix + ":due" }
func (k keys) inflight() string        { return k.prefix + ":inflight" }
func (k keys) holders() string         { return k.prefix + ":holders" }
func (k keys) claims() string          { return k.prefix + ":claims" }
func (k keys) dead() string            { return k.prefix + ":dead" }
func (k keys) pending(p string) string { return k.prefix + ":pending:" + p }
func (k keys) state(p string) string   { return k.prefix + ":q:" + p }
func (k keys) project(p string) []string {
	return []string{k.due(), k.inflight(), k.holders(), k.pending(p), k.state(p)}
}

func (q *Queue) skewMS() int64 { return q.skew().Milliseconds() }

// newer tells whether stream id a is greater than b.
func newer(a, b string) bool {
	am, as, _ := strings.Cut(a, "-")
	bm, bs, _ := strings.Cut(b, "-")
	if am != bm {
		return greater(am, bm)
	}
	return greater(as, bs)
}

// greater compares decimal numbers of any length.
func greater(a, b string) bool {
	if len(a) != len(b) {
		return len(a) > len(b)
	}
	return a > b
}
