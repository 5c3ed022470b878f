package storetest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/contextd/contextd/internal/store"
)

var counter = store.Shelf{Bucket: "usage", Owner: "counter"}

// increment adds 1 to a counter, as often as it takes to be the only one who did.
func increment(ctx context.Context, s store.Store) error {
	for {
		n, rev := 0, store.Absent
		d, err := s.Get(ctx, counter, "n")
		if err == nil {
			n, err = strconv.Atoi(string(d.Data))
			rev = d.Rev
		}
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		_, err = s.Apply(ctx, counter, store.Write{ID: "n", Data: fmt.Append(nil, n+1), If: rev})
		if !errors.Is(err, store.ErrConflict) {
			return err
		}
	}
}

var raceTests = []test{
	{"no change is lost between two handles and two processes", func(b *bundle) {
		const each = 25
		var wg sync.WaitGroup
		for _, s := range []store.Store{b.Store, b.Store, b.Open()} {
			wg.Go(func() {
				for range each {
					if err := increment(b.ctx(), s); err != nil {
						b.Error(err)
					}
				}
			})
		}
		wg.Go(func() {
			for range each {
				if _, err := b.Append(b.ctx(), "events", 1000, []byte("1"), []byte("2")); err != nil {
					b.Error(err)
				}
			}
		})
		one, two := b.start("count", each), b.start("count", each)
		wg.Wait()
		one.wait()
		two.wait()
		docs, _ := b.docs(counter)
		b.equal("counter", docs, []string{fmt.Sprintf("n=%d", 5*each)})
		entries, err := b.Tail(b.ctx(), "events", "", 1000)
		b.ok(err)
		b.equal("entries", len(entries), 2*each)
	}},
	{"a reader sees a change whole or not at all", func(b *bundle) {
		other := b.Open()
		done := make(chan struct{})
		go func() {
			defer close(done)
			for i := range 200 {
				if err := writeRow(b.ctx(), other, i); err != nil {
					b.Error(err)
				}
			}
		}()
		last := int64(0)
		for running := true; running; {
			select {
			case <-done:
				running = false
			default:
			}
			_, rev := b.row()
			if rev < last {
				b.Fatalf("revision %d after %d", rev, last)
			}
			last = rev
		}
	}},
	{"one of many who claim a name gets it", func(b *bundle) {
		won := make(chan int, 8)
		var wg sync.WaitGroup
		for i := range 8 {
			s := b.Open()
			wg.Go(func() {
				_, err := s.Apply(b.ctx(), agent, store.Write{ID: "a", Data: fmt.Append(nil, i), If: store.Absent})
				switch {
				case err == nil:
					won <- i
				case !errors.Is(err, store.ErrConflict):
					b.Error(err)
				}
			})
		}
		wg.Wait()
		b.equal("winners", len(won), 1)
		docs, _ := b.docs(agent)
		b.equal("documents", docs, []string{fmt.Sprintf("a=%d", <-won)})
	}},
}

const rowLen = 8

// writeRow sets all documents of a shelf to i in one change.
func writeRow(ctx context.Context, s store.Store, i int) error {
	var writes []store.Write
	for k := range rowLen {
		writes = append(writes, store.Write{ID: fmt.Sprint(k), Data: fmt.Append(nil, i)})
	}
	_, err := s.Apply(ctx, agent, writes...)
	return err
}

// row reads what writeRow wrote, -1 if nothing, and fails unless it is of one change.
func (b *bundle) row() (i int, rev int64) {
	b.Helper()
	all, rev, err := b.All(b.ctx(), agent)
	b.ok(err)
	if len(all) == 0 && rev == 0 {
		return -1, 0
	}
	b.equal("documents", len(all), rowLen)
	for _, d := range all {
		if string(d.Data) != string(all[0].Data) || d.Rev != rev {
			b.Fatalf("%q of revision %d beside %q of %d", d.Data, d.Rev, all[0].Data, rev)
		}
	}
	i, err = strconv.Atoi(string(all[0].Data))
	b.ok(err)
	return i, rev
}
