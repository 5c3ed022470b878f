package sandbox

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/contextd/contextd/internal/code"
)

// Tree is what a walk found.
type Tree struct {
	Files    []File    // sorted by the bytes of their paths
	Skipped  []Skipped // one for each folder or file that is left out, sorted likewise
	Warnings []string  // what could not be read beside the files, such as a damaged git index
}

// Walk gives the files of the whole root. It fails only when ctx ends or the root itself cannot be read.
func (r *Root) Walk(ctx context.Context) (*Tree, error) {
	s := r.newScan()
	w := newWalker(s)
	l := &w.first
	if err := r.list("", s.prefix, l); err != nil {
		return nil, fmt.Errorf("walk root %q: %w", r.path, bare(err))
	}
	d, v := s.top(l)
	root := &node{full: s.prefix}
	if v.reason != "" {
		l.done()
		root.skipped = append(root.skipped, Skipped{Dir: true, Reason: v.reason, Detail: v.detail})
	} else {
		w.scanDir(root, d, l)
	}
	if err := w.run(ctx); err != nil {
		return nil, fmt.Errorf("walk root %q: %w", r.path, err)
	}
	return s.tree(root), nil
}

// node is a walked folder with what was found directly in it, each list sorted by name.
type node struct {
	full    string // ends in "/"
	files   []File
	skipped []Skipped
	kids    []*node
}

// task is a folder still to be walked.
type task struct {
	node   *node
	parent *dir
	entry  entry
	v      verdict
}

// walker walks folders with several workers over one stack: no recursion, whatever the depth.
type walker struct {
	s     *scan
	first listing

	mu      sync.Mutex
	wake    sync.Cond
	stack   []task
	busy    int
	stopped bool
	dirs    func(rel string) // told of each folder entered; nil: nobody
}

func newWalker(s *scan) *walker {
	w := &walker{s: s}
	w.wake.L = &w.mu
	return w
}

// run works until the stack is empty or ctx ends.
func (w *walker) run(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.stopped = true
		w.wake.Broadcast()
	})
	defer stop()
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) - 1 {
		wg.Go(func() { w.work(&listing{}) })
	}
	w.work(&w.first)
	wg.Wait()
	return ctx.Err()
}

func (w *walker) work(l *listing) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		for len(w.stack) == 0 && w.busy > 0 && !w.stopped {
			w.wake.Wait()
		}
		if w.stopped || len(w.stack) == 0 {
			w.wake.Broadcast()
			return
		}
		t := w.stack[len(w.stack)-1]
		w.stack = w.stack[:len(w.stack)-1]
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
	w.stack = append(w.stack, tasks...)
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
	if err := s.r.list(rel, t.entry.full+"/", l); err != nil {
		if isMissing(err) { // gone since its name was read
			return
		}
		v.first(code.Unreadable, bare(err).Error())
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

// scanDir sorts the entries of the folder d into n and onto the stack, and closes the listing.
func (w *walker) scanDir(n *node, d *dir, l *listing) {
	defer l.done()
	s := w.s
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
				if f.Lifted = v.lifted; f.Size > s.r.opts.MaxFileBytes {
					n.skipped = append(n.skipped, s.r.tooLarge(f))
				} else {
					n.files = append(n.files, f)
				}
			} else if err != nil && !isMissing(err) {
				n.skipped = append(n.skipped, Skipped{rel, false, code.Unreadable, bare(err).Error()})
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

func (r *Root) tooLarge(f File) Skipped {
	return Skipped{f.Path, false, code.TooLarge, fmt.Sprintf("%d bytes, at most %d count", f.Size, r.opts.MaxFileBytes)}
}

// tree collects what lies below root, in order, without recursion.
func (s *scan) tree(roots ...*node) *Tree {
	t := &Tree{Warnings: s.warnings}
	files, skipped := 0, 0
	eachNode(roots, func(n *node) { files, skipped = files+len(n.files), skipped+len(n.skipped) })
	t.Files, t.Skipped = make([]File, 0, files), make([]Skipped, 0, skipped)
	type frame struct {
		n        *node
		file, to int
	}
	for _, root := range roots {
		for stack := []frame{{n: root}}; len(stack) > 0; {
			f := &stack[len(stack)-1]
			if f.to == len(f.n.kids) {
				t.Files = append(t.Files, f.n.files[f.file:]...)
				t.Skipped = append(t.Skipped, f.n.skipped...)
				stack = stack[:len(stack)-1]
				continue
			}
			kid := f.n.kids[f.to]
			f.to++
			below, from := kid.full[s.skip:], f.file
			for f.file < len(f.n.files) && f.n.files[f.file].Path < below {
				f.file++
			}
			t.Files = append(t.Files, f.n.files[from:f.file]...)
			stack = append(stack, frame{n: kid})
		}
	}
	slices.SortFunc(t.Skipped, func(a, b Skipped) int { return strings.Compare(a.Path, b.Path) })
	return t
}

func eachNode(roots []*node, f func(*node)) {
	for stack := slices.Clone(roots); len(stack) > 0; {
		n := stack[len(stack)-1]
		stack = append(stack[:len(stack)-1], n.kids...)
		f(n)
	}
}
