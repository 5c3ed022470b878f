package ingest

import (
	"context"
	"sync"
	"time"
)

// readAhead reads and analyzes files on all cores before run applies them in path order. The number of files that are
// read and not yet applied is bounded, so memory is too.
type readAhead struct {
	slots      []chan result // by file; nil for one that need not be read
	tokens     chan struct{} // one token for each file that is read or waits for its turn
	done       sync.WaitGroup
	progressed <-chan struct{} // a reader got further
	onProgress func()          // tells so; called by take
	logRate    func()          // logs the rate while nothing comes; called by take

	mu      sync.Mutex
	begun   []bool // by file: it is being read; guarded by mu
	dropped []bool // by file: it shall not be read; guarded by mu
	ended   bool   // no more files shall be read; guarded by mu
}

func (r *run) startReadAhead(ctx context.Context, files []diskFile, beat func()) *readAhead {
	readers := r.opts.readers()
	a := &readAhead{slots: make([]chan result, len(files)), tokens: make(chan struct{}, max(16*r.opts.Cores, 2*readers)), progressed: r.progressed, onProgress: beat, logRate: r.logRate,
		begun: make([]bool, len(files)), dropped: make([]bool, len(files))}
	todo := 0
	for i := range files {
		if !files[i].unchanged {
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
			case a.tokens <- struct{}{}:
			case <-ctx.Done():
				return
			}
			if !a.begin(i) {
				<-a.tokens
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

func (a *readAhead) begin(i int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.begun[i] = !a.dropped[i] && !a.ended
	return a.begun[i]
}

// stopAfter stops reading further files, and reports whether file i is being read already.
func (a *readAhead) stopAfter(i int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ended = true
	return a.begun[i]
}

// take waits for the result of file i.
func (a *readAhead) take(ctx context.Context, i int) (result, error) {
	for {
		select {
		case res := <-a.slots[i]:
			<-a.tokens
			return res, nil
		case <-a.progressed:
			a.onProgress()
		case <-time.After(rateLogInterval): // no sign of progress: a server that hangs gives none
			a.logRate()
		case <-ctx.Done():
			return result{}, context.Cause(ctx)
		}
	}
}

// skip frees the token of file i, whether it is being read or not.
func (a *readAhead) skip(ctx context.Context, i int) error {
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
