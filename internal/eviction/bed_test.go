package eviction

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/search/local"
	"github.com/contextd/contextd/internal/search/redisearch"
	sqlitestore "github.com/contextd/contextd/internal/store/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bed is an Evictor over a real index.
type bed struct {
	*Evictor
	dir    string        // the state directory; "" on Redis
	client *redis.Client // nil in files
	gone   []string      // what was evicted
	made   int           // how often Server.MakeRoom was called
}

func inFiles(t *testing.T, log *slog.Logger) *bed {
	t.Helper()
	b := &bed{dir: t.TempDir()}
	indexes := filepath.Join(b.dir, "projects")
	x, err := local.Open(local.Options{Dir: indexes, Log: log})
	b.Evictor = InFiles(b.options(t, x, err, log),
		Files{StateDir: b.dir, Indexes: indexes, Damaged: func() ([]string, error) {
			return sqlitestore.Aside(filepath.Join(b.dir, "documents.db"))
		}})
	return b
}

func onRedis(t *testing.T, log *slog.Logger) *bed {
	t.Helper()
	s := rdbtest.Own(t, rdbtest.Search)
	b := &bed{client: s.Client(t)}
	x, err := redisearch.Open(redisearch.Options{URL: s.URL, Prefix: s.Prefix, Log: log})
	b.Evictor = OnRedis(b.options(t, x, err, log),
		Server{Client: b.client, Prefix: s.Prefix, MakeRoom: func(context.Context) { b.made++ }})
	t.Cleanup(b.Wait)
	return b
}

func (b *bed) options(t *testing.T, x search.Index, err error, log *slog.Logger) Options {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	removed := func(_ context.Context, project string) { b.gone = append(b.gone, project) }
	return Options{Index: x, MaxBytes: 1 << 40, Log: log, Removed: removed}
}

// both runs a test over either kind of index.
func both(t *testing.T, test func(t *testing.T, b *bed)) {
	for name, open := range map[string]func(*testing.T, *slog.Logger) *bed{"files": inFiles, "redis": onRedis} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t, slog.New(slog.DiscardHandler)))
		})
	}
}

// bring indexes a project of n files and notes it, as a run does.
func bring(t *testing.T, b *bed, id string, n int) {
	t.Helper()
	ctx := context.Background()
	w, err := b.opts.Index.Writer(ctx, search.Spec{Project: id, Root: "/" + id, Model: search.Model{Embedder: "none"}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if err := w.Touch(ctx, search.Entry{Path: fmt.Sprintf("%s-%04d.bin", id, i), Skip: code.Binary,
			Detail: strings.Repeat("d", 50)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Commit(ctx, true); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := b.Evict(ctx, id, Client); err != nil {
		t.Fatal(err)
	}
}

// setUse notes when a project was brought and queried, ago; 0: never queried.
func setUse(t *testing.T, b *bed, id string, brought, queried time.Duration) {
	t.Helper()
	at := func(ago time.Duration) time.Time {
		if ago == 0 {
			return time.Unix(0, 0)
		}
		return time.Now().Add(-ago)
	}
	var err error
	switch n := b.notes.(type) {
	case fileNotes:
		err = errors.Join(os.MkdirAll(filepath.Dir(n.path(id)), 0o700),
			os.WriteFile(n.path(id), fmt.Append(nil, at(brought).UnixMilli()), 0o600),
			os.Chtimes(n.path(id), at(queried), at(queried)))
	case *redisNotes:
		err = n.Client.HSet(t.Context(), n.key(), id,
			fmt.Sprintf("%d %d", at(brought).UnixMilli(), at(queried).UnixMilli())).Err()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func ids(t *testing.T, b *bed) string {
	t.Helper()
	projects, err := b.opts.Index.Projects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, p := range projects {
		all = append(all, p.ID)
	}
	return strings.Join(all, " ")
}

// bytesOf is how many bytes of indexes there are.
func bytesOf(t *testing.T, b *bed) int64 {
	t.Helper()
	limit := b.opts.MaxBytes
	b.opts.MaxBytes = 0
	defer func() { b.opts.MaxBytes = limit }()
	r, err := b.rooms.look(t.Context(), ids(t, b)[:1])
	if err != nil {
		t.Fatal(err)
	}
	n, err := r.over(t.Context())
	if err != nil || n <= 0 {
		t.Fatalf("%d bytes, %v", n, err)
	}
	return n
}
