package vectors

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
)

// cache is one of both backings, with a clock where it has one.
type cache interface {
	embed.Vectors
	Close() error
}

// onBoth runs a test on both backings, with a bound in bytes.
func onBoth(t *testing.T, bound int64, test func(t *testing.T, c cache, raw func() string)) {
	t.Run("file", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "vectors.db")
		f := InFile(path, bound, time.Now)
		t.Cleanup(func() { _ = f.Close() })
		test(t, f, func() string {
			var all strings.Builder
			for _, tail := range []string{"", "-wal"} {
				b, _ := os.ReadFile(path + tail)
				all.Write(b)
			}
			return all.String()
		})
	})
	t.Run("redis", func(t *testing.T) {
		t.Parallel()
		s := rdbtest.Start(t, rdbtest.Plain)
		client := s.Client(t)
		test(t, OnRedis(client, s.Prefix, bound), func() string {
			all := ""
			for _, key := range []string{":vectors", ":vectors:old"} {
				m, err := client.HGetAll(t.Context(), s.Prefix+key).Result()
				if err != nil {
					t.Fatal(err)
				}
				for k, v := range m {
					all += k + v
				}
			}
			return all
		})
	})
}

func text(i int) embed.Text {
	return embed.Text{Path: "secret/path.go", Body: fmt.Sprintf("the hidden body %d", i), Names: []string{"Hidden"}}
}

func key(i int) embed.Key { return embed.KeyOf("server/model", 4, text(i)) }

func put(t *testing.T, c cache, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		if err := c.Put(t.Context(), []embed.Key{key(i)}, [][]float32{{1, .5, 0, -1}}); err != nil {
			t.Fatal(err)
		}
	}
}

func has(t *testing.T, c cache, from, to int) (n int) {
	t.Helper()
	for i := from; i < to; i++ {
		v, err := c.Get(t.Context(), []embed.Key{key(i)})
		if err != nil || len(v) != 1 {
			t.Fatal(v, err)
		}
		if v[0] != nil {
			n++
		}
	}
	return n
}

func TestAVectorIsFoundByItsTextAndEmbedderAlone(t *testing.T) {
	t.Parallel()
	onBoth(t, 1<<20, func(t *testing.T, c cache, raw func() string) {
		if n := has(t, c, 0, 1); n != 0 {
			t.Fatal("found before it was put")
		}
		put(t, c, 0, 3)
		v, err := c.Get(t.Context(), []embed.Key{key(2), key(9), key(0), key(2)})
		if err != nil || len(v) != 4 || v[0] == nil || v[1] != nil || v[2] == nil || v[3] == nil {
			t.Fatalf("%v, %v", v, err)
		}
		if d := v[0][1] - .5; len(v[0]) != 4 || v[0][0] != 1 || v[0][3] != -1 || d > .01 || d < -.01 {
			t.Errorf("came back as %v", v[0])
		}
		other := text(0)
		other.Path = "x"
		for name, k := range map[string]embed.Key{"embedder": embed.KeyOf("other", 4, text(0)), "length": embed.KeyOf("server/model", 8, text(0)), "path": embed.KeyOf("server/model", 4, other)} {
			if v, err := c.Get(t.Context(), []embed.Key{k}); err != nil || v[0] != nil {
				t.Errorf("another %s finds it: %v, %v", name, v, err)
			}
		}
		stored := raw()
		if !strings.Contains(stored, string(keyBytes(0))) {
			t.Error("the test does not see what is stored")
		}
		for _, hidden := range []string{"secret/path", "hidden body", "Hidden", "server/model"} {
			if strings.Contains(stored, hidden) {
				t.Errorf("%q is stored", hidden)
			}
		}
	})
}

func keyBytes(i int) []byte { k := key(i); return k[:] }

func TestVectorsAreBoundedInBytes(t *testing.T) {
	t.Parallel()
	const bound = 64 << 10
	onBoth(t, bound, func(t *testing.T, c cache, raw func() string) {
		ctx := context.Background()
		many := func(from int) {
			keys, vectors := make([]embed.Key, 100), make([][]float32, 100)
			for i := range keys {
				keys[i], vectors[i] = key(from+i), make([]float32, 100)
				vectors[i][0] = 1
			}
			if err := c.Put(ctx, keys, vectors); err != nil {
				t.Fatal(err)
			}
		}
		for round := range 20 {
			many(1000 + 100*round)
		}
		if n := has(t, c, 2900, 3000); n == 0 {
			t.Error("the newest are gone")
		}
		if n := has(t, c, 1000, 3000); n < 100 || n*104 > bound {
			t.Errorf("%d vectors of 104 bytes in %d", n, bound)
		}
	})
}

func TestVectorsThatNobodyUsesAreForgotten(t *testing.T) {
	t.Parallel()
	path, now := filepath.Join(t.TempDir(), "vectors.db"), time.Now()
	open := func() *File {
		f := InFile(path, 1<<20, func() time.Time { return now })
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	f := open()
	put(t, f, 0, 2)
	now = now.Add(keep - time.Hour)
	if n := has(t, f, 0, 1); n != 1 {
		t.Fatal("forgotten too soon")
	}
	now = now.Add(2 * time.Hour)
	put(t, open(), 2, 3)
	if a, b := has(t, f, 0, 1), has(t, f, 1, 2); a != 1 || b != 0 {
		t.Errorf("used: %d, unused: %d", a, b)
	}
	s := rdbtest.Start(t, rdbtest.Plain)
	put(t, OnRedis(s.Client(t), s.Prefix, 1<<20), 0, 1)
	if ttl, err := s.Client(t).TTL(t.Context(), s.Prefix+":vectors").Result(); err != nil || ttl <= 0 || ttl > keep {
		t.Errorf("kept on Redis for %v, %v", ttl, err)
	}
}

func TestADamagedFileOfVectorsIsBegunAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "vectors.db")
	if err := os.WriteFile(path, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	f := InFile(path, 1<<20, time.Now)
	t.Cleanup(func() { _ = f.Close() })
	put(t, f, 0, 1)
	if n := has(t, f, 0, 1); n != 1 {
		t.Error("not kept")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(encode([]float32{1, -1}))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, x := range decode(b) {
			if x != x || x-x != 0 {
				t.Errorf("%v", x)
			}
		}
	})
}
