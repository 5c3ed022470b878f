package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/store"
)

var flashTests = []test{
	{"M4: a flash save keeps HOT and WARM, archives COLD and goes on with HOT", func(b *bed) {
		b.save(knight, "task", "the task", func(d *Draft) { d.TaskID = "t1" })
		b.save(knight, "verbose_log", "a log")
		b.save(squire, "verbose_log", "a shared log", scoped(ScopeProject))
		f, err := b.FlashSave(b.ctx(), knight,
			Flash{TaskID: "t1", Used: 6400, Limit: 8000,
				Drafts: []Draft{{Kind: "fact", Content: "not saved yet"}, {Kind: "decision", Content: "decided"}}})
		b.ok(err)
		b.equal("archived, hot", fmt.Sprint(f.Archived, f.HotRetained), "1 2")
		b.equal("goes on with", texts(f.Hot), "[the task decided]")
		b.equal("warm", b.list(knight, Filter{Tiers: []Tier{Warm}}), "[not saved yet]")
		away, err := b.Archive(b.ctx(), knight, Filter{})
		b.ok(err)
		b.equal("archive", texts(away), "[a log]")
		b.equal("COLD is still found", len(b.list(knight, Filter{Tiers: []Tier{Cold}})), 2)
		c, err := b.Checkpoint(b.ctx(), knight.Agent, f.CheckpointID)
		b.ok(err)
		b.equal("checkpoint", fmt.Sprint(c.Version, c.Agent, c.Project, c.TaskID, c.Used, c.Limit, c.Hot, c.Warm,
			len(c.Items)), "1knight-1webt16400 8000 2 1 3")
		d, err := b.st.Get(b.ctx(), checkpoints(knight.Agent), f.CheckpointID)
		b.ok(err)
		if !json.Valid(d.Data) {
			b.Fatal("the checkpoint is no JSON")
		}
	}},
	{"M4: a restore brings a checkpoint back, after a restart too", func(b *bed) {
		hot := b.save(knight, "error", "the error", func(d *Draft) { d.TaskID = "t1" })
		gone := b.save(knight, "fact", "to be forgotten")
		f, err := b.FlashSave(b.ctx(), knight, Flash{TaskID: "t1"})
		b.ok(err)
		b.clock.add(30 * day)
		_, err = b.FlashSave(b.ctx(), knight, Flash{TaskID: "t2"})
		b.ok(err)
		b.save(knight, "task", "newer")
		_, err = b.Forget(b.ctx(), knight, gone.ID)
		b.ok(err)
		b.equal("before", b.list(knight, Filter{Tiers: []Tier{Hot, Warm}}), "[newer]")
		for range 2 { // twice is as once
			r, err := b.again(Options{}).Restore(b.ctx(), Who{Agent: knight.Agent}, f.CheckpointID)
			b.ok(err)
			b.equal("missing", r.Missing, []string{gone.ID})
			b.equal("hot", texts(r.Hot), "[newer the error]")
		}
		got, err := b.Get(b.ctx(), knight, hot.ID)
		b.ok(err)
		b.equal("as important as it was", fmt.Sprint(got.Importance, got.Tier, got.Archived), "0.9HOTfalse")
		away, err := b.Archive(b.ctx(), knight, Filter{})
		b.ok(err)
		b.equal("archive", len(away), 0)
	}},
	{"the last checkpoint is restored where none is named, whatever the clock did", func(b *bed) {
		var last string
		for range 3 {
			b.clock.add(-day)
			f, err := b.FlashSave(b.ctx(), knight, Flash{})
			b.ok(err)
			last = f.CheckpointID
		}
		r, err := b.Restore(b.ctx(), knight, "")
		b.ok(err)
		b.equal("restored", r.CheckpointID, last)
		all, err := b.Checkpoints(b.ctx(), knight.Agent)
		b.ok(err)
		b.equal("kept", len(all), 3)
	}},
	{"a checkpoint of another agent, of a newer version or of none is an error", func(b *bed) {
		b.save(knight, "task", "x")
		f, err := b.FlashSave(b.ctx(), knight, Flash{})
		b.ok(err)
		_, err = b.Restore(b.ctx(), squire, f.CheckpointID)
		b.fails(err, ErrForeign)
		_, err = b.Restore(b.ctx(), knight, "ckp_00000099_00000000")
		b.fails(err, ErrNotFound)
		_, err = b.Restore(b.ctx(), squire, "")
		b.fails(err, ErrNotFound)
		var inv *Invalid
		if _, err = b.Restore(b.ctx(), Who{"knight-1", "app"}, f.CheckpointID); !errors.As(err, &inv) {
			b.Fatal(err)
		}
		d, err := b.st.Get(b.ctx(), checkpoints(knight.Agent), f.CheckpointID)
		b.ok(err)
		put := func(agent, id, data string) {
			_, err = b.st.Apply(b.ctx(), checkpoints(agent), store.Write{ID: id, Data: []byte(data)})
			b.ok(err)
		}
		put(squire.Agent, "ckp_00000001_copied00", string(d.Data)) // as if it had been copied over
		_, err = b.Restore(b.ctx(), squire, "ckp_00000001_copied00")
		b.fails(err, ErrForeign)
		put(knight.Agent, f.CheckpointID, strings.Replace(string(d.Data), `"version":1`, `"version":2`, 1))
		_, err = b.Restore(b.ctx(), knight, f.CheckpointID)
		b.fails(err, ErrNewer)
		for _, data := range []string{"{", "{}", "[]", `{"version":1}`} {
			put(knight.Agent, f.CheckpointID, data)
			if _, err = b.Restore(b.ctx(), knight, f.CheckpointID); err == nil {
				b.Fatalf("%q is restored", data)
			}
		}
		b.equal("nothing changed", b.list(knight, Filter{}), "[x]")
	}},
	{"what was put away comes back when it is used or written again", func(b *bed) {
		one, two := b.save(knight, "verbose_log", "one"), b.save(knight, "verbose_log", "two")
		f, err := b.FlashSave(b.ctx(), knight, Flash{})
		b.ok(err)
		b.equal("archived", f.Archived, 2)
		n, err := b.Touch(b.ctx(), knight, one.ID)
		b.ok(err)
		b.equal("touched", n, 1)
		s, err := b.Save(b.ctx(), knight, Draft{Kind: "verbose_log", Content: "two"})
		b.ok(err)
		b.equal("merged", fmt.Sprint(s.Merged, s.Item.ID == two.ID, s.Item.AccessCount), "true true 1")
		away, err := b.Archive(b.ctx(), knight, Filter{})
		b.ok(err)
		b.equal("archive", texts(away), "[]")
		b.equal("live", len(b.list(knight, Filter{})), 2)
	}},
	{"a crash at any step loses nothing and can be done again", func(b *bed) {
		step, alive := 1, 0
		for ; alive < 2; step++ {
			alive = 0
			for _, after := range []bool{false, true} {
				who := Who{fmt.Sprintf("knight-%d-%v", step, after), "web"}
				b.save(who, "task", "a task")
				b.save(who, "fact", "a fact")
				for i := range 3 {
					b.save(who, "verbose_log", fmt.Sprint("log ", i))
				}
				flash := Flash{Drafts: []Draft{{Kind: "decision", Content: "in the working context"},
					{Kind: "verbose_log", Content: "log 1"}}}
				st := &faulty{Store: b.st, left: step, after: after}
				_, err := b.over(st, Options{}).FlashSave(b.ctx(), who, flash)
				if err == nil {
					alive++ // it was over before that step
					continue
				}
				b.fails(err, errCrash)
				crashed(b, who)
				m := b.again(Options{}) // the next process
				f, err := m.FlashSave(b.ctx(), who, flash)
				b.ok(err)
				b.equal("hot", f.HotRetained, 2)
				crashed(b, who)
				away, err := m.Archive(b.ctx(), who, Filter{})
				b.ok(err)
				b.equal("archived", len(away), 3)
				// and the same of the way back
				for back := 1; ; back++ {
					st := &faulty{Store: b.st, left: back, after: after}
					b.clock.add(day)
					_, err := b.over(st, Options{}).Restore(b.ctx(), who, f.CheckpointID)
					crashed(b, who)
					if err == nil {
						break
					}
					b.fails(err, errCrash)
				}
			}
		}
		if step < 12 {
			b.Fatalf("a flash save took %d steps only: does the test still see the store?", step)
		}
	}},
	{"a crash while an item comes back from the archive loses nothing", func(b *bed) {
		for step := 1; ; step++ {
			who := Who{Agent: fmt.Sprint("knight-", step)}
			it := b.save(who, "verbose_log", "old")
			_, err := b.FlashSave(b.ctx(), who, Flash{})
			b.ok(err)
			st := &faulty{Store: b.st, left: step, after: step%2 == 0}
			_, err = b.over(st, Options{}).Touch(b.ctx(), who, it.ID)
			b.equal("items", b.list(who, Filter{}), "[old]")
			stats, serr := b.Stats(b.ctx(), who, nil)
			b.ok(serr)
			b.equal("counted once", stats.Total, 1)
			if err == nil {
				return
			}
			b.fails(err, errCrash)
			_, err = b.Touch(b.ctx(), who, it.ID)
			b.ok(err)
			n, err := b.Forget(b.ctx(), who, it.ID)
			b.ok(err)
			b.equal("forgotten in both places", fmt.Sprint(n, b.list(who, Filter{})), "1 []")
		}
	}},
	{"an item that is used while it is put away stays", func(b *bed) {
		it := b.save(knight, "verbose_log", "busy")
		live, err := b.read(b.ctx(), placeOf(ScopeTask, knight).live)
		b.ok(err)
		_, err = b.again(Options{}).Touch(b.ctx(), knight, it.ID)
		b.ok(err)
		n, err := b.putAway(b.ctx(), placeOf(ScopeTask, knight), live.items)
		b.ok(err)
		b.equal("put away", n, 0)
		got, err := b.Get(b.ctx(), knight, it.ID)
		b.ok(err)
		b.equal("live, with its use", fmt.Sprint(got.Archived, got.AccessCount), "false 1")
	}},
}

// crashed checks that nothing is lost after a crash in a flash save or a restore: all saved items are there once, with
// their text.
func crashed(b *bed, who Who) {
	b.Helper()
	m := b.again(Options{})
	items, err := m.List(b.ctx(), who, Filter{})
	b.ok(err)
	got := texts(items)
	slices.Sort(got)
	// may or may not be saved yet
	got = slices.DeleteFunc(got, func(s string) bool { return s == "in the working context" })
	b.equal("items", got, "[a fact a task log 0 log 1 log 2]")
}

var errCrash = errors.New("the process died")

// faulty is a Store that dies with one call: before that call has an effect, or after it.
type faulty struct {
	store.Store
	left  int // calls until it dies, that one included
	after bool
}

// step runs one call of the store.
func (f *faulty) step(call func() error) error {
	f.left--
	switch {
	case f.left > 0:
		return call()
	case f.left < 0 || !f.after:
		return errCrash
	}
	return errors.Join(errCrash, call())
}

func (f *faulty) Get(ctx context.Context, s store.Shelf, id string) (d store.Doc, err error) {
	err = f.step(func() error { d, err = f.Store.Get(ctx, s, id); return err })
	return d, err
}

func (f *faulty) All(ctx context.Context, s store.Shelf) (all []store.Doc, rev int64, err error) {
	err = f.step(func() error { all, rev, err = f.Store.All(ctx, s); return err })
	return all, rev, err
}

func (f *faulty) Rev(ctx context.Context, s store.Shelf) (rev int64, err error) {
	err = f.step(func() error { rev, err = f.Store.Rev(ctx, s); return err })
	return rev, err
}

func (f *faulty) Apply(ctx context.Context, s store.Shelf, writes ...store.Write) (rev int64, err error) {
	err = f.step(func() error { rev, err = f.Store.Apply(ctx, s, writes...); return err })
	return rev, err
}

// TestLargeCheckpointsAreSplit: a checkpoint of many items comes back whole from documents that are not too large.
func TestLargeCheckpointsAreSplit(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, refsPerPart, refsPerPart + 1, 3*refsPerPart + 7} {
		c := Checkpoint{Version: format, ID: "ckp_00000001_0", Agent: "a"}
		for i := range n {
			c.Items = append(c.Items, Ref{fmt.Sprintf("mem_%032x", i), ScopeProject, Warm, .123456789012345678})
		}
		writes, err := c.writes()
		if err == nil {
			err = store.CheckWrites(writes)
		}
		if err != nil {
			t.Fatal(n, err)
		}
		var got []Ref
		for i, w := range writes {
			part, err := parseCheckpoint(w.Data, w.ID, "a")
			if err != nil || i == 0 && part.Parts != len(writes)-1 {
				t.Fatal(n, part.Parts, err)
			}
			got = append(got, part.Items...)
		}
		if !slices.Equal(got, c.Items) {
			t.Fatalf("%d of %d items came back", len(got), n)
		}
	}
}
