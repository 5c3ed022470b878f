package hook

import (
	"slices"

	"github.com/contextd/contextd/internal/prompt"
)

// state is what the records of a session add up to.
type state struct {
	turns []turn // the last ones, oldest first
	held  []prompt.Held
}

// turn is a prompt for which a context was compiled, and what the agent did since.
type turn struct {
	id     string
	roots  []string
	pieces []piece
	acts   []record
	sent   bool // feedback of all acts is in the store
}

// Limits of a state. What is beyond may be given again, or counts for nothing.
const (
	maxHeld     = 500
	maxTurns    = 8
	maxTurnActs = 300
)

// stateOf adds records up, in their order.
func stateOf(records []record) (s state) {
	hold := func(h prompt.Held) {
		if h.ID != "" || h.Path != "" {
			s.held = append(s.held, h)
		}
		if len(s.held) > maxHeld {
			s.held = s.held[1:]
		}
	}
	for _, r := range records {
		switch r.Kind {
		case givenPieces:
			s.turns = append(s.turns, turn{id: r.ID, roots: r.Roots, pieces: r.Pieces})
			s.turns = s.turns[max(0, len(s.turns)-maxTurns):]
			for _, p := range r.Pieces {
				hold(prompt.Held{ID: p.ID, Hash: p.Hash, Pointer: p.Pointer})
			}
		case wasCompacted:
			s.held = nil
		case wasSent:
			for i := range s.turns {
				s.turns[i].sent = s.turns[i].sent || s.turns[i].id == r.ID
			}
		case readFile, editFile, addFile, findText:
			n := len(s.turns)
			if n == 0 {
				continue
			}
			t := &s.turns[n-1]
			if len(t.acts) < maxTurnActs {
				t.acts = append(t.acts, r)
				t.sent = false
			}
			if rel, ok := relativeToRoot(r.File, t.roots...); ok && r.Kind != findText && !r.Part && !r.Sub {
				hold(prompt.Held{Path: rel})
			}
		}
	}
	return s
}

// lastPieces are the pieces of the last prompt.
func (s *state) lastPieces() []piece {
	if n := len(s.turns); n > 0 {
		return s.turns[n-1].pieces
	}
	return nil
}

// pending are the turns of which feedback is to be sent.
func (s *state) pending() []turn {
	return slices.DeleteFunc(slices.Clone(s.turns), func(t turn) bool { return t.sent || t.id == "" })
}

// feedback is what a turn tells of its pieces. A file that was given counts as used where it was edited, where an edit
// repeats its lines, or where it was given as a pointer and opened; as re-fetched where it was given with its text and
// these lines were read all the same. Other lines of it say nothing. A file that is new was missed by nobody.
func (t *turn) feedback() (f prompt.Feedback) {
	f.Done = true
	add := func(list *[]string, x string) {
		if !slices.Contains(*list, x) {
			*list = append(*list, x)
		}
	}
	for _, a := range t.acts {
		for _, id := range a.Cites {
			add(&f.Followed, id)
		}
		if a.Kind == findText {
			add(&f.Searched, a.Query)
			continue
		}
		rel, ok := relativeToRoot(a.File, t.roots...)
		if !ok {
			continue
		}
		switch a.Kind {
		case editFile:
			add(&f.Edited, rel)
		case readFile:
			given := false
			for _, p := range t.pieces {
				switch {
				case p.Path != rel:
					continue
				case p.Pointer:
					add(&f.Followed, p.ID)
				case !a.Part || a.First <= p.Last && a.Last >= p.First:
					add(&f.Opened, p.ID)
				}
				given = true
			}
			if !given {
				add(&f.Opened, rel)
			}
		}
	}
	return f
}
