package asked

import (
	"slices"
	"strings"
)

// block is the frames of one stack.
type block struct {
	frames []Place
	last   bool // the most recent call is the last one, as in Python
	fixed  bool // a header said which one it is
}

// isPython reports whether a line is a frame as Python prints it.
func isPython(line string) bool {
	t := strings.TrimLeft(line, " \t|+-")
	return strings.HasPrefix(t, `File "`) && strings.Contains(t, `", line `)
}

// header notes what stands above a stack: which of its ends is the most recent call, and whether it caused the one
// before.
func (s *scanner) header(line string) {
	t := strings.TrimLeft(line, " \t|+-")
	switch {
	case strings.HasPrefix(t, "Traceback (most recent call last"):
		s.open(&block{last: true, fixed: true})
	case strings.HasSuffix(t, "(most recent call first):"), strings.HasPrefix(t, "goroutine ") &&
		strings.HasSuffix(t, ":"):
		s.open(&block{fixed: true})
	case strings.HasPrefix(t, "Caused by:"):
		s.before = true
		s.open(&block{})
	case strings.HasPrefix(t, "During handling of the above exception"):
		s.before = true
	}
}

// open begins a stack. One that caused the stacks before it, or came of handling what they tell of, stands in front of
// them.
func (s *scanner) open(b *block) {
	if s.before && s.cur != nil {
		s.blocks = slices.Insert(s.blocks, s.chain, b)
	} else {
		s.chain = len(s.blocks)
		s.blocks = append(s.blocks, b)
	}
	s.cur, s.before = b, false
}

// addFrame adds a frame to the stack that it belongs to: Python's and others are never of one.
func (s *scanner) addFrame(p Place, python bool) {
	switch {
	case s.cur == nil, len(s.cur.frames) > 0 && !s.cur.fixed && s.cur.last != python:
		s.open(&block{last: python})
	case s.cur.last && !python && len(s.cur.frames) > 0: // what follows a traceback of Python
		s.open(&block{})
	case !s.cur.fixed:
		s.cur.last = python
	}
	s.cur.frames = append(s.cur.frames, p)
}

// frames are the frames of all stacks, of each the most recent call first.
func (s *scanner) frames() (all []Place) {
	for _, b := range s.blocks {
		if b.last {
			slices.Reverse(b.frames)
			b.last = false
		}
		all = append(all, b.frames...)
	}
	return all
}
