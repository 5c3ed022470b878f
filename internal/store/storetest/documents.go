package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/contextd/contextd/internal/store"
)

var documentTests = []test{
	{"nothing is there at first, and looking makes nothing", func(b *bundle) {
		docs, rev := b.docs(agent)
		b.equal("documents", docs, []string{})
		b.equal("revision", rev, 0)
		_, err := b.Get(b.ctx(), agent, "a")
		b.equal("is not found", errors.Is(err, store.ErrNotFound), true)
		rev, err = b.Apply(b.ctx(), agent)
		b.ok(err)
		b.equal("revision after no change", rev, 0)
		owners, err := b.Owners(b.ctx(), agent.Bucket)
		b.ok(err)
		b.equal("owners", owners, []string{})
	}},
	{"what is written is read, by id, with its revision", func(b *bundle) {
		first := b.put("b", "2", "a", "1")
		second := b.put("b", "3", "c", "")
		if first < 1 || second <= first {
			b.Fatalf("revisions %d, %d do not grow", first, second)
		}
		for _, s := range []store.Store{b.Store, b.Open()} {
			all, rev, err := s.All(b.ctx(), agent)
			b.ok(err)
			b.equal("documents", all, []store.Doc{{ID: "a", Rev: first, Data: []byte("1")},
				{ID: "b", Rev: second, Data: []byte("3")}, {ID: "c", Rev: second, Data: []byte{}}})
			b.equal("revision", rev, second)
			d, err := s.Get(b.ctx(), agent, "c")
			b.ok(err)
			b.equal("an empty document", d, store.Doc{ID: "c", Rev: second, Data: []byte{}})
			rev, err = s.Rev(b.ctx(), agent)
			b.ok(err)
			b.equal("revision", rev, second)
		}
	}},
	{"any bytes come back as they were", func(b *bundle) {
		data := make([]byte, 512)
		for i := range data {
			data[i] = byte(i)
		}
		big := bytes.Repeat([]byte("x"), store.MaxData)
		_, err := b.Apply(b.ctx(), agent, store.Write{ID: "bytes", Data: data}, store.Write{ID: "big", Data: big})
		b.ok(err)
		all, _, err := b.All(b.ctx(), agent)
		b.ok(err)
		if len(all) != 2 || !bytes.Equal(all[0].Data, big) || !bytes.Equal(all[1].Data, data) {
			b.Fatal("they differ")
		}
	}},
	{"removed documents are gone, the revision goes on", func(b *bundle) {
		b.put("a", "1", "b", "2")
		rev, err := b.Apply(b.ctx(), agent, store.Write{ID: "a"}, store.Write{ID: "never there"},
			store.Write{ID: "c", Data: []byte("3")})
		b.ok(err)
		docs, at := b.docs(agent)
		b.equal("documents", docs, []string{"b=2", "c=3"})
		b.equal("revision", at, rev)
		last, err := b.Apply(b.ctx(), agent, store.Write{ID: "b"}, store.Write{ID: "c"})
		b.ok(err)
		docs, at = b.docs(agent)
		b.equal("documents", docs, []string{})
		if at != last || last <= rev {
			b.Fatalf("revision %d, then %d and %d: it does not grow", rev, last, at)
		}
		if again := b.put("a", "1"); again <= last {
			b.Fatalf("revision %d after %d", again, last)
		}
	}},
	{"a condition that fails stops the whole change", func(b *bundle) {
		rev := b.put("a", "1", "b", "2")
		newer := b.put("b", "3")
		for name, writes := range map[string][]store.Write{
			"an old revision":   {{ID: "a", Data: []byte("x"), If: rev}, {ID: "b", Data: []byte("x"), If: rev}},
			"it is there":       {{ID: "c", Data: []byte("x")}, {ID: "a", Data: []byte("x"), If: store.Absent}},
			"it is not there":   {{ID: "a", Data: []byte("x")}, {ID: "d", Data: []byte("x"), If: rev}},
			"removing another":  {{ID: "a"}, {ID: "b", If: rev}},
			"a revision to be":  {{ID: "a", Data: []byte("x"), If: newer + 1}},
			"that of the shelf": {{ID: "a", Data: []byte("x"), If: newer}},
		} {
			_, err := b.Apply(b.ctx(), agent, writes...)
			if !errors.Is(err, store.ErrConflict) || !strings.Contains(err.Error(), `memory "knight-1"`) {
				b.Errorf("%s: %v, want a conflict that names the shelf", name, err)
			}
		}
		docs, at := b.docs(agent)
		b.equal("documents", docs, []string{"a=1", "b=3"})
		b.equal("revision", at, newer)
		_, err := b.Apply(b.ctx(), agent, store.Write{ID: "a", Data: []byte("4"), If: rev},
			store.Write{ID: "b", If: newer}, store.Write{ID: "c", Data: []byte("5"), If: store.Absent})
		b.ok(err)
		docs, _ = b.docs(agent)
		b.equal("documents", docs, []string{"a=4", "c=5"})
	}},
	{"a document made again does not pass for the old one", func(b *bundle) {
		rev := b.put("a", "1")
		_, err := b.Apply(b.ctx(), agent, store.Write{ID: "a"})
		b.ok(err)
		b.put("a", "1")
		if _, err := b.Apply(b.ctx(), agent, store.Write{ID: "a", Data: []byte("2"), If: rev}); !errors.Is(err,
			store.ErrConflict) {
			b.Fatalf("%v, want a conflict", err)
		}
	}},
	{"shelves are apart", func(b *bundle) {
		b.put("a", "1")
		for _, sh := range []store.Shelf{{Bucket: "memory", Owner: "knight-2"}, {Bucket: "usage", Owner: "knight-1"}} {
			docs, rev := b.docs(sh)
			b.equal(sh.String(), docs, []string{})
			b.equal("revision", rev, 0)
		}
	}},
	{"owners are those with documents, sorted", func(b *bundle) {
		for _, owner := range []string{"z", "a:b", "a", "gone"} {
			_, err := b.Apply(b.ctx(), store.Shelf{Bucket: "memory", Owner: owner},
				store.Write{ID: "x", Data: []byte("1")})
			b.ok(err)
		}
		_, err := b.Apply(b.ctx(), store.Shelf{Bucket: "memory", Owner: "gone"}, store.Write{ID: "x"})
		b.ok(err)
		_, err = b.Apply(b.ctx(), store.Shelf{Bucket: "history", Owner: "h"}, store.Write{ID: "x", Data: []byte("1")})
		b.ok(err)
		owners, err := b.Owners(b.ctx(), "memory")
		b.ok(err)
		b.equal("owners", owners, []string{"a", "a:b", "z"})
	}},
	{"a thousand documents are one change", func(b *bundle) {
		var pairs, want []string
		for i := range 1000 {
			pairs = append(pairs, fmt.Sprintf("%04d", i), strings.Repeat("x", i))
			want = append(want, fmt.Sprintf("%04d=%s", i, strings.Repeat("x", i)))
		}
		b.put(pairs...)
		docs, _ := b.docs(agent)
		b.equal("documents", docs, want)
	}},
	{"what comes back is the caller's", func(b *bundle) {
		data := []byte("1")
		_, err := b.Apply(b.ctx(), agent, store.Write{ID: "a", Data: data})
		b.ok(err)
		data[0] = 'x'
		all, _, err := b.All(b.ctx(), agent)
		b.ok(err)
		all[0].Data[0] = 'y'
		docs, _ := b.docs(agent)
		b.equal("documents", docs, []string{"a=1"})
	}},
	{"a call that is cancelled changes nothing", func(b *bundle) {
		b.put("a", "1")
		ctx, cancel := context.WithCancel(b.ctx())
		cancel()
		if _, err := b.Apply(ctx, agent, store.Write{ID: "a", Data: []byte("2")}); !errors.Is(err, context.Canceled) {
			b.Errorf("%v, want a cancelled context", err)
		}
		if _, _, err := b.All(ctx, agent); !errors.Is(err, context.Canceled) {
			b.Errorf("%v, want a cancelled context", err)
		}
		docs, _ := b.docs(agent)
		b.equal("documents", docs, []string{"a=1"})
	}},
	{"a closed store gives errors", func(b *bundle) {
		s := b.Open()
		b.ok(s.Close())
		_, rev := s.Rev(b.ctx(), agent)
		_, write := s.Apply(b.ctx(), agent, store.Write{ID: "a", Data: []byte("1")})
		_, log := s.Append(b.ctx(), "events", 1, []byte("x"))
		for _, err := range []error{rev, write, log} {
			if err == nil {
				b.Error("no error")
			}
		}
	}},
}
