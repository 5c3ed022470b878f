package usage

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/store"
	"github.com/contextd/contextd/internal/store/redis"
	"github.com/contextd/contextd/internal/store/shelves"
	"github.com/contextd/contextd/internal/store/sqlite"
)

// BenchmarkLayouts compares two layouts of what is known of a project's pieces, side by side in one loop: items in 16
// documents by hash and the sums in one, as they are kept, and all in one document. Reported are medians in µs and
// their ratio, one document to 17: a note of 12 pieces, the read of a prompt in another process after it, and the first
// read of a process. Decision 028 says what followed.
func BenchmarkLayouts(b *testing.B) {
	for name, open := range map[string]func(b *testing.B) (store.Store, error){
		"sqlite": func(b *testing.B) (store.Store, error) {
			return sqlite.Open(filepath.Join(b.TempDir(), "documents.db"), slog.New(slog.DiscardHandler))
		},
		"redis": func(b *testing.B) (store.Store, error) {
			server := rdbtest.Own(b, rdbtest.Plain)
			return redis.Open(redis.Options{URL: server.URL, Prefix: server.Prefix, Deadline: time.Minute})
		},
	} {
		for _, pieces := range []int{100, 1000, 10_000} {
			b.Run(fmt.Sprintf("%s/%d", name, pieces), func(b *testing.B) {
				st, err := open(b)
				if err != nil {
					b.Fatal(err)
				}
				defer st.Close()
				compareLayouts(b, st, pieces)
			})
		}
	}
}

func compareLayouts(b *testing.B, st store.Store, pieces int) {
	took := map[string][]time.Duration{}
	timed := func(what string, f func() error) {
		began := time.Now()
		if err := f(); err != nil {
			b.Fatal(err)
		}
		took[what] = append(took[what], time.Since(began))
	}
	layouts := []layout{{"17", 16}, {"one", 0}}
	mine, other := map[string]*shelves.Cache[laid]{}, map[string]*shelves.Cache[laid]{}
	for _, l := range layouts {
		mine[l.name], other[l.name] = l.cache(st), l.cache(st)
		for from := 0; from < pieces; from += 5000 {
			if err := l.note(b.Context(), mine[l.name], from, min(pieces, from+5000)); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := other[l.name].Get(b.Context(), l.shelf()); err != nil {
			b.Fatal(err)
		}
	}
	i := 0
	for b.Loop() {
		from := i * 12 % (pieces - 12)
		i++
		for k := range layouts {
			l := layouts[(k+i)%len(layouts)] // each is first as often
			timed("note-"+l.name, func() error { return l.note(b.Context(), mine[l.name], from, from+12) })
			timed("read-"+l.name, func() error { _, err := other[l.name].Get(b.Context(), l.shelf()); return err })
			timed("first-"+l.name, func() error { _, err := l.cache(st).Get(b.Context(), l.shelf()); return err })
		}
	}
	median := func(what string) float64 {
		all := slices.Sorted(slices.Values(took[what]))
		return float64(all[len(all)/2]) / float64(time.Microsecond)
	}
	for _, what := range []string{"note", "read", "first"} {
		b.ReportMetric(median(what+"-17"), what+"-17-µs")
		b.ReportMetric(median(what+"-one"), what+"-one-µs")
		b.ReportMetric(median(what+"-one")/median(what+"-17"), what+"-ratio")
	}
	b.ReportMetric(0, "ns/op")
}

// layout puts items into so many documents beside the sums; 0: into that of the sums.
type layout struct {
	name string
	docs int
}

// laid is what lies in a layout.
type laid struct {
	items []shard // by document
	sums  int64   // revision of the document of the sums
}

func (l layout) shelf() store.Shelf { return items(l.name) }

func (l layout) of(id string) int { return shardOf(id) % max(1, l.docs) }

func (l layout) cache(st store.Store) *shelves.Cache[laid] {
	return shelves.NewCache(st, 10, nil, func(
		_ context.Context, _ store.Shelf, docs []store.Doc, _ int64, old laid,
	) (laid, error) {
		v := laid{items: make([]shard, max(1, l.docs))}
		for _, d := range docs {
			i := 0
			if d.ID == sumsDoc {
				if v.sums = d.Rev; l.docs > 0 {
					parseSums(d)
					continue
				}
			} else if _, err := fmt.Sscanf(d.ID, "items:%d", &i); err != nil {
				return v, err
			}
			if len(old.items) > i && old.items[i].rev == d.Rev {
				v.items[i] = old.items[i]
				continue
			}
			v.items[i] = shard{d.Rev, parseShard(d.Data)}
		}
		return v, nil
	})
}

// note learns of the pieces from one number to another.
func (l layout) note(ctx context.Context, c *shelves.Cache[laid], from, to int) error {
	_, err := c.Update(ctx, l.shelf(), func(v laid) (ch shelves.Change[laid], err error) {
		next, changed := laid{items: slices.Clone(v.items)}, map[int]bool{}
		for n := from; n < to; n++ {
			id := fmt.Sprintf("internal/shop/cart/file_%04d.go#Cart.method%d", n/8, n)
			i := l.of(id)
			if !changed[i] {
				changed[i], next.items[i].items = true, cloned(v.items[i].items)
			}
			next.items[i].items[id] = next.items[i].items[id].record(true, n%3 == 0, .5, noon)
		}
		if l.docs > 0 {
			for i := range changed {
				ch.Writes = append(ch.Writes, store.Write{ID: shardDoc(i), Data: pack(next.items[i].items),
					If: cmp.Or(v.items[i].rev, store.Absent)})
			}
		}
		data, err := json.Marshal(plainSums{Agents: []Precision{{AgentKind: "knight", Profile: "knight", Shown: to}}})
		if l.docs == 0 {
			data = pack(next.items[0].items) // the few sums would be a head of it
		}
		ch.Writes = append(ch.Writes, store.Write{ID: sumsDoc, Data: data, If: cmp.Or(v.sums, store.Absent)})
		ch.After = func(rev int64) laid {
			next.sums = rev
			for i := range changed {
				next.items[i].rev = rev
			}
			return next
		}
		return ch, err
	})
	return err
}
