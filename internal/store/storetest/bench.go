package storetest

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/contextd/contextd/internal/store"
)

// Bench measures a store with shelves of 1,000 documents of 600 bytes: the memory of one agent.
func Bench(b *testing.B, s store.Store) {
	ctx := b.Context()
	data := bytes.Repeat([]byte("some text "), 60)
	var thousand []store.Write
	for i := range 1000 {
		thousand = append(thousand, store.Write{ID: fmt.Sprintf("mem_%016x", i*7919), Data: data})
	}
	apply := func(b *testing.B, sh store.Shelf, writes ...store.Write) {
		if _, err := s.Apply(ctx, sh, writes...); err != nil {
			b.Fatal(err)
		}
	}
	apply(b, agent, thousand...)
	b.Run("read a thousand", func(b *testing.B) {
		for b.Loop() {
			if docs, _, err := s.All(ctx, agent); err != nil || len(docs) != 1000 {
				b.Fatal(len(docs), err)
			}
		}
	})
	b.Run("revision", func(b *testing.B) {
		for b.Loop() {
			if rev, err := s.Rev(ctx, agent); err != nil || rev == 0 {
				b.Fatal(rev, err)
			}
		}
	})
	b.Run("read one", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Get(ctx, agent, thousand[500].ID); err != nil {
				b.Fatal(err)
			}
		}
	})
	other := store.Shelf{Bucket: "memory", Owner: "other"}
	b.Run("write a thousand", func(b *testing.B) {
		for b.Loop() {
			apply(b, other, thousand...)
		}
	})
	b.Run("write one of a thousand", func(b *testing.B) {
		for b.Loop() {
			apply(b, other, thousand[500])
		}
	})
	b.Run("append 20 KB", func(b *testing.B) {
		entry := bytes.Repeat(data, 33)
		for b.Loop() {
			if _, err := s.Append(ctx, "receipts", 500, entry); err != nil {
				b.Fatal(err)
			}
		}
	})
}
