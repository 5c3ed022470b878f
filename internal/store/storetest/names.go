package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/store"
)

// odd are names that something on the way might give a meaning.
var odd = []string{":", "a:b", "a", "{a}", "}{", "*", "a*", " ", "a b", "\n", "\x00", "a\x00b", "\x1b[31m", "$1", "?",
	"'; DROP TABLE doc; --", `"\`, "ж", "日本", "\U0001f600",
	"..", "../x", "/", "%00", "0", "-1", strings.Repeat("ж", store.MaxName/2)}

var nameTests = []test{
	{"odd names are names", func(b *bundle) {
		slices.Sort(odd)
		for i, owner := range odd {
			var writes []store.Write
			for _, id := range odd {
				writes = append(writes, store.Write{ID: id, Data: fmt.Append(nil, i, id)})
			}
			_, err := b.Apply(b.ctx(), store.Shelf{Bucket: "odd", Owner: owner}, writes...)
			b.ok(err)
			_, err = b.Append(b.ctx(), owner, 10, []byte(owner))
			b.ok(err)
		}
		owners, err := b.Owners(b.ctx(), "odd")
		b.ok(err)
		b.equal("owners", owners, odd)
		for i, owner := range odd {
			sh := store.Shelf{Bucket: "odd", Owner: owner}
			var want []string
			for _, id := range odd {
				want = append(want, id+"="+fmt.Sprint(i, id))
			}
			docs, _ := b.docs(sh)
			b.equal(owner, docs, want)
			d, err := b.Get(b.ctx(), sh, owner)
			b.ok(err)
			b.equal("one of them", string(d.Data), fmt.Sprint(i, owner))
			entries, err := b.Last(b.ctx(), owner, 2)
			b.ok(err)
			b.equal("log", texts(entries), []string{owner})
		}
	}},
	{"what is wrong is refused before anything is written", func(b *bundle) {
		data := []byte("x")
		long := strings.Repeat("x", store.MaxName+1)
		for name, f := range map[string]func() error{
			"no bucket":          func() error { _, err := b.Apply(b.ctx(), store.Shelf{Owner: "a"}); return err },
			"a bucket of others": func() error { _, err := b.Owners(b.ctx(), "a:b"); return err },
			"no owner": func() error {
				_, _, err := b.All(b.ctx(), store.Shelf{Bucket: "memory"})
				return err
			},
			"a long owner": func() error {
				_, err := b.Rev(b.ctx(), store.Shelf{Bucket: "memory", Owner: long})
				return err
			},
			"an owner not UTF-8": func() error {
				_, err := b.Get(b.ctx(), store.Shelf{Bucket: "memory", Owner: "\xff"}, "a")
				return err
			},
			"no id": func() error { _, err := b.Apply(b.ctx(), agent, store.Write{Data: data}); return err },
			"a long id": func() error {
				_, err := b.Apply(b.ctx(), agent, store.Write{ID: long, Data: data})
				return err
			},
			"an id twice": func() error {
				_, err := b.Apply(b.ctx(), agent, store.Write{ID: "a", Data: data}, store.Write{ID: "a"})
				return err
			},
			"a large document": func() error {
				_, err := b.Apply(b.ctx(), agent, store.Write{ID: "a", Data: data},
					store.Write{ID: "b", Data: make([]byte, store.MaxData+1)})
				return err
			},
			"a large change": func() error {
				large, writes := make([]byte, store.MaxData), []store.Write{}
				for i := range store.MaxChange/store.MaxData + 1 {
					writes = append(writes, store.Write{ID: fmt.Sprint(i), Data: large})
				}
				_, err := b.Apply(b.ctx(), agent, writes...)
				return err
			},
			"an unknown condition": func() error {
				_, err := b.Apply(b.ctx(), agent, store.Write{ID: "a", Data: data, If: -2})
				return err
			},
			"a log without a name": func() error { _, err := b.Append(b.ctx(), "", 10, data); return err },
			"no entry":             func() error { _, err := b.Append(b.ctx(), "events", 10); return err },
			"nothing to keep":      func() error { _, err := b.Append(b.ctx(), "events", 0, data); return err },
			"a large entry": func() error {
				_, err := b.Append(b.ctx(), "events", 10, make([]byte, store.MaxData+1))
				return err
			},
			"an id of no entry": func() error { _, err := b.Tail(b.ctx(), "events", "yesterday", 10); return err },
		} {
			if err := f(); err == nil || errors.Is(err, store.ErrNotFound) || !strings.Contains(err.Error(), "want") {
				b.Errorf("%s: %v, want an error that says what is wanted", name, err)
			}
		}
		docs, rev := b.docs(agent)
		b.equal("documents", docs, []string{})
		b.equal("revision", rev, 0)
	}},
}
