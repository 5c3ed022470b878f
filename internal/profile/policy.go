package profile

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/intent"
)

// Mode says how a task is to be done.
type Mode string

// The modes.
const (
	Any          Mode = ""              // nobody said
	Implement    Mode = "implement"     // task × 1.2, project × .9
	AnalysisOnly Mode = "analysis_only" // task × .9, project × 1.2
	Plan         Mode = "plan"          // project × 1.2
	// compression by .2 more aggressive, where it is allowed; likely code as pointers
	Cheap Mode = "cheap"
)

// modes is what each mode changes. The published text gives the first two; it says that the others raise project and
// compression, and the numbers of those are ours.
var modes = map[Mode]struct{ task, project, aggressive float64 }{
	Any:          {1, 1, 0},
	Implement:    {1.2, .9, 0},
	AnalysisOnly: {.9, 1.2, 0},
	Plan:         {1, 1.2, 0},
	Cheap:        {1, 1, .2},
}

// ParseMode reads a mode in any case. The error lists those known.
func ParseMode(s string) (Mode, error) {
	m := Mode(strings.ToLower(s))
	if _, ok := modes[m]; !ok {
		return "", fmt.Errorf("mode %q is unknown: want implement, analysis_only, plan or cheap", s)
	}
	return m, nil
}

// Job is what a policy has to know of a task.
type Job struct {
	Mode  string   // see [ParseMode]
	Tags  []string //
	Files []string // mentioned, each as a path with or without lines; beside those that Text names
	Text  string   // what the task says
}

// Request says what a context is to be made of.
type Request struct {
	Profile        string
	Strategy       string
	Mode           Mode
	Weights        Weights // with the mode's changes, of sum 1
	Preferred      []string
	Excluded       []string
	OnlyPreferred  bool
	MinImportance  float64
	Tags           []string     // of the task: lower case, in order, each once
	Mentions       []intent.Ref // files that the task mentions, in order of mention
	Head, Tail     int
	Compress       bool
	Aggressiveness float64 // 0 to 1
	Code           Caps
	InjectAt       float64
	MinRelevance   float64
	// code between MinRelevance and InjectAt stands with its text where the code budget is left
	LikelyText bool
	Budget     int                   // tokens of the whole context
	Budgets    map[intent.Memory]int // tokens by type of memory, where the plan sets them
	MaxPerType int                   // items of one type of memory; 0: any number
	Skip       []intent.Memory       // types of memory that are left out
	Nothing    bool                  // the text asks for nothing: no item is kept
}

// Policy makes the request of a task for an agent of a profile. plan is that of the task's text; the zero Plan sets
// nothing. budget is in tokens; 0 means the plan's. The error tells of a mode that is unknown, a budget below 0, or
// none at all.
func Policy(job Job, p Profile, plan intent.Plan, budget int) (Request, error) {
	mode, err := ParseMode(job.Mode)
	if err != nil {
		return Request{}, err
	}
	nothing := plan.Frame != "" && len(plan.Queries) == 0
	budget = cmp.Or(budget, plan.TotalBudget)
	if budget < 0 || budget == 0 && !nothing {
		return Request{}, fmt.Errorf("budget of %d tokens must be at least 1", budget)
	}
	change := modes[mode]
	p = p.clone()
	r := Request{
		Profile: p.ID, Strategy: p.Strategy, Mode: mode,
		Weights: Weights{p.Weights.Task * change.task, p.Weights.Project * change.project,
			p.Weights.Global}.Normalized(),
		Preferred: p.Preferred, Excluded: p.Excluded, OnlyPreferred: p.OnlyPreferred, MinImportance: p.MinImportance,
		Mentions: mentions(job), Head: p.Head, Tail: p.Tail, Compress: p.Compress,
		Code: p.Code, InjectAt: p.InjectAt, MinRelevance: p.MinRelevance, LikelyText: p.LikelyText && mode != Cheap,
		Budget: budget, Budgets: maps.Clone(plan.Budgets), MaxPerType: plan.MaxPerType, Skip: slices.Clone(plan.Skip),
		Nothing: nothing,
	}
	if r.Compress {
		r.Aggressiveness = min(1, p.Aggressiveness+change.aggressive)
	}
	for _, tag := range job.Tags {
		r.Tags = append(r.Tags, strings.ToLower(tag))
	}
	slices.Sort(r.Tags)
	r.Tags = slices.Compact(r.Tags)
	return r, nil
}

// Admits reports whether items of a kind can be kept at all: a source of kinds that cannot need not be asked.
func (r *Request) Admits(kind string) bool { return r.kindReason(kind) == "" }

// Files are the paths of the files that the task mentions, in order and each once: what its complexity and fingerprint
// are counted by.
func (r *Request) Files() []string {
	files := make([]string, 0, len(r.Mentions))
	for _, ref := range r.Mentions {
		files = append(files, ref.Path)
	}
	slices.Sort(files)
	return slices.Compact(files)
}
