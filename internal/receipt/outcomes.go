package receipt

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Ended is how a task ended.
type Ended struct {
	TaskID  string
	Success *bool // nil: recorded, and whether it succeeded is unknown
}

// Outcomes join the contexts that were compiled for tasks with how these ended.
type Outcomes struct {
	Agents []Succeeds     `json:"agents"` // by kind of agent and profile
	Shapes []ShapeOutcome `json:"shapes"` // by kind of agent and shape, the most tasks first
	Tasks  []TaskOutcome  `json:"tasks"`  // that ended and had a context, in the order given
}

// Succeeds counts tasks by how they ended, each once, for one kind of agent under one profile.
type Succeeds struct {
	AgentKind string  `json:"agent_kind"`
	Profile   string  `json:"profile"`
	Contexts  int     `json:"contexts"` // compiled for these tasks
	Tasks     int     `json:"tasks"`
	Succeeded int     `json:"succeeded"`
	Failed    int     `json:"failed"`
	Unknown   int     `json:"unknown"`
	Rate      float64 `json:"success_rate"` // of those that succeeded or failed; 0 where none did
}

// Shape is what contexts have in common whose fingerprints differ in tokens, files and tags only.
type Shape struct {
	Mode       string     `json:"mode"`
	Complexity Complexity `json:"complexity"`
	Kinds      []string   `json:"kinds"`
	Compressed bool       `json:"compressed"`
}

// ShapeOutcome is how often tasks with a context of one shape succeeded.
type ShapeOutcome struct {
	Shape
	Succeeds
}

// TaskOutcome is how a task ended, and the fingerprints of the contexts compiled for it.
type TaskOutcome struct {
	TaskID       string   `json:"task_id"`
	Success      *bool    `json:"success"` // null: unknown
	Fingerprints []string `json:"fingerprints"`
}

// ShapeOf is the shape of a context.
func ShapeOf(f *Fingerprint) Shape {
	return Shape{Mode: f.Mode, Complexity: f.Complexity, Kinds: append([]string{}, f.Kinds...),
		Compressed: f.CompressionRatio < 1}
}

// key tells shapes apart.
func (s Shape) key() string {
	compressed := ""
	if s.Compressed {
		compressed = "compressed"
	}
	return strings.Join(append([]string{s.Mode, string(s.Complexity), compressed}, s.Kinds...), "\x00")
}

// tally counts the tasks of one group.
type tally struct {
	ShapeOutcome
	key  string
	seen map[string]bool // tasks
}

// Join joins receipts with the tasks that they were for. A task counts once for each kind of agent, profile and shape
// that it was given; contexts of tasks that have not ended count for nothing.
func Join(receipts []*Receipt, ended []Ended) Outcomes {
	tasks := map[string]int{}
	out := Outcomes{Agents: []Succeeds{}, Shapes: []ShapeOutcome{}, Tasks: []TaskOutcome{}}
	for i, e := range ended {
		if _, twice := tasks[e.TaskID]; e.TaskID != "" && !twice {
			tasks[e.TaskID] = i
		}
	}
	prints := map[string][]string{}
	agents, shapes := map[string]*tally{}, map[string]*tally{}
	for _, r := range receipts {
		i, known := tasks[r.TaskID]
		if !known || r.Fingerprint == nil {
			continue
		}
		if of := prints[r.TaskID]; !slices.Contains(of, r.Fingerprint.ID) {
			prints[r.TaskID] = append(of, r.Fingerprint.ID)
		}
		shape, who := ShapeOf(r.Fingerprint), r.AgentKind+"\x00"+r.Profile+"\x00"
		count(agents, who, r, Shape{}, ended[i].Success)
		count(shapes, who+shape.key(), r, shape, ended[i].Success)
	}
	for _, t := range sortedTallies(agents) {
		out.Agents = append(out.Agents, t.Succeeds)
	}
	for _, t := range sortedTallies(shapes) {
		out.Shapes = append(out.Shapes, t.ShapeOutcome)
	}
	for i, e := range ended {
		if of := prints[e.TaskID]; len(of) > 0 && tasks[e.TaskID] == i {
			slices.Sort(of)
			out.Tasks = append(out.Tasks, TaskOutcome{e.TaskID, e.Success, of})
		}
	}
	return out
}

func count(all map[string]*tally, key string, r *Receipt, s Shape, success *bool) {
	t := all[key]
	if t == nil {
		t = &tally{key: key, seen: map[string]bool{},
			ShapeOutcome: ShapeOutcome{s, Succeeds{AgentKind: r.AgentKind, Profile: r.Profile}}}
		all[key] = t
	}
	t.Contexts++
	if t.seen[r.TaskID] {
		return
	}
	t.seen[r.TaskID] = true
	t.Tasks++
	switch {
	case success == nil:
		t.Unknown++
	case *success:
		t.Succeeded++
	default:
		t.Failed++
	}
	if n := t.Succeeded + t.Failed; n > 0 {
		t.Rate = round(float64(t.Succeeded) / float64(n))
	}
}

// sortedTallies are tallies, the most tasks first.
func sortedTallies(all map[string]*tally) []*tally {
	return slices.SortedFunc(maps.Values(all), func(a, b *tally) int {
		return cmp.Or(b.Tasks-a.Tasks, cmp.Compare(a.key, b.key))
	})
}
