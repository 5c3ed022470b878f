package sandbox

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/syserr"
)

// task is a folder still to be walked.
type task struct {
	node   *node
	parent *dir
	entry  entry
	v      verdict
}

// walker walks folders with several workers over one queue: no recursion, whatever the depth.
type walker struct {
	s     *scan
	first listing

	workers int // 0: as many as there are cores
	mu      sync.Mutex
	wake    sync.Cond
	queue   []task // nearest to the root first: where memory ends, what lies deepest is left out
	next    int    // the place in queue of the next one
	busy    int
	stopped bool
	dirs    func(rel string) // told of each folder entered; nil: nobody
}

func newWalker(s *scan) *walker {
	w := &walker{s: s, first: listing{limit: s.r.listingLimit()}}
	w.wake.L = &w.mu
	return w
}

// run works until the queue is empty or ctx ends. It fails too where the system ran out of what a walk needs.
func (w *walker) run(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.stopped = true
		w.s.stopped.Store(true)
		w.wake.Broadcast()
	})
	defer stop()
	var wg sync.WaitGroup
	for range cmp.Or(w.workers, runtime.GOMAXPROCS(0)) - 1 {
		wg.Go(func() { w.work(&listing{limit: w.first.limit}) })
	}
	w.work(&w.first)
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	return w.s.failure()
}

func (w *walker) work(l *listing) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		for w.next == len(w.queue) && w.busy > 0 && !w.stopped {
			w.wake.Wait()
		}
		if w.stopped || w.next == len(w.queue) {
			w.wake.Broadcast()
			return
		}
		t := w.queue[w.next]
		w.queue[w.next] = task{}
		if w.next++; w.next > 1024 && 2*w.next > len(w.queue) {
			w.queue, w.next = append(w.queue[:0], w.queue[w.next:]...), 0
		}
		w.busy++
		w.mu.Unlock()
		w.walkDir(t, l)
		w.mu.Lock()
		w.busy--
	}
}

func (w *walker) push(tasks []task) {
	if len(tasks) == 0 {
		return
	}
	w.mu.Lock()
	w.queue = append(w.queue, tasks...)
	w.mu.Unlock()
	if len(tasks) == 1 {
		w.wake.Signal()
	} else {
		w.wake.Broadcast()
	}
}

// walkDir lists a folder and walks it, unless what it holds leaves it out.
func (w *walker) walkDir(t task, l *listing) {
	s, rel := w.s, t.entry.full[w.s.skip:]
	v := t.v
	if s.mem.full.Load() { // what lies deeper than what was refused
		s.leaveOut(t.node, rel, v)
		return
	}
	if err := s.r.list(rel, t.entry.full+"/", l); err != nil {
		if isMissing(err) || s.exhausted(err) { // gone since its name was read
			return
		}
		v.first(code.Unreadable, syserr.Cause(err).Error())
		t.node.skipped = append(t.node.skipped, Skipped{rel, true, v.reason, v.detail})
		return
	}
	d, v := s.enter(t.parent, t.entry, v, l)
	if v.reason != "" && d.closed {
		l.done()
		t.node.skipped = append(t.node.skipped, Skipped{rel, true, v.reason, v.detail})
		return
	}
	w.scanDir(t.node, d, l)
}

// leaveOut notes the folder rel as one that the walk has no memory for.
func (s *scan) leaveOut(n *node, rel string, v verdict) {
	v.first(code.CapMemory, s.mem.detail())
	n.skipped = append(n.skipped, Skipped{rel, true, v.reason, v.detail})
}

// scanDir sorts the entries of the folder d into n and onto the queue, and closes the listing.
func (w *walker) scanDir(n *node, d *dir, l *listing) {
	defer l.done()
	s := w.s
	if !s.holdListing(l) {
		s.leaveOut(n, strings.TrimSuffix(d.full[s.skip:], "/"), verdict{})
		return
	}
	if w.dirs != nil {
		w.dirs(strings.TrimSuffix(d.full[s.skip:], "/"))
	}
	files := 0
	for i := range l.entries {
		if l.entries[i].form == formFile {
			files++
		}
	}
	n.files = make([]File, 0, files)
	var tasks []task
	for _, e := range l.entries {
		rel := e.full[s.skip:]
		switch {
		case s.stopped.Load():
			return
		case len(rel) > maxTreePath:
			n.skipped = append(n.skipped, Skipped{rel, e.form == formDir, code.CapMemory, fmt.Sprintf("a path of %d bytes, at most %d count", len(rel), maxTreePath)})
			continue
		}
		switch e.form {
		case formDir:
			v := s.judge(d, e, true)
			if v.reason != "" && !s.mayEnter(d, e, v) {
				n.skipped = append(n.skipped, Skipped{rel, true, v.reason, v.detail})
				continue
			}
			kid := &node{full: e.full + "/"}
			n.kids = append(n.kids, kid)
			tasks = append(tasks, task{kid, d, e, v})
		case formFile:
			if v := s.judge(d, e, false); v.reason != "" {
				n.skipped = append(n.skipped, Skipped{rel, false, v.reason, v.detail})
			} else if f, form, err := l.stat(e, rel); err == nil && form == formFile {
				if f.Lifted = v.lifted; f.Size > s.r.maxBytes(rel) {
					n.skipped = append(n.skipped, s.r.tooLarge(f))
				} else {
					n.files = append(n.files, f)
				}
			} else if err != nil && !isMissing(err) && !s.exhausted(err) {
				n.skipped = append(n.skipped, Skipped{rel, false, code.Unreadable, syserr.Cause(err).Error()})
			}
		default:
			n.skipped = append(n.skipped, s.r.notRegular(rel, e.form))
		}
	}
	w.push(tasks)
}

// mayEnter reports whether a folder that its name or a rule leaves out is looked into all the same: for what a "!"
// lifts in it, or since it may be something that comes before v's reason.
func (s *scan) mayEnter(d *dir, e entry, v verdict) bool {
	if rank[v.reason] < rank[code.Worktree] {
		return false
	}
	if d.own != nil && s.reaches(&dir{full: e.full + "/", own: d.own, closed: d.closed}, v) {
		return true
	}
	if v.detail == ownState {
		return false
	}
	rel := e.full[s.skip:]
	for _, mark := range []string{"/.git", "/HEAD"} {
		if _, _, err := s.r.lstat(rel + mark); err == nil {
			return true
		}
	}
	return false
}
