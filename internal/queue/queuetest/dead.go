package queuetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/queue"
)

var deadTests = []test{
	{"each broken message is one dead letter, and good ones are served", func(b *bundle) {
		mb := strings.Repeat("x", 1_000_000)
		bad := []map[string]string{
			{},
			{"junk": "1"},
			{queue.FieldRoot: At("web")},
			{queue.FieldProject: "web"},
			{queue.FieldProject: "a b", queue.FieldRoot: At("web")},
			{queue.FieldProject: "\xff\xfe", queue.FieldRoot: At("web")},
			{queue.FieldProject: "web", queue.FieldRoot: "srv"},
			{queue.FieldProject: "web", queue.FieldRoot: At("web"), queue.FieldFiles: "[" + mb},
			{queue.FieldProject: mb, queue.FieldRoot: At("web")},
			{queue.FieldProject: "web", queue.FieldRoot: "/" + mb},
		}
		b.push("before", "a")
		var ids []string
		for _, f := range bad {
			id, err := b.PushFields(b.ctx(), f)
			b.ok(err)
			ids = append(ids, id)
		}
		b.push("after", "a")
		b.drain(len(bad) + 2)
		var got []string
		for _, l := range b.letters() {
			got = append(got, l.ID)
			if len(l.Reason) < 10 || len(l.Reason) > 1100 || len(l.Project) > 200 || l.Attempts != 0 {
				b.Errorf("letter %.2000s", fmt.Sprintf("%+v", l))
			}
			if age := time.Since(l.At); age < -time.Minute || age > time.Minute {
				b.Errorf("letter of %v, want about now", l.At)
			}
		}
		slices.Sort(ids)
		slices.Sort(got)
		b.equal("ids", got, ids)
		b.equal("good ones", b.stats().Depth, 2)
		b.equal("dead", b.stats().Dead, len(bad))
		n, err := b.RetryDead(b.ctx(), nil)
		b.ok(err)
		b.equal("revived", n, len(bad))
		b.drain(len(bad))
		b.equal("dead again", b.stats().Dead, len(bad))
	}},
	{"bury makes one letter of a claim", func(b *bundle) {
		b.push("web", "a")
		id := b.push("web", "b")
		b.drain(2)
		c := b.claim(b)
		b.ok(b.Retry(b.ctx(), c, 0))
		c = b.claim(b)
		b.push("web", "c")
		b.drain(1)
		b.ok(b.Bury(b.ctx(), c, "it cannot be read"))
		l := b.letters()[0]
		slices.Sort(l.Paths)
		b.equal("letter", []any{l.ID, l.Project, l.Root, l.Reason, l.Attempts, l.Paths},
			[]any{id, "web", At("web"), "it cannot be read", 2, []code.Path{"a", "b"}})
		c = b.claim(b)
		b.equal("what came meanwhile is alive", []any{paths(c), c.Attempts}, []any{"c", 0})
		b.ok(b.Done(b.ctx(), c, c.Items))

		n, err := b.RetryDead(b.ctx(), []string{id})
		b.ok(err)
		b.equal("revived", n, 1)
		b.equal("letters", len(b.letters()), 0)
		b.drain(1)
		c = b.claim(b)
		b.equal("revived claim", []any{paths(c), c.Attempts}, []any{"a b", 0})
	}},
	{"revived messages go through accept again", func(b *bundle) {
		id := b.push("web", "a")
		b.push("web2")
		b.drainBy(2, func(*queue.Request) error { return errors.New("not allowed") })
		n, err := b.RetryDead(b.ctx(), []string{id, "unknown", id})
		b.ok(err)
		b.equal("revived", n, 1)
		b.drainBy(1, func(r *queue.Request) error {
			if r.Project != "web" || r.Root != At("web") || len(r.Paths) != 1 {
				return fmt.Errorf("got %+v", r)
			}
			return nil
		})
		b.equal("left dead", len(b.letters()), 1)
		b.equal("items", paths(b.claim(b)), "a")
	}},
	{"a letter of many paths revives as a rescan", func(b *bundle) {
		var ps []string
		for i := range 1000 {
			ps = append(ps, fmt.Sprintf("some/folder/file%d.go", i))
		}
		b.push("web", ps...)
		b.drainBy(1, func(*queue.Request) error { return errors.New("not allowed") })
		b.equal("paths shown", len(b.letters()[0].Paths), 50)
		_, err := b.RetryDead(b.ctx(), nil)
		b.ok(err)
		b.drain(1)
		b.equal("items", paths(b.claim(b)), queue.Rescan)
	}},
	{"drop removes letters", func(b *bundle) {
		id := b.push("web", "a")
		b.push("web")
		b.drainBy(2, func(*queue.Request) error { return errors.New("not allowed") })
		for _, step := range []struct {
			ids  []string
			want int
		}{{[]string{id, "nope", ""}, 1}, {[]string{id}, 0}, {nil, 0}} {
			n, err := b.DropDead(b.ctx(), step.ids)
			b.ok(err)
			b.equal("dropped", n, step.want)
		}
		b.equal("left", len(b.letters()), 1)
	}},
}
