package memory

import (
	"fmt"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/store"
)

var boundTests = []test{
	{"an agent's items stay within their number, the oldest COLD go first", func(b *bed) {
		m := b.again(Options{MaxItems: 10})
		for i := range 4 {
			b.clock.add(time.Minute)
			b.save(knight, "verbose_log", fmt.Sprint("log ", i))
		}
		for i := range 20 {
			b.clock.add(time.Minute)
			_, err := m.Save(b.ctx(), knight, Draft{Kind: "fact", Content: fmt.Sprint("fact ", i)})
			b.ok(err)
			live, err := m.read(b.ctx(), placeOf(ScopeTask, knight).live)
			b.ok(err)
			if len(live.items) > 10 {
				b.Fatalf("%d items", len(live.items))
			}
			if i == 7 {
				away, err := m.Archive(b.ctx(), knight, Filter{})
				b.ok(err)
				b.equal("gone first", len(away), 2)
				for _, it := range away {
					if it.Content != "log 0" && it.Content != "log 1" {
						b.Fatalf("%q went first", it.Content)
					}
				}
			}
		}
		b.equal("nothing is lost", len(b.list(knight, Filter{})), 24)
		_, err := m.Get(b.ctx(), knight, b.save(knight, "fact", "fact 19").ID)
		b.ok(err)
	}},
	{"an agent's texts stay within their size", func(b *bed) {
		m := b.again(Options{MaxBytes: 1 << 20})
		for i := range 8 {
			_, err := m.Save(b.ctx(), knight,
				Draft{Kind: "code", Content: fmt.Sprint(i, strings.Repeat(" x", 100<<10))})
			b.ok(err)
		}
		live, err := m.read(b.ctx(), placeOf(ScopeTask, knight).live)
		b.ok(err)
		if live.text > 1<<20 || len(live.items) < 4 {
			b.Fatalf("%d bytes in %d items", live.text, len(live.items))
		}
		b.equal("nothing is lost", len(b.list(knight, Filter{})), 8)
	}},
	{"a batch larger than the bound is archived, not lost", func(b *bed) {
		m := b.again(Options{MaxItems: 10})
		drafts := make([]Draft, 40)
		for i := range drafts {
			drafts[i] = Draft{Kind: "fact", Content: fmt.Sprint("fact ", i)}
		}
		_, err := m.SaveAll(b.ctx(), knight, drafts)
		b.ok(err)
		s, err := m.Stats(b.ctx(), knight, nil)
		b.ok(err)
		if s.Total != 40 || s.Warm > 10 || s.Archived < 30 {
			b.Fatalf("%+v", s)
		}
	}},
	{"the archive keeps its bound, the oldest are dropped", func(b *bed) {
		m := b.again(Options{MaxArchived: 5})
		for i := range 8 {
			b.clock.add(time.Minute)
			_, err := m.Save(b.ctx(), knight, Draft{Kind: "verbose_log", Content: fmt.Sprint("log ", i)})
			b.ok(err)
			_, err = m.FlashSave(b.ctx(), knight, Flash{})
			b.ok(err)
		}
		away, err := m.Archive(b.ctx(), knight, Filter{})
		b.ok(err)
		b.equal("archive", texts(away), "[log 7 log 6 log 5 log 4 log 3]")
	}},
	{"old checkpoints are dropped", func(b *bed) {
		m := b.again(Options{Checkpoints: 3})
		var made []string
		for range 6 {
			f, err := m.FlashSave(b.ctx(), knight, Flash{})
			b.ok(err)
			made = append(made, f.CheckpointID)
		}
		all, err := m.Checkpoints(b.ctx(), knight.Agent)
		b.ok(err)
		b.equal("kept", fmt.Sprint(len(all), all[0].ID, all[2].ID), fmt.Sprint(3, made[5], made[3]))
	}},
	{"what is known of injected texts stays bounded, the latest is known", func(b *bed) {
		prompt := func(n, words int) string {
			var t strings.Builder
			for i := range words {
				fmt.Fprintf(&t, "w%dx%d ", n, i)
			}
			return t.String()
		}
		steady := prompt(1000, 3000) // in each prompt, as the stable part of one is
		for n := range 12 {
			b.ok(b.NoteInjected(b.ctx(), knight, steady, prompt(n, 12_000)))
			b.ok(b.NoteInjected(b.ctx(), knight, fmt.Sprint("small piece ", n)))
		}
		in, err := b.again(Options{}).injected.Get(b.ctx(), injectedShelves(knight)[0])
		b.ok(err)
		if len(in.all) > maxInjected || len(in.all) < maxInjected/2 || len(in.segments) > 20 {
			b.Fatalf("%d hashes in %d segments", len(in.all), len(in.segments))
		}
		for n, want := range map[int]float64{11: 1, 10: 1, 0: 0} {
			b.equal(fmt.Sprint("prompt ", n), shareOf(in, prompt(n, 12_000)), want)
		}
		b.equal("steady", shareOf(in, steady), 1)
		b.ok(b.NoteInjected(b.ctx(), knight, steady, prompt(11, 12_000))) // steady may have been about to go
		in, err = b.injected.Get(b.ctx(), injectedShelves(knight)[0])
		b.ok(err)
		before := in
		b.ok(b.NoteInjected(b.ctx(), knight, steady, prompt(11, 12_000)))
		in, err = b.injected.Get(b.ctx(), injectedShelves(knight)[0])
		b.ok(err)
		b.equal("the same again is not written", in == before, true)
	}},
	{"damaged notes of injected texts are told", func(b *bed) {
		for i, data := range []string{
			"", "\x02", "\x01abc", "\x01" + strings.Repeat("\xff", 8) + strings.Repeat("\x00", 8),
		} {
			agent := fmt.Sprint("agent-", i)
			_, err := b.st.Apply(b.ctx(), store.Shelf{Bucket: bucketInjected, Owner: agent},
				store.Write{ID: "1", Data: append([]byte{}, data...)})
			b.ok(err)
			if _, err := b.Save(b.ctx(), Who{Agent: agent}, Draft{Kind: "fact", Content: "x"}); err == nil {
				b.Fatalf("%q is taken", data)
			}
		}
	}},
	{"a cache that is too small changes nothing", func(b *bed) {
		m := b.again(Options{CacheBytes: 1})
		for i := range 3 {
			_, err := m.Save(b.ctx(), knight, Draft{Kind: "fact", Content: fmt.Sprint("fact ", i)})
			b.ok(err)
		}
		items, err := m.List(b.ctx(), knight, Filter{})
		b.ok(err)
		b.equal("items", len(items), 3)
		if m.items.Size() > 1 {
			b.Fatalf("%d bytes are kept", m.items.Size())
		}
	}},
	{"large changes are made in steps", func(b *bed) {
		var ids []string
		for range 3 {
			drafts := make([]Draft, 40)
			for i := range drafts {
				drafts[i] = Draft{Kind: "verbose_log", Content: fmt.Sprint(len(ids), i, strings.Repeat("y", 240<<10))}
			}
			all, err := b.SaveAll(b.ctx(), knight, drafts)
			b.ok(err)
			for _, s := range all {
				ids = append(ids, s.Item.ID)
			}
		}
		n, err := b.Touch(b.ctx(), knight, ids...)
		b.ok(err)
		b.equal("touched", n, 120)
		items, err := b.List(b.ctx(), knight, Filter{})
		b.ok(err)
		for _, it := range items {
			b.equal("accesses", it.AccessCount, 1)
		}
		f, err := b.FlashSave(b.ctx(), knight, Flash{})
		b.ok(err)
		b.equal("archived", f.Archived, 120)
		n, err = b.Touch(b.ctx(), knight, ids...)
		b.ok(err)
		b.equal("touched where they were put away", n, 120)
		left, _, err := b.st.All(b.ctx(), placeOf(ScopeTask, knight).archive)
		b.ok(err)
		b.equal("left behind in the archive", len(left), 0)
	}},
}
