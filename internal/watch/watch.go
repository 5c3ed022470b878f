package watch

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/sandbox"
)

// Coverage says how a watched root is followed.
type Coverage string

// How a root is followed. Only events are quick.
const (
	None    Coverage = ""        // not watched, or the root is not there
	Events  Coverage = "events"  // every folder that counts has a watch
	Polling Coverage = "polling" // the system gave no more watches: the root is walked every few seconds
)

// Times of a watcher.
const (
	watchQuiet   = 100 * time.Millisecond // a batch ends after so long without an event
	watchLongest = time.Second            // and at the latest so long after its first
	watchFirst   = 5 * time.Millisecond   // a first event after so long as watchLongest without any waits no longer: who asks next is told
	watchAgain   = time.Second            // between looks for a root that is gone
	pollEvery    = 5 * time.Second        // between walks when polling, or 20 times what a walk takes
	maxBatch     = 2000                   // more paths in one batch are a rescan
)

// Watcher tells what changes in roots. Events are hints: it never says what happened to a file, only which to look at.
type Watcher struct {
	log  *slog.Logger
	opts sandbox.Options

	quiet, longest, again, poll time.Duration
	add                         func(*fsnotify.Watcher, string) error

	mu       sync.Mutex
	warned   bool // the hint on watches was given
	coverage map[string]Coverage
}

// New makes a Watcher that follows what a Root with the same options would give.
func New(log *slog.Logger, o sandbox.Options) *Watcher {
	return &Watcher{log: log, opts: o, quiet: watchQuiet, longest: watchLongest, again: watchAgain, poll: pollEvery,
		add: (*fsnotify.Watcher).Add, coverage: map[string]Coverage{}}
}

// Coverage says how the folder given to Watch is followed right now.
func (w *Watcher) Coverage(dir string) Coverage {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.coverage[dir]
}

func (w *Watcher) cover(dir string, c Coverage) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.coverage[dir] = c
}

// Watch follows the folder dir until ctx ends, then returns nil; an error only where dir cannot be opened at first.
// onChange is called from one goroutine at a time, with paths relative to the root that were written, created or
// removed, folders too, and nothing that a rule leaves out; or with rescan, when any file may have changed: once the
// watches are in place, when an ignore file or git's index has changed, when events were lost, when the root was
// replaced, came back or went away. It must not block for long: meanwhile events wait, and may get lost.
func (w *Watcher) Watch(ctx context.Context, dir string, onChange func(paths []code.Path, rescan bool)) error {
	defer w.cover(dir, None)
	root, err := sandbox.Open(dir, w.opts)
	if err != nil {
		return err
	}
	for {
		s := &session{w: w, dir: dir, root: root, report: onChange}
		s.run(ctx)
		root.Close()
		w.cover(dir, None)
		if ctx.Err() != nil {
			return nil
		}
		onChange(nil, true) // the root went away or is another one now
		for {
			if root, err = sandbox.Open(dir, w.opts); err == nil {
				break
			}
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(w.again):
			}
		}
	}
}

// session follows one root while it stays the folder that it was.
type session struct {
	w      *Watcher
	dir    string
	root   *sandbox.Root
	report func([]code.Path, bool)

	fs      *fsnotify.Watcher
	watched map[string]bool // folders of the root with a watch, absolute
	beside  map[string]bool // files whose change means a rescan, absolute: ignore files above the root, git's own
	gitDirs map[string]bool // folders in which only files of beside are of interest

	batch   map[code.Path]bool
	removed map[code.Path]bool // paths of batch that were removed or renamed, though something may stand there now
	rescan  bool
}

// run returns when ctx ends or the root is no longer what it was.
func (s *session) run(ctx context.Context) {
	fs, err := fsnotify.NewWatcher()
	if err != nil {
		s.outOfWatches(err)
		s.pollRoot(ctx)
		return
	}
	s.fs, s.watched, s.batch, s.removed = fs, map[string]bool{}, map[code.Path]bool{}, map[code.Path]bool{}
	err = s.cover(ctx)
	if err == nil {
		s.w.cover(s.dir, Events)
		s.report(nil, true)
		err = s.follow(ctx)
	}
	fs.Close()
	if outOfWatches(err) {
		s.outOfWatches(err)
		s.pollRoot(ctx)
	}
}

// follow handles events until ctx ends, the root is replaced (both nil) or no more watches can be had.
func (s *session) follow(ctx context.Context) error {
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	defer timer.Stop()
	var latest time.Time // when the batch ends at the latest; zero: there is none
	var ended time.Time  // when the last one ended
	for {
		select {
		case <-ctx.Done():
			return nil
		case e, ok := <-s.fs.Events:
			if !ok {
				return nil
			}
			if e.Name == s.root.Path() && s.root.Replaced() {
				return nil
			}
			if !s.note(e) {
				continue
			}
		case err, ok := <-s.fs.Errors:
			if !ok {
				return nil
			}
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				s.w.log.Warn("watch", obs.KeyRoot, s.root.Path(), obs.KeyError, err)
			}
			s.rescan = true
		case <-timer.C:
			latest, ended = time.Time{}, time.Now()
			if err := s.flush(ctx); err != nil {
				return err
			}
			continue
		}
		now := time.Now()
		if latest.IsZero() {
			if latest = now.Add(s.w.longest); now.Sub(ended) > s.w.longest {
				latest = now.Add(min(s.w.longest, watchFirst))
			}
		}
		timer.Reset(min(s.w.quiet, latest.Sub(now)))
	}
}

// note puts an event into the batch; false where it is of no interest.
func (s *session) note(e fsnotify.Event) bool {
	if s.beside[e.Name] {
		s.rescan = true
		return true
	}
	parent := filepath.Dir(e.Name)
	if s.gitDirs[parent] || s.gitDirs[e.Name] {
		return false
	}
	rel, ok := s.root.Rel(e.Name)
	if !ok || rel == "." {
		return false
	}
	if e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) {
		s.forget(e.Name)
	}
	switch {
	case sandbox.IsRuleFile(filepath.Base(e.Name)):
		s.rescan = true
	case len(s.batch) >= maxBatch:
		s.rescan = true
	default:
		s.batch[rel] = true
		if e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) {
			s.removed[rel] = true
		}
	}
	return true
}
