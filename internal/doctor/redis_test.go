package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/presence"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/search"
)

// bundle is a Redis of its own with one indexed project.
type bundle struct {
	*testing.T
	server *rdbtest.Server
	client *redis.Client
	opts   backend.Options
}

func onRedis(t *testing.T, args ...string) *bundle {
	t.Helper()
	s := rdbtest.Own(t, rdbtest.Search, args...)
	b := &bundle{t, s, s.Client(t), backend.Options{StateDir: filepath.Join(t.TempDir(), "state"), Redis: s.URL,
		Prefix: s.Prefix}}
	b.index("web", search.Model{Embedder: "none"})
	return b
}

// index makes a project of 20 files of a chunk each.
func (b *bundle) index(project string, m search.Model) {
	b.Helper()
	back, err := backend.Open(b.opts)
	b.ok(err)
	defer back.Close()
	write(b.T, back, project, b.TempDir(), m)
}

func write(t *testing.T, back *backend.Backend, project, root string, m search.Model) {
	t.Helper()
	ctx := t.Context()
	w, err := back.Index.Writer(ctx, search.Spec{Project: project, Root: root, Model: m})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for i := range 20 {
		path := fmt.Sprintf("f%d.go", i)
		f := &code.File{Path: path, Language: "go", Lines: 1, Chunks: []code.AnalyzedChunk{
			{Chunk: code.Chunk{Span: code.Span{Start: 1, End: 1}, Text: fmt.Sprintf("package f%d\n", i)}}}}
		doc := search.Document{File: f,
			Entry: search.Entry{Path: path, Hash: code.HashOf([]byte(path)), Language: "go", Size: 10}}
		if m.Dims > 0 {
			doc.Vectors = [][]float32{make([]float32, m.Dims)}
			doc.Vectors[0][0] = 1
		}
		if err := w.Put(ctx, doc); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Commit(ctx, true); err != nil {
		t.Fatal(err)
	}
}

func (b *bundle) ok(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *bundle) do(args ...any) {
	b.Helper()
	b.ok(b.client.Do(b.Context(), args...).Err())
}

// keys lists the server's keys that match a pattern after the prefix.
func (b *bundle) keys(pattern string) []string {
	b.Helper()
	keys, err := b.client.Keys(b.Context(), b.server.Prefix+":"+pattern).Result()
	b.ok(err)
	if len(keys) == 0 {
		b.Fatalf("no key %q", pattern)
	}
	return keys
}

// wants examines, wants exactly one check to fail, with a part of its detail and of its hint.
func (b *bundle) wants(name, detail, hint string) {
	b.Helper()
	found := examine(b.T, b.opts, nil)
	wantFailing(b.T, found, name)
	if c := found[name]; !strings.Contains(c.Detail, detail) || !strings.Contains(c.Hint, hint) {
		b.Errorf("want %q and the hint %q, got %+v", detail, hint, c)
	}
}

func TestAWholeIndexOnRedisPasses(t *testing.T) {
	t.Parallel()
	b := onRedis(t)
	wantFailing(t, examine(t, b.opts, nil))
}

func TestAReplicaIsNamed(t *testing.T) {
	t.Parallel()
	b := onRedis(t)
	b.do("REPLICAOF", "127.0.0.1", "1")
	b.wants("redis writes", "replica", "primary")
}

func TestAMasterThatIsAwayIsNamed(t *testing.T) {
	t.Parallel()
	b := onRedis(t)
	b.do("CONFIG", "SET", "replica-serve-stale-data", "no")
	b.do("REPLICAOF", "127.0.0.1", "1")
	b.wants("backend", "MASTERDOWN", "wait")
}

func TestAServerThatCannotSaveIsNamed(t *testing.T) {
	t.Parallel()
	b := onRedis(t)
	dir, err := b.client.ConfigGet(b.Context(), "dir").Result()
	b.ok(err)
	b.ok(os.Mkdir(filepath.Join(dir["dir"], "dump.rdb"), 0o700)) // no snapshot can take this name
	b.do("BGSAVE")
	for {
		info, err := b.client.Info(b.Context(), "persistence").Result()
		b.ok(err)
		if strings.Contains(info, "rdb_last_bgsave_status:err") {
			break
		}
	}
	b.wants("redis writes", "snapshot", "disk")
}

func TestAFullServerIsNamed(t *testing.T) {
	t.Parallel()
	b := onRedis(t)
	used, err := b.client.Info(b.Context(), "memory").Result()
	b.ok(err)
	f := 0
	_, err = fmt.Sscanf(used[strings.Index(used, "used_memory:"):], "used_memory:%d", &f)
	b.ok(err)
	b.do("CONFIG", "SET", "maxmemory", f+f/20)
	b.wants("redis memory", "over 90 %", "raise maxmemory")
	b.do("CONFIG", "SET", "maxmemory", "1mb")
	b.wants("redis memory", "nothing is indexed", "raise maxmemory")
}

func TestAServerThatEvictsIsNamed(t *testing.T) {
	t.Parallel()
	b := onRedis(t)
	b.do("CONFIG", "SET", "maxmemory-policy", "volatile-lru")
	wantFailing(t, examine(t, b.opts, nil))
	b.do("CONFIG", "SET", "maxmemory-policy", "allkeys-lfu")
	b.wants("redis eviction", "allkeys-lfu", "noeviction")
}

func TestALostOrIncompleteIndexIsNamed(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		harm   func(b *bundle)
		detail string
	}{
		"index dropped": {func(b *bundle) {
			list, err := b.client.Do(b.Context(), "FT._LIST").StringSlice()
			b.ok(err)
			b.do("FT.DROPINDEX", list[0])
		}, "is gone"},
		"chunks evicted":       {func(b *bundle) { b.do("DEL", b.keys("c:*")[0]) }, "19 of 20 chunks"},
		"a chunk overwritten":  {func(b *bundle) { b.do("SET", b.keys("c:*")[0], "mine") }, "19 of 20 chunks"},
		"entries gone":         {func(b *bundle) { b.do("DEL", b.keys("f:*")[0]) }, "0 of 20 entries"},
		"blobs gone":           {func(b *bundle) { b.do("HDEL", b.keys("b:*")[0], "f3.go") }, "19 of 20 feature blobs"},
		"blobs of other type":  {func(b *bundle) { b.do("SET", b.keys("b:*")[0], "mine") }, "WRONGTYPE"},
		"record of other type": {func(b *bundle) { b.do("HSET", b.keys("project:*")[0], "files", "many") }, "damaged"},
		"record gone":          {func(b *bundle) { b.do("DEL", b.keys("project:*")[0]) }, "no such project"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := onRedis(t)
			tc.harm(b)
			b.wants("indexes", tc.detail, "indexer index DIR")
		})
	}
}

func TestDaemonsOfOtherHostsAreNamed(t *testing.T) {
	t.Parallel()
	b := onRedis(t)
	back, err := backend.Open(b.opts)
	b.ok(err)
	defer back.Close()
	for _, host := range []string{"north", "south"} {
		_, err := back.Register(b.Context(), presence.Daemon{Owner: host, Host: host, Backend: backend.Redis},
			new(presence.Mark))
		b.ok(err)
	}
	b.wants("daemon", "north, south", "--prefix")
}

func TestABacklogIsNamed(t *testing.T) {
	t.Parallel()
	b := onRedis(t)
	back, err := backend.Open(b.opts)
	b.ok(err)
	defer back.Close()
	q, err := back.Queue()
	b.ok(err)
	for i := range 101 {
		_, err := q.Push(b.Context(), queue.Request{Project: fmt.Sprintf("p%d", i), Root: "/srv/p", At: time.Now()})
		b.ok(err)
	}
	b.wants("queue", "101 projects wait", "--workers")
}

func TestALoadingServerIsNamed(t *testing.T) {
	t.Parallel()
	// Each key of a snapshot takes 30 ms to load, and commands are answered in between.
	b := onRedis(t, "--key-load-delay", "30000", "--loading-process-events-interval-bytes", "1024")
	for i := range 100 {
		b.do("SET", fmt.Sprintf("filler:%d", i), "x")
	}
	b.do("BGREWRITEAOF")
	for {
		info, err := b.client.Info(b.Context(), "persistence").Result()
		b.ok(err)
		if strings.Contains(info, "aof_rewrite_in_progress:0") && strings.Contains(info, "aof_rewrite_scheduled:0") {
			break
		}
	}
	b.server.Kill(t)
	up := make(chan struct{})
	go func() {
		defer close(up)
		b.server.Restart(t)
	}()
	for {
		if err := b.client.Get(b.Context(), "x").Err(); rdb.Classify(err) == rdb.Loading {
			break
		} else if err == nil || errors.Is(err, redis.Nil) {
			b.Error("the server was never seen loading")
			break
		}
	}
	b.wants("backend", "LOADING", "wait")
	<-up
	wantFailing(t, examine(t, b.opts, nil))
}

func TestAHangingServerIsNamed(t *testing.T) {
	t.Parallel()
	b := onRedis(t)
	back, err := backend.Open(b.opts)
	b.ok(err)
	defer back.Close()
	b.server.Pause(t)
	defer b.server.Resume(t)
	ctx, cancel := context.WithTimeout(b.Context(), 300*time.Millisecond)
	defer cancel()
	if c := reachable(ctx, back, ""); c.OK || !strings.Contains(c.Hint, "does not answer") {
		t.Errorf("%+v", c)
	}
}

func TestAUserWhoMayNotAskIsNoFault(t *testing.T) {
	t.Parallel()
	b := onRedis(t)
	b.do("ACL", "SETUSER", "contextd", "on", ">right", "~*", "+@all", "-info")
	b.opts.Redis = strings.Replace(b.server.URL, "://", "://contextd:right@", 1)
	found := examine(t, b.opts, nil)
	wantFailing(t, found)
	if c := found["redis"]; !strings.Contains(c.Detail, "not checked") {
		t.Errorf("%+v", c)
	}
}

func TestClocksThatDifferAreNamed(t *testing.T) {
	t.Parallel()
	for skew, ok := range map[time.Duration]bool{
		0:                true,
		-4 * time.Second: true,
		6 * time.Second:  false,
		-time.Hour:       false,
	} {
		if c := clock(skew); c.OK != ok || !ok && c.Hint == "" {
			t.Errorf("%s: %+v", skew, c)
		}
	}
}

func TestOtherEmbeddersAreNamed(t *testing.T) {
	t.Parallel()
	b := onRedis(t)
	b.index("api", search.Model{Embedder: "server/m", Dims: 8})
	for _, tc := range []struct {
		set   search.Model
		names []string
		want  string
	}{
		{search.Model{Embedder: "server/m", Dims: 8}, []string{"models"}, "web (none)"},
		{search.Model{Embedder: "server/m", Dims: 16}, []string{"models"}, "api (8 dimensions), web (none)"},
	} {
		found := examine(t, b.opts, func(o *Options) {
			o.Embedder = func() (search.Model, error) { return tc.set, nil }
		})
		wantFailing(t, found, tc.names...)
		if c := found["models"]; !strings.Contains(c.Detail, tc.want) {
			t.Errorf("%+v, want %q", c, tc.want)
		}
	}
}

func TestADamagedEmbeddedIndexIsNamed(t *testing.T) {
	t.Parallel()
	for _, harm := range []string{"CURRENT", "seg-*"} {
		t.Run(harm, func(t *testing.T) {
			t.Parallel()
			o := backend.Options{StateDir: filepath.Join(t.TempDir(), "state")}
			back, err := backend.Open(o)
			if err != nil {
				t.Fatal(err)
			}
			write(t, back, "web", t.TempDir(), search.Model{Embedder: "none"})
			if err := back.Close(); err != nil {
				t.Fatal(err)
			}
			wantFailing(t, examine(t, o, nil))
			files, _ := filepath.Glob(filepath.Join(o.StateDir, "projects", "*", harm))
			if len(files) != 1 {
				t.Fatalf("files %v", files)
			}
			data, err := os.ReadFile(files[0])
			if err != nil {
				t.Fatal(err)
			}
			data[len(data)-3] ^= 0xff
			data[20] ^= 0xff
			if err := os.WriteFile(files[0], data, 0o600); err != nil {
				t.Fatal(err)
			}
			wantFailing(t, examine(t, o, nil), "indexes")
		})
	}
}
