package memory

import (
	"fmt"
	"strings"

	"github.com/contextd/contextd/internal/store"
)

var sharingTests = []test{
	{"M1: each agent sees its own, its project's and what is for all", func(b *bed) {
		other, outside := Who{"knight-1", "app"}, Who{"royalty-1", "app"}
		b.save(knight, "fact", "mine")
		b.save(squire, "fact", "his")
		b.save(knight, "fact", "ours", scoped(ScopeProject))
		b.save(squire, "fact", "everybody's", scoped(ScopeGlobal))
		b.save(Who{Agent: "knight-1"}, "fact", "mine anywhere")
		for _, tt := range []struct {
			who  Who
			want []string
		}{
			{knight, []string{"everybody's", "mine", "mine anywhere", "ours"}},
			{squire, []string{"everybody's", "his", "ours"}}, {outside, []string{"everybody's"}},
			{other, []string{"everybody's", "mine anywhere"}},
			{Who{Agent: "knight-1"}, []string{"everybody's", "mine", "mine anywhere"}},
		} {
			got := map[string]bool{}
			for _, text := range b.list(tt.who, Filter{}) {
				got[text] = true
			}
			for _, text := range tt.want {
				if !got[text] {
					b.Errorf("%v does not see %q", tt.who, text)
				}
				delete(got, text)
			}
			if len(got) > 0 {
				b.Errorf("%v sees %v", tt.who, got)
			}
		}
		agents, err := b.Agents(b.ctx())
		b.ok(err)
		b.equal("agents", agents, "[knight-1 squire-1]")
	}},
	{"M1: an agent cannot reach what is not for it by its id", func(b *bed) {
		it := b.save(knight, "fact", "mine")
		_, err := b.Get(b.ctx(), squire, it.ID)
		b.fails(err, ErrNotFound)
		_, err = b.Touch(b.ctx(), squire, it.ID)
		b.fails(err, ErrNotFound)
		_, err = b.Forget(b.ctx(), squire, it.ID)
		b.fails(err, ErrNotFound)
		hits, err := b.Search(b.ctx(), squire, "mine", Filter{})
		b.ok(err)
		b.equal("found", len(hits), 0)
		b.equal("it is untouched", b.list(knight, Filter{}), "[mine]")
	}},
	{"what another process writes is seen at once", func(b *bed) {
		two := b.again(Options{})
		for i := range 5 {
			it := b.save(knight, "fact", fmt.Sprint("fact ", i))
			got, err := two.Get(b.ctx(), knight, it.ID)
			b.ok(err)
			b.equal("content", got.Content, it.Content)
			_, err = two.Touch(b.ctx(), knight, it.ID)
			b.ok(err)
			got, err = b.Get(b.ctx(), knight, it.ID)
			b.ok(err)
			b.equal("accesses", got.AccessCount, 1)
		}
	}},
	{"names of agents and projects never meet", func(b *bed) {
		for _, name := range []string{"a", "a:b", "a/b", "all", "head", "*", "a b", "ü", strings.Repeat("x", 200)} {
			b.save(Who{name, name}, "fact", "task of "+name)
			b.save(Who{name, name}, "fact", "project of "+name, scoped(ScopeProject))
		}
		b.equal("seen by a", len(b.list(Who{"a", "a:b"}, Filter{})), 1)
		b.equal("seen by all", len(b.list(Who{"all", "all"}, Filter{})), 2)
		b.equal("of everybody", b.list(Who{"nobody", ""}, Filter{}), "[]")
	}},
	{"a damaged document hides no other", func(b *bed) {
		b.save(knight, "fact", "one")
		b.save(knight, "fact", "two")
		sh := store.Shelf{Bucket: "memory", Owner: knight.Agent}
		_, err := b.st.Apply(b.ctx(), sh, store.Write{ID: "mem_0", Data: []byte(`{"kind":`)},
			store.Write{ID: "mem_1", Data: []byte(`{"id":"x","kind":"dream","unknown":[1]}`)})
		b.ok(err)
		b.equal("read", len(b.list(knight, Filter{})), 3)
		b.save(knight, "fact", "three")
		_, err = b.Retier(b.ctx(), knight, "t")
		b.ok(err)
		d, err := b.st.Get(b.ctx(), sh, "mem_0")
		b.ok(err)
		b.equal("it stays", string(d.Data), `{"kind":`)
	}},
	{"a shelf of a newer version is refused and left as it is", func(b *bed) {
		it := b.save(knight, "fact", "x")
		sh := store.Shelf{Bucket: "memory", Owner: knight.Agent}
		rev, err := b.st.Apply(b.ctx(), sh, store.Write{ID: headID, Data: []byte(`{"version":2}`)})
		b.ok(err)
		_, err = b.Load(b.ctx(), knight)
		b.fails(err, ErrNewer)
		_, err = b.Save(b.ctx(), knight, Draft{Kind: "fact", Content: "y"})
		b.fails(err, ErrNewer)
		_, err = b.Forget(b.ctx(), knight, it.ID)
		b.fails(err, ErrNewer)
		now, err := b.st.Rev(b.ctx(), sh)
		b.ok(err)
		b.equal("revision", now, rev)
	}},
}
