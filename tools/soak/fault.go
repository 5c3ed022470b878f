//go:build unix

package main

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// faults are those that last. One of a group at a time: a new one ends the one before.
type faults struct {
	mu    sync.Mutex // guards the fields
	lasts map[string]*lasting
	begun int
}

// lasting is a fault that lasts until its time is over, or until it is finished.
type lasting struct {
	until time.Time
	over  func() // ends it, once; returns when it is over
}

// begin notes a fault of a group that was just begun, which undo ends after a while.
func (f *faults) begin(group string, while time.Duration, undo func()) {
	f.finish(group)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.lasts == nil {
		f.lasts = map[string]*lasting{}
	}
	l := &lasting{until: time.Now().Add(while), over: sync.OnceFunc(undo)}
	f.lasts[group] = l
	f.begun++
	time.AfterFunc(while, l.over)
}

// finish ends the fault of a group, if there is one.
func (f *faults) finish(group string) {
	f.mu.Lock()
	l := f.lasts[group]
	delete(f.lasts, group)
	f.mu.Unlock()
	if l != nil {
		l.over()
	}
}

// await waits until the fault of a group is over by its time.
func (f *faults) await(group string) {
	f.mu.Lock()
	l := f.lasts[group]
	f.mu.Unlock()
	if l != nil {
		time.Sleep(time.Until(l.until))
		f.finish(group)
	}
}

// on reports whether a fault of the group lasts.
func (f *faults) on(group string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.lasts[group]
	return l != nil && time.Now().Before(l.until)
}

// finishAll ends all.
func (f *faults) finishAll() {
	f.mu.Lock()
	groups := slices.Collect(maps.Keys(f.lasts))
	f.mu.Unlock()
	for _, g := range groups {
		f.finish(g)
	}
}

// calm is a function that reports whether no fault lasted from now until it is called. Faults of a second ago count.
func (f *faults) calm() func() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	begun, quiet := f.begun, true
	for _, l := range f.lasts {
		quiet = quiet && time.Since(l.until) > time.Second
	}
	return func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return quiet && f.begun == begun
	}
}
