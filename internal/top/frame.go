// Package top draws what "retriever top" shows: the queue, the projects and the last contexts, as lines that fit a
// terminal. It reads nothing: the command hands it a Frame a second. No line is wider than the terminal, whatever
// stands in names and paths, and nothing in them is obeyed by it.
package top

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Frame is what is known at one time.
type Frame struct {
	At       time.Time
	Backend  string // of the store: embedded or redis
	Daemon   bool   // one serves the store
	Queue    Queue
	Servers  []Server // where there are several
	Projects []Project
	Contexts []Context
	Fault    string // why this is an older state; "" if it is not
}

// Queue is what waits.
type Queue struct {
	Waiting, Delayed, InWork, Dead, Changes int
	Oldest                                  time.Duration
}

// Server is one of several servers.
type Server struct {
	Name, Address string
	Projects      int    // roots; of one that is down when it answered last, 0 where that is not known
	Fault         string // why it does not answer; "" where it does
	Down          time.Time
}

// Project is one root of a project.
type Project struct {
	ID, Root       string
	State          string // fresh, stale, waiting, …
	Stale          bool
	Pending        int // changes
	Files, Chunks  int
	Indexed        time.Time // zero: never
	RetrievalOff   bool      // code is left out of its contexts
	RebuiltPercent int       // of a next version; 0: none is built
}

// Context is one compiled context.
type Context struct {
	ID, Project, Agent, Profile, Task, Status string
	Reasons                                   []string
	At                                        time.Time
	Tokens, Budget                            int
}

// Size is that of a terminal in cells; 0: as large as it takes.
type Size struct{ Width, Height int }

// Draw is f as lines for a terminal: those that need a look stand first. hint is the last line.
func Draw(f Frame, size Size, hint string) []string {
	head := append([]string{f.title(), f.queue()}, f.servers()...)
	if f.Fault != "" {
		head = append(head, "! "+clean(f.Fault))
	}
	projects, contexts := f.projects(), f.contexts()
	np, nc := share(size.Height, len(head)+6, len(projects.rows), len(contexts.rows)) // 6: blank lines, heads, the hint
	lines := append(head, "")
	lines = append(lines, projects.lines(size.Width, np, "no projects yet")...)
	lines = append(lines, "")
	lines = append(lines, contexts.lines(size.Width, nc, "no context was compiled yet")...)
	if hint != "" {
		lines = append(lines, "", hint)
	}
	if size.Height > 0 {
		lines = lines[:min(len(lines), size.Height)]
	}
	for i, l := range lines {
		lines[i] = fit(l, size.Width)
	}
	return lines
}

// share divides the lines of a terminal of a height, of which taken are used already, between two tables. Each gets
// what it has where that is less than half; a table that is cut needs a line that says so.
func share(height, taken, a, b int) (int, int) {
	if height == 0 {
		return a, b
	}
	room := max(0, height-taken)
	if a+b <= room {
		return a, b
	}
	if half := room / 2; a <= half {
		b = room - a
	} else if b <= room-half {
		a = room - b
	} else {
		a, b = half, room-half
	}
	return a, b
}

func (f Frame) title() string {
	daemon := "no daemon"
	if f.Daemon {
		daemon = "a daemon runs"
	}
	return fmt.Sprintf("contextd  %s, %s  %s", clean(f.Backend), daemon, f.At.Format(time.TimeOnly))
}

func (f Frame) queue() string {
	q := f.Queue
	s := fmt.Sprintf("queue  %d waiting, %d delayed, %d in work, %d dead; %d changes", q.Waiting, q.Delayed, q.InWork,
		q.Dead, q.Changes)
	if q.Oldest > 0 {
		s += ", the oldest for " + age(q.Oldest)
	}
	return s
}

// servers are a line for each, those that are down first.
func (f Frame) servers() (lines []string) {
	for _, s := range f.Servers {
		if s.Fault == "" {
			lines = append(lines, fmt.Sprintf("server %s  %s  up, %d projects", clean(s.Name), clean(s.Address), s.Projects))
			continue
		}
		line := fmt.Sprintf("! server %s  %s  down", clean(s.Name), clean(s.Address))
		if !s.Down.IsZero() {
			line += " for " + age(f.At.Sub(s.Down))
		}
		if s.Projects > 0 {
			line += fmt.Sprintf(", %d projects missing", s.Projects)
		}
		lines = slices.Insert(lines, 0, line+": "+clean(s.Fault))
	}
	return lines
}

func (f Frame) projects() table {
	t := table{columns: []column{{name: "PROJECT", max: 30}, {name: "STATE", max: 20}, {name: "PENDING", right: true},
		{name: "FILES", right: true, drop: 3},
		{name: "CHUNKS", right: true, drop: 5}, {name: "INDEXED", drop: 2}, {name: "ROOT", drop: 4}}}
	list := slices.Clone(f.Projects)
	slices.SortStableFunc(list, func(a, b Project) int {
		return cmp.Or(cmp.Compare(number(b.Stale), number(a.Stale)), cmp.Compare(b.Pending, a.Pending),
			b.Indexed.Compare(a.Indexed), cmp.Compare(a.ID, b.ID))
	})
	for _, p := range list {
		state, indexed := p.State, "never"
		if p.RebuiltPercent > 0 {
			state = fmt.Sprintf("rebuilding %d %%", p.RebuiltPercent)
		}
		if p.RetrievalOff {
			state += ", code off"
		}
		if !p.Indexed.IsZero() {
			indexed = age(f.At.Sub(p.Indexed)) + " ago"
		}
		t.row(p.ID, state, strconv.Itoa(p.Pending), strconv.Itoa(p.Files), strconv.Itoa(p.Chunks), indexed, p.Root)
	}
	return t
}

func (f Frame) contexts() table {
	t := table{columns: []column{{name: "CONTEXT", drop: 4}, {name: "AGE", right: true}, {name: "AGENT", max: 24},
		{name: "PROJECT", max: 24, drop: 2}, {name: "STATUS"}, {name: "TOKENS", right: true, drop: 1},
		{name: "PROFILE", max: 16, drop: 6}, {name: "TASK", max: 24, drop: 3}, {name: "REASONS", drop: 5}}}
	list := slices.Clone(f.Contexts)
	slices.SortStableFunc(list, func(a, b Context) int { return b.At.Compare(a.At) })
	for _, c := range list {
		t.row(c.ID, age(f.At.Sub(c.At)), c.Agent, c.Project, c.Status, fmt.Sprintf("%d/%d", c.Tokens, c.Budget),
			c.Profile, c.Task, strings.Join(c.Reasons, ", "))
	}
	return t
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// age is a time span as people read it at a glance.
func age(d time.Duration) string {
	switch d = max(d, 0); {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}
