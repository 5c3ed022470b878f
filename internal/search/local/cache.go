package local

import (
	"slices"
	"sync"
)

// cache holds the mapped segments and loaded states of all projects in use by this process, each counted by its users.
type cache struct {
	mu       sync.Mutex
	segments map[string]*segment // by folder and name
	states   map[string]*state   // the last state of a project, by folder; the cache itself is one user of each
	recent   []string            // folders of states, the last used at the end
}

// maxStates is how many projects stay loaded while no one reads them.
const maxStates = 32

// segment returns a mapped segment, opening it if necessary (openSegment); the caller releases it.
func (c *cache) segment(dir string, ref segRef, checked func(file string) bool) (*segment, error) {
	key := dir + "/" + ref.name
	c.mu.Lock()
	s := c.segments[key]
	if s != nil && s.ref == ref {
		s.refs++
		c.mu.Unlock()
		return s, nil
	}
	c.mu.Unlock()
	s, err := openSegment(dir, ref, checked)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if other := c.segments[key]; other != nil && other.ref == ref { // another was faster
		unmapFile(s.data)
		other.refs++
		return other, nil
	}
	s.refs = 1
	c.segments[key] = s
	return s, nil
}

// retainSegment adds a user to a segment that is in use.
func (c *cache) retainSegment(s *segment) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.refs++
}

func (c *cache) release(dir string, segs ...*segment) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.releaseLocked(dir, segs)
}

func (c *cache) releaseLocked(dir string, segs []*segment) {
	for _, s := range segs {
		if s == nil {
			continue
		}
		if s.refs--; s.refs > 0 {
			continue
		}
		if key := dir + "/" + s.ref.name; c.segments[key] == s {
			delete(c.segments, key)
		}
		unmapFile(s.data)
	}
}

// state gives the cached state of a folder if it was made from a CURRENT that begins with raw.
func (c *cache) state(dir string, raw []byte) *state {
	c.mu.Lock()
	defer c.mu.Unlock()
	st := c.states[dir]
	if st == nil || string(st.head.raw) != string(raw) {
		return nil
	}
	st.refs++
	c.touchLocked(dir)
	return st
}

// earlier is the manifest of the cached state of a folder if that of h has grown out of it: what differs from their
// common base then differs in h too.
func (c *cache) earlier(dir string, h *head) *table {
	c.mu.Lock()
	defer c.mu.Unlock()
	st := c.states[dir]
	if st == nil || h.base.name == "" || st.table.base != h.base || st.head.build != h.build || st.head.seq > h.seq ||
		st.head.project.Epoch != h.project.Epoch {
		return nil
	}
	return &st.table
}

// setState caches st, which has one user, as the state of its folder.
func (c *cache) setState(st *state) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.states[st.dir]; old != nil {
		c.releaseStateLocked(old)
	}
	st.refs++
	c.states[st.dir] = st
	c.touchLocked(st.dir)
	for len(c.recent) > maxStates {
		c.forgetLocked(c.recent[0])
	}
}

func (c *cache) touchLocked(dir string) {
	c.recent = slices.DeleteFunc(c.recent, func(d string) bool { return d == dir })
	c.recent = append(c.recent, dir)
}

// forget drops the cache's own reference to a folder's state.
func (c *cache) forget(dir string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forgetLocked(dir)
}

func (c *cache) forgetLocked(dir string) {
	if st := c.states[dir]; st != nil {
		delete(c.states, dir)
		c.releaseStateLocked(st)
	}
	c.recent = slices.DeleteFunc(c.recent, func(d string) bool { return d == dir })
}

// invalidate drops a cached state, so that the next user reads the folder's files from the disk and checks them.
func (c *cache) invalidate(st *state) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range st.segs {
		if key := st.dir + "/" + s.ref.name; c.segments[key] == s {
			delete(c.segments, key)
		}
	}
	if c.states[st.dir] == st {
		c.forgetLocked(st.dir)
	}
	forgetChecked(st.dir)
}

func (c *cache) forgetAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.recent) > 0 {
		c.forgetLocked(c.recent[0])
	}
}

// retainState adds a user to st.
func (c *cache) retainState(st *state) {
	c.mu.Lock()
	defer c.mu.Unlock()
	st.refs++
}

// releaseState removes a user from st.
func (c *cache) releaseState(st *state) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.releaseStateLocked(st)
}

func (c *cache) releaseStateLocked(st *state) {
	if st.refs--; st.refs == 0 {
		c.releaseLocked(st.dir, st.segs)
	}
}
