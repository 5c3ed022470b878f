//go:build unix

package e2e

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/e2e/e2etest"
	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
)

// ready indexes 20 sources by a daemon that watches them and looks every second.
func (b *bundle) ready(flags ...string) *e2etest.Daemon {
	b.Helper()
	b.tree(0, 20, 0, 20)
	d := b.daemon(append([]string{"--watch", b.root, "--reconcile-interval", "1s"}, flags...)...)
	b.finds(e2etest.Question(19), e2etest.SourceName(19))
	b.settled()
	return d
}

// degraded wants an answer in time that names one of reasons. The deadline leaves a loaded machine time
// to hear what the server says.
func (b *bundle) degraded(reasons ...string) {
	b.Helper()
	b.degradedWithin(5*time.Second, reasons...)
}

// late wants the answer of a server that may say nothing until the deadline.
func (b *bundle) late() {
	b.Helper()
	b.degradedWithin(300*time.Millisecond, "redis_unreachable", "deadline")
}

func (b *bundle) degradedWithin(deadline time.Duration, reasons ...string) {
	b.Helper()
	r := b.ask(e2etest.Question(3), "--deadline", deadline.String())
	if r.Status != "degraded" || !slices.ContainsFunc(r.Reasons, func(s string) bool {
		return slices.Contains(reasons, s)
	}) {
		b.Errorf("want a degraded answer for one of %q, got %+v", reasons, r)
	}
	b.within(r, deadline)
}

// healed wants what changed meanwhile, and then an index like a fresh one.
func (b *bundle) healed(d *e2etest.Daemon) {
	b.Helper()
	b.ok(d.Ready(soon))
	b.fresh(questions(0, 22)...)
	if s, err := b.Status(); err != nil || s.Queue.Dead > 0 {
		b.Errorf("dead letters: %+v, %v", s.Queue, err)
	}
}

// change is an edit, an addition and a deletion.
func (b *bundle) change() {
	b.Helper()
	b.tree(20, 22, 0, 20)
	b.write(e2etest.SourceName(1), e2etest.Source(1, 1, 30))
	b.remove(e2etest.SourceName(2))
}

// do sends a command to the server.
func (b *bundle) do(args ...any) {
	b.Helper()
	b.ok(b.redis.Client(b).Do(b.Context(), args...).Err())
}

// info is one figure of the server's INFO.
func (b *bundle) info(section, name string) string {
	b.Helper()
	text, err := b.redis.Client(b).Info(b.Context(), section).Result()
	b.ok(err)
	for line := range strings.Lines(text) {
		if v, ok := strings.CutPrefix(line, name+":"); ok {
			return strings.TrimSpace(v)
		}
	}
	b.Fatalf("no %q in INFO %s", name, section)
	return ""
}

// keys lists the server's keys that match a pattern after the prefix.
func (b *bundle) keys(pattern string) []string {
	b.Helper()
	keys, err := b.redis.Client(b).Keys(b.Context(), b.Prefix+":"+pattern).Result()
	b.ok(err)
	return keys
}

func TestADaemonStartsWithoutRedisAndServesOnceItIsThere(t *testing.T) {
	b := onRedis(t)
	b.redis.Kill(t)
	b.tree(0, 20, 0, 20)
	d := b.daemonNotReady("--watch", b.root, "--reconcile-interval", "1s")
	b.eventually(func() error {
		if code, body := d.Get("/readyz"); code != 503 {
			return fmt.Errorf("/readyz says %d %s", code, body)
		}
		return nil
	})
	b.degraded("redis_unreachable")
	b.change()
	b.redis.Restart(t)
	b.healed(d)
}

func TestAHangingRedisCostsTheDeadlineAndNothingElse(t *testing.T) {
	b := onRedis(t)
	d := b.ready()
	b.redis.Pause(t)
	b.late()
	if code, _ := d.Get("/healthz"); code != 200 {
		b.Errorf("/healthz says %d", code)
	}
	b.change()
	b.redis.Resume(t)
	b.healed(d)
}

func TestALoadingRedisIsWaitedForAndNothingIsMadeAnew(t *testing.T) {
	// Each key takes 30 ms to load, and commands are served in between, with LOADING.
	b := onRedis(t, "--key-load-delay", "30000", "--loading-process-events-interval-bytes", "1024")
	d := b.ready()
	before, err := b.Project(b.root)
	b.ok(err)
	c := b.redis.Client(t)
	for i := range 100 {
		b.ok(c.Set(b.Context(), fmt.Sprintf("%s:filler:%d", b.Prefix, i), "x", 0).Err())
	}
	b.do("BGREWRITEAOF") // only keys of a snapshot take their time
	b.eventually(func() error {
		if b.info("persistence", "aof_rewrite_in_progress")+b.info("persistence", "aof_rewrite_scheduled") != "00" {
			return errors.New("the AOF is being rewritten")
		}
		return nil
	})
	b.redis.Kill(t)
	up := make(chan struct{})
	go func() {
		defer close(up)
		b.redis.Restart(t)
	}()
	b.eventually(func() error {
		if err := c.Get(b.Context(), "x").Err(); rdb.Classify(err) != rdb.Loading {
			return fmt.Errorf("want LOADING, got %w", err)
		}
		return nil
	})
	b.late()
	if code, _ := d.Get("/readyz"); code != 503 {
		b.Errorf("/readyz says %d while Redis loads", code)
	}
	<-up
	b.ok(d.Ready(soon))
	if p, err := b.Project(b.root); err != nil || p.Generation != before.Generation {
		b.Errorf("generation %d, then %d, %v: a loading server was taken for an empty one", before.Generation,
			p.Generation, err)
	}
	b.change()
	b.healed(d)
}

func TestAReadOnlyRedisStillAnswersAndIsWrittenToLater(t *testing.T) {
	b := onRedis(t)
	d := b.ready()
	b.do("REPLICAOF", "127.0.0.1", "1")
	r := b.ask(e2etest.Question(3), "--deadline", patient)
	if !r.Has(e2etest.SourceName(3)) {
		b.Errorf("a replica gives no answer: %+v", r)
	}
	b.change()
	if r, err := b.Exec("indexer", "index", b.root); err != nil || r.Code != 2 || !strings.Contains(r.Err, "READONLY") {
		b.Errorf("index on a replica: %v, %v", r, err)
	}
	b.do("REPLICAOF", "NO", "ONE")
	b.healed(d)
}

func TestARedisWithoutItsMasterDegrades(t *testing.T) {
	b := onRedis(t)
	d := b.ready()
	b.do("CONFIG", "SET", "replica-serve-stale-data", "no")
	b.do("REPLICAOF", "127.0.0.1", "1")
	b.degraded("redis_unreachable")
	b.change()
	b.do("REPLICAOF", "NO", "ONE")
	b.healed(d)
}

func TestARedisOutOfMemoryStillAnswersAndIsWrittenToLater(t *testing.T) {
	b := onRedis(t)
	d := b.ready()
	b.do("CONFIG", "SET", "maxmemory-policy", "noeviction")
	b.do("CONFIG", "SET", "maxmemory", "1mb")
	r := b.ask(e2etest.Question(3), "--deadline", patient)
	if r.Status != "degraded" && !r.Has(e2etest.SourceName(3)) {
		b.Errorf("out of memory: %+v", r)
	}
	b.change()
	if r, err := b.Exec("indexer", "index", b.root); err != nil || r.Code != 2 || !strings.Contains(r.Err, "OOM") {
		b.Errorf("index out of memory: %v, %v", r, err)
	}
	b.eventually(func() error {
		if r := b.ask(e2etest.Question(3), "--deadline", patient); !slices.Contains(r.Reasons, "store_full") {
			return fmt.Errorf("a change that there is no room for: %s %v", r.Status, r.Reasons)
		}
		return nil
	})
	b.do("CONFIG", "SET", "maxmemory", "0")
	b.healed(d)
}

func TestARedisThatEvictsIsNeverFalseAndHeals(t *testing.T) {
	b := onRedis(t)
	d := b.ready()
	b.do("CONFIG", "SET", "maxmemory-policy", "allkeys-random")
	c := b.redis.Client(t)
	for range 4 {
		for i := range 30 { // half of these, and with them about half of the index, will have to go
			b.ok(c.Set(b.Context(), fmt.Sprintf("filler:%d", i), strings.Repeat("x", 20_000), 0).Err())
		}
		used, _ := strconv.Atoi(b.info("memory", "used_memory"))
		before := b.info("stats", "evicted_keys")
		b.do("CONFIG", "SET", "maxmemory", used-300_000)
		b.eventually(func() error {
			if err := c.Set(b.Context(), "filler:x", "x", 0).Err(); rdb.Classify(err) == rdb.OOM {
				return nil
			} else if err != nil {
				return err
			}
			if b.info("stats", "evicted_keys") == before {
				return errors.New("nothing was evicted")
			}
			return nil
		})
		b.do("CONFIG", "SET", "maxmemory", "0")
		for i := range 4 {
			r := b.ask(e2etest.Question(i), "--deadline", patient)
			for _, s := range r.Results {
				if s.Relevance > .9 && s.Path != e2etest.SourceName(i) {
					b.Errorf("a false answer: %+v", s)
				}
			}
		}
	}
	b.change()
	b.healed(d)
}

func TestAFlushedRedisIsFilledAgain(t *testing.T) {
	b := onRedis(t)
	d := b.ready()
	b.do("FLUSHALL")
	if r := b.ask(e2etest.Question(3)); r.Status == "empty" {
		b.Errorf("an empty store is told as nothing relevant: %+v", r)
	}
	b.change()
	b.healed(d)
}

func TestAReplacedRedisIsFilledAgain(t *testing.T) {
	b := onRedis(t, "--appendonly", "no")
	d := b.ready()
	b.redis.Kill(t)
	b.change()
	b.redis.Restart(t) // with nothing in it
	b.healed(d)
}

func TestADroppedSearchIndexIsMadeAgain(t *testing.T) {
	b := onRedis(t)
	d := b.ready()
	list, err := b.redis.Client(t).Do(b.Context(), "FT._LIST").StringSlice()
	b.ok(err)
	for _, name := range list {
		b.do("FT.DROPINDEX", name)
	}
	b.eventually(func() error { // by itself
		if list, err := b.redis.Client(t).Do(b.Context(), "FT._LIST").StringSlice(); err != nil || len(list) == 0 {
			return fmt.Errorf("search indexes %q, %v", list, err)
		}
		return nil
	})
	b.healed(d)
	for _, name := range list {
		b.do("FT.DROPINDEX", name)
	}
	b.degraded("index_missing", "index_building")
	b.change()
	b.healed(d)
}

// Words answer while the graph of the vectors is gone; the question has it made again.
func TestALostGraphOfVectorsLeavesAnswersByWordsAndIsMadeAgain(t *testing.T) {
	b := onRedis(t)
	d := b.ready("--vector-index", "hnsw", "--reconcile-interval", "1h")
	graph := func() string {
		list, err := b.redis.Client(b.T).Do(b.Context(), "FT._LIST").StringSlice()
		b.ok(err)
		i := slices.IndexFunc(list, func(name string) bool { return strings.HasSuffix(name, ":graph") })
		if i < 0 {
			return ""
		}
		return list[i]
	}
	lost := graph()
	b.ok(d.Pause())
	b.do("FT.DROPINDEX", lost)
	for _, i := range []int{3, 5} {
		r := b.ask(e2etest.Question(i), "--deadline", patient)
		if !r.Has(e2etest.SourceName(i)) || r.Status != "ok" || !slices.Equal(r.Reasons, []string{"vectors_building"}) {
			b.Errorf("without the graph: %s %q, %+v", r.Status, r.Reasons, r.Results)
		}
	}
	b.ok(d.Resume())
	b.eventually(func() error {
		if r := b.ask(e2etest.Question(3), "--deadline", patient); graph() != lost || len(r.Reasons) > 0 {
			return fmt.Errorf("graph %q, reasons %q", graph(), r.Reasons)
		}
		return nil
	})
	b.healed(d)
}

func TestAChunkOverwrittenByAnotherTypeIsWrittenAgain(t *testing.T) {
	b := onRedis(t)
	d := b.ready()
	keys := b.keys("c:*")
	for _, k := range keys[:3] {
		b.do("SET", k, "mine")
	}
	b.healed(d) // by itself
	b.change()
	b.healed(d)
}

func TestAManifestOverwrittenByAnotherTypeIsWrittenAgain(t *testing.T) {
	for _, kind := range []string{"f:*", "b:*", "project:*"} {
		t.Run(kind[:len(kind)-2], func(t *testing.T) {
			b := onRedis(t)
			d := b.ready()
			for _, k := range b.keys(kind) {
				b.do("SET", k, "mine")
			}
			b.change()
			b.healed(d)
		})
	}
}

func TestADestroyedGroupIsMadeAgain(t *testing.T) {
	b := onRedis(t)
	d := b.ready()
	b.do("XGROUP", "DESTROY", b.Prefix+":refresh", "indexers")
	b.change()
	b.healed(d)
	b.do("DEL", b.Prefix+":refresh")
	b.write(e2etest.SourceName(4), e2etest.Source(4, 2, 30))
	b.healed(d)
}

func TestQueueKeysOfAnotherTypeStopNothingForGood(t *testing.T) {
	b := onRedis(t)
	d := b.ready()
	for _, k := range []string{"refresh", "due", "inflight", "holders"} {
		b.do("DEL", b.Prefix+":"+k)
		b.do("SET", b.Prefix+":"+k, "mine")
	}
	b.write(e2etest.SourceName(4), e2etest.Source(4, 2, 30))
	if code, _ := d.Get("/healthz"); code != 200 {
		b.Errorf("/healthz says %d", code)
	}
	if r, err := b.Exec("indexer", "enqueue", b.root); err != nil || r.Code != 2 ||
		!strings.Contains(r.Err, "WRONGTYPE") {
		b.Errorf("enqueue into a key of another type: %v, %v", r, err)
	}
	for _, k := range []string{"refresh", "due", "inflight", "holders"} {
		b.do("DEL", b.Prefix+":"+k)
	}
	b.change()
	b.healed(d)
}

func TestTooManyClientsDegradeAnswersOnly(t *testing.T) {
	b := onRedis(t)
	d := b.ready()
	c := b.redis.Client(t) // connected before the limit
	b.ok(c.ConfigSet(b.Context(), "maxclients", "1").Err())
	b.degraded("redis_unreachable")
	b.ok(c.ConfigSet(b.Context(), "maxclients", "1000").Err())
	b.change()
	b.healed(d)
}

func TestAWrongPasswordIsSaidAndIsNoOutage(t *testing.T) {
	b := onRedis(t)
	d := b.ready()
	c := b.redis.Client(t)
	b.ok(c.ConfigSet(b.Context(), "requirepass", "secret").Err())
	b.degraded("redis_auth")
	b.ok(c.Do(b.Context(), "AUTH", "secret").Err())
	b.ok(c.ConfigSet(b.Context(), "requirepass", "").Err())
	b.change()
	b.healed(d)
}

func TestWithoutRediSearchNamesAreFoundAndItIsSaid(t *testing.T) {
	t.Parallel()
	b := newBundle(t, rdbtest.Own(t, rdbtest.Plain))
	b.tree(0, 20, 0, 20)
	d := b.daemon("--watch", b.root)
	b.finds(fmt.Sprintf("%s_%d", e2etest.Word(3), 3), e2etest.SourceName(3))
	b.degraded("search_unsupported")
	b.ok(d.Stop(10*time.Second + slack))
}
