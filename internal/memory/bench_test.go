package memory

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/store"
)

// The targets, with 1,000 items: load of a tier under 5 ms, flash save under 200 ms, diff under 10 ms. Save and Retier
// are what a task costs, Search and NoteInjected what a prompt does.
func BenchmarkMemory(b *testing.B) {
	server := rdbtest.Own(b, rdbtest.Plain)
	for _, on := range []struct {
		name  string
		place func(b *testing.B) func() store.Store
	}{
		{"sqlite", func(b *testing.B) func() store.Store {
			path := filepath.Join(b.TempDir(), "documents.db")
			return func() store.Store { return onSQLite(b, path) }
		}},
		{"redis", func(b *testing.B) func() store.Store {
			prefix := server.Prefix + ":" + b.Name()
			return func() store.Store { return onRedis(b, server, prefix) }
		}},
	} {
		b.Run(on.name, func(b *testing.B) {
			for _, bm := range benchmarks {
				b.Run(bm.name, func(b *testing.B) {
					bed := newBed(b, on.place(b))
					drafts := thousand()
					_, err := bed.SaveAll(b.Context(), knight, drafts)
					bed.ok(err)
					run := bm.prepare(bed)
					run() // warm
					for b.Loop() {
						run()
					}
				})
			}
		})
	}
}

// thousand are 1,000 drafts of some 700 bytes: a third HOT, a third WARM, a third COLD.
func thousand() []Draft {
	text := strings.Fields("the worker claims a project under a lease and renews it while it indexes so that a crash frees it soon after and another one goes on where it stopped")
	drafts := make([]Draft, 1000)
	for i := range drafts {
		var s strings.Builder
		for j := range 120 {
			fmt.Fprintf(&s, "%s%d ", text[(i*7+j*j)%len(text)], (i+j)%17)
		}
		drafts[i] = Draft{Kind: []string{"decision", "fact", "verbose_log"}[i%3],
			Content: fmt.Sprintf("%d: %s", i, s.String()), Tags: []string{"bench"}}
	}
	return drafts
}

var benchmarks = []struct {
	name    string
	prepare func(b *bed) (run func())
}{
	{"TierLoad", func(b *bed) func() {
		return func() {
			items, err := b.Load(context.Background(), knight)
			b.ok(err)
			if len(items) < 300 {
				b.Fatal(len(items))
			}
		}
	}},
	{"TierLoadFirst", func(b *bed) func() { // by a process that has read nothing yet
		st := b.open()
		return func() {
			_, err := b.over(st, Options{}).Load(context.Background(), knight)
			b.ok(err)
		}
	}},
	{"TierLoadAfterAWrite", func(b *bed) func() { // of another process: one item is read again
		two, n := b.again(Options{}), 0
		return func() {
			n++
			_, err := two.Save(context.Background(), knight, Draft{Kind: "task", Content: fmt.Sprint("task ", n%10)})
			b.ok(err)
			_, err = b.Load(context.Background(), knight)
			b.ok(err)
		}
	}},
	{"FlashSave", func(b *bed) func() {
		n := 0
		return func() { // a new agent each time: 1,000 drafts are saved, 333 put away
			n++
			f, err := b.FlashSave(context.Background(), Who{Agent: fmt.Sprint("agent-", n)}, Flash{Drafts: thousand()})
			b.ok(err)
			if f.Archived != 333 {
				b.Fatal(f.Archived)
			}
		}
	}},
	{"FlashSaveOfSaved", func(b *bed) func() { // 1,000 items are there, a few put away
		n := 0
		return func() {
			n++
			_, err := b.FlashSave(context.Background(), knight,
				Flash{Drafts: []Draft{{Kind: "verbose_log", Content: fmt.Sprint("log ", n)}}})
			b.ok(err)
		}
	}},
	{"Diff", func(b *bed) func() {
		items, err := b.Load(context.Background(), knight)
		b.ok(err)
		var held []Held
		for _, it := range items {
			held = append(held, Held{it.ID, it.Hash})
		}
		held = append(held[10:], Held{"mem_gone", "x"})
		return func() {
			d, err := b.Diff(context.Background(), knight, held)
			b.ok(err)
			if len(d.Added) != 10 || len(d.Dropped) != 1 {
				b.Fatal(len(d.Added), d.Dropped)
			}
		}
	}},
	{"Search", func(b *bed) func() {
		return func() {
			hits, err := b.Search(context.Background(), knight, "which lease does the worker3 renew while it indexes7?",
				Filter{Limit: 20})
			b.ok(err)
			if len(hits) == 0 {
				b.Fatal("nothing")
			}
		}
	}},
	{"Save", func(b *bed) func() {
		n := 0
		return func() {
			n++
			_, err := b.Save(context.Background(), knight, Draft{Kind: "fact", Content: fmt.Sprint("fact ", n)})
			b.ok(err)
		}
	}},
	{"Retier", func(b *bed) func() { // a day later: all are written
		return func() {
			b.clock.add(day)
			_, err := b.Retier(context.Background(), knight, "t1")
			b.ok(err)
		}
	}},
	{"NoteInjected", func(b *bed) func() { // a prompt of 6,000 words, a tenth of them new
		n := 0
		steady := thousand()[:45]
		return func() {
			n++
			texts := []string{}
			for _, d := range steady {
				texts = append(texts, d.Content)
			}
			var fresh strings.Builder
			for i := range 600 {
				fmt.Fprintf(&fresh, "w%dx%d ", n, i)
			}
			b.ok(b.NoteInjected(context.Background(), knight, append(texts, fresh.String())...))
		}
	}},
}
