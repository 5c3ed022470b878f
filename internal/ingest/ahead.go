package ingest

import (
	"context"
	"sync"
	"time"
)

// ahead reads files on all cores before their turn comes: a file in each hand and a few on the table, so that memory
// stays bounded.
type ahead struct {
	slots []chan result // by file; nil for one that need not be read
	room  chan struct{} // one token for each file that is read or waits for its turn
	done  sync.WaitGroup
	alive <-chan struct{} // a reader got further
	beat  func()          // tells so; called by take
	tell  func()          // logs the rate while nothing comes; called by take

	mu      sync.Mutex
	begun   []bool // by file: it is being read; guarded by mu
	dropped []bool // by file: it shall not be read; guarded by mu
	ended   bool   // no more files shall be read; guarded by mu
}

func (r *run) readAhead(ctx context.Context, files []found, beat func()) *ahead {
	readers := r.opts.readers()
	a := &ahead{slots: make([]chan result, len(files)), room: make(chan struct{}, max(16*r.opts.Cores, 2*readers)), alive: r.alive, beat: beat, tell: r.tellRate,
		begun: make([]bool, len(files)), dropped: make([]bool, len(files))}
	todo := 0
	for i := range files {
		if !files[i].fresh {
			a.slots[i] = make(chan result, 1)
			todo++
		}
	}
	next := make(chan int)
	a.done.Go(func() {
		defer close(next)
		for i := range files {
			if a.slots[i] == nil {
				continue
			}
			select { // the token is taken here, in path order: a later file can never keep out an earlier one
			case a.room <- struct{}{}:
			case <-ctx.Done():
				return
			}
			if !a.begin(i) {
				<-a.room
				continue
			}
			select {
			case next <- i:
			case <-ctx.Done():
				return
			}
		}
	})
	for range min(readers, todo) {
		a.done.Go(func() {
			for i := range next {
				a.slots[i] <- r.read(ctx, &files[i])
			}
		})
	}
	return a
}

func (a *ahead) begin(i int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.begun[i] = !a.dropped[i] && !a.ended
	return a.begun[i]
}

// last has no further file read, and reports whether file i is.
func (a *ahead) last(i int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ended = true
	return a.begun[i]
}

// take waits for what became of file i.
func (a *ahead) take(ctx context.Context, i int) (result, error) {
	for {
		select {
		case res := <-a.slots[i]:
			<-a.room
			return res, nil
		case <-a.alive:
			a.beat()
		case <-time.After(rateEvery): // no sign of progress: a server that hangs gives none
			a.tell()
		case <-ctx.Done():
			return result{}, context.Cause(ctx)
		}
	}
}

// drop makes sure that file i takes up no room, whether it is being read or not.
func (a *ahead) drop(ctx context.Context, i int) error {
	if a.slots[i] == nil {
		return nil
	}
	a.mu.Lock()
	a.dropped[i] = true
	begun := a.begun[i]
	a.mu.Unlock()
	if !begun {
		return nil
	}
	_, err := a.take(ctx, i)
	return err
}
