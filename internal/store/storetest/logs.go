package storetest

import (
	"fmt"

	"github.com/contextd/contextd/internal/store"
)

var logTests = []test{
	{"a log is read from the start, from an entry and from its end", func(b *bundle) {
		for _, read := range []func() ([]store.Entry, error){
			func() ([]store.Entry, error) { return b.Tail(b.ctx(), "events", "", 10) },
			func() ([]store.Entry, error) { return b.Last(b.ctx(), "events", 10) },
		} {
			entries, err := read()
			b.ok(err)
			b.equal("at first", texts(entries), []string{})
		}
		first, err := b.Append(b.ctx(), "events", 100, []byte("1"))
		b.ok(err)
		last, err := b.Append(b.ctx(), "events", 100, []byte("2"), nil, []byte("4\x00\xff"))
		b.ok(err)
		_, err = b.Append(b.ctx(), "others", 100, []byte("of another log"))
		b.ok(err)
		for _, tt := range []struct {
			after string
			n     int
			want  []string
		}{
			{"", 10, []string{"1", "2", "", "4\x00\xff"}}, {"", 2, []string{"1", "2"}},
			{first, 10, []string{"2", "", "4\x00\xff"}}, {first, 1, []string{"2"}},
			{last, 10, nil}, {"", 0, nil},
		} {
			entries, err := b.Tail(b.ctx(), "events", tt.after, tt.n)
			b.ok(err)
			b.equal(fmt.Sprintf("tail after %q", tt.after), texts(entries), tt.want)
		}
		entries, err := b.Last(b.ctx(), "events", 2)
		b.ok(err)
		b.equal("last", texts(entries), []string{"4\x00\xff", ""})
		b.equal("id of the last", entries[0].ID, last)
	}},
	{"ids grow as strings", func(b *bundle) {
		last := ""
		for range 50 {
			id, err := b.Append(b.ctx(), "events", 1000, []byte("x"), []byte("y"), []byte("z"))
			b.ok(err)
			if id <= last {
				b.Fatalf("%q after %q", id, last)
			}
			last = id
		}
		entries, err := b.Tail(b.ctx(), "events", "", 1000)
		b.ok(err)
		b.equal("entries", len(entries), 150)
		for i := 1; i < len(entries); i++ {
			if entries[i].ID <= entries[i-1].ID {
				b.Fatalf("%q after %q", entries[i].ID, entries[i-1].ID)
			}
		}
	}},
	{"a log is bounded and keeps the newest", func(b *bundle) {
		const keep, n = 50, 1000
		for i := range n {
			_, err := b.Append(b.ctx(), "events", keep, fmt.Append(nil, i))
			b.ok(err)
		}
		entries, err := b.Tail(b.ctx(), "events", "", n)
		b.ok(err)
		if len(entries) < keep || len(entries) > keep+200 {
			b.Fatalf("%d entries, want about %d", len(entries), keep)
		}
		for i, e := range entries {
			b.equal("entry", string(e.Data), fmt.Sprint(n-len(entries)+i))
		}
	}},
	{"an entry that has fallen out is still a place to go on from", func(b *bundle) {
		first, err := b.Append(b.ctx(), "events", 1000, []byte("first"))
		b.ok(err)
		for range 300 {
			_, err := b.Append(b.ctx(), "events", 1, []byte("x"))
			b.ok(err)
		}
		all, err := b.Tail(b.ctx(), "events", "", 1000)
		b.ok(err)
		after, err := b.Tail(b.ctx(), "events", first, 1000)
		b.ok(err)
		b.equal("after it", after, all)
	}},
}
