package queue

import (
	"time"

	"github.com/contextd/contextd/internal/code"
)

// Message is one entry of the intake.
type Message struct {
	ID     string
	At     time.Time // when it was appended to the intake
	Fields map[string]string
}

// Accepted is a valid message.
type Accepted struct {
	Request
	Arrived time.Time // when it was appended to the intake
}

// Merge is what a batch of messages adds to the pending set of one root of a project.
type Merge struct {
	Project string
	Root    string
	Items   []Item // distinct by path; only a Rescan if any was asked for
	LastID  string
	First   time.Time // arrival of the oldest message
	Last    time.Time // arrival of the newest message
}

// Rescan reports whether m asks for a rescan of the whole root.
func (m *Merge) Rescan() bool { return len(m.Items) == 1 && m.Items[0].Path == Rescan }

// WithRootIndex returns m under an index id of its own root. It is used when another root is pending under m's id
// already, which happens when two processes handle the first messages of a project: no root's changes are lost or
// mistaken for the other's.
func (m *Merge) WithRootIndex() *Merge {
	own := *m
	own.Project = code.RootIndexID(m.Project, m.Root)
	return &own
}

// Coalesce merges messages, given in the order of the intake, by project and root. The result is in order of first
// appearance.
func Coalesce(accepted []Accepted) []*Merge {
	var all []*Merge
	type state struct {
		m  *Merge
		at map[code.Path]int // index in m.Items
	}
	type place struct{ project, root string }
	byRoot := map[place]*state{}
	for _, r := range accepted {
		at := place{r.Project, r.Root}
		s := byRoot[at]
		if s == nil {
			s = &state{m: &Merge{Project: r.Project, Root: r.Root, First: r.Arrived, Last: r.Arrived},
				at: map[code.Path]int{}}
			byRoot[at] = s
			all = append(all, s.m)
		}
		m := s.m
		m.LastID = r.ID
		if r.Arrived.After(m.Last) {
			m.Last = r.Arrived
		}
		if m.Rescan() || len(r.Paths) == 0 {
			m.Items = append(m.Items[:0], Item{Rescan, r.ID})
			continue
		}
		for _, p := range r.Paths {
			if i, ok := s.at[p]; ok {
				m.Items[i].ID = r.ID
				continue
			}
			s.at[p] = len(m.Items)
			m.Items = append(m.Items, Item{p, r.ID})
		}
		if len(m.Items) > MaxPaths {
			m.Items = append(m.Items[:0], Item{Rescan, r.ID})
		}
	}
	return all
}

// Due is when a project may be claimed: Debounce after its last message, at most MaxDelay after the first, and not
// before the end of a delay that Retry or Release asked for. lag is how long the last message had waited when it was
// merged: where draining falls behind, more messages of the same burst are still to come, and due counts from then.
func Due(first, last time.Time, lag time.Duration, notBefore time.Time) time.Time {
	first, last = first.Add(lag), last.Add(lag)
	due := last.Add(Debounce)
	if limit := first.Add(MaxDelay); limit.Before(due) {
		due = limit
	}
	if notBefore.After(due) {
		due = notBefore
	}
	return due
}
