package receipt

import (
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/contextd/contextd/internal/profile"
)

var update = flag.Bool("update", false, "write the goldens")

// base is the receipt that the cases change.
func base() *Receipt {
	r := &Receipt{ID: "ctx_a", Project: "p", Agent: "k1", AgentKind: "knight", Profile: "knight", Mode: "implement",
		Frame: "task", TaskID: "t1", Query: "delete sessions", Status: "ok", Reasons: []string{},
		Weights: Weights{.5, .3, .2}, Encoding: "o200k_base", BudgetTokens: 4000, Tokens: 900, InjectAt: .85,
		MinRelevance: .3, Generation: 7,
		Items: []Line{
			{ID: "code:a.go#Drop", Source: "file:a.go:1-9", Kind: "code", Scope: profile.Project, Hash: "h1",
				Relevance: .95, Boost: 1, Score: .9, Decision: Full, Tokens: 120},
			{ID: "code:b.go#Delete", Source: "file:b.go:4-8", Kind: "code", Scope: profile.Project, Hash: "h2",
				Relevance: .6, Boost: 1, Score: .5, Decision: Pointer, Reason: "below_inject_at", Tokens: 20},
			{ID: "m_1", Source: "memory:m_1", Kind: "decision", Scope: profile.Global, Hash: "h3", Importance: .9,
				Relevance: .5, Boost: 1, Score: .6, Decision: Full, Tokens: 30},
			{ID: "m_2", Source: "memory:m_2", Kind: "plan", Scope: profile.Task, Hash: "h4", Importance: .5,
				Relevance: .4, Boost: 1, Score: .3, Decision: Dropped, Reason: "budget", NeededBudget: 4400},
		},
		Sections: []Section{{Name: "Current Task", Tokens: 40, Hash: "s1"},
			{Name: "Relevant Code", Tokens: 150, Hash: "s2"}}, PrefixHash: "px"}
	return r
}

var cases = []struct {
	name   string
	change func(r *Receipt)
}{
	{"nothing", func(*Receipt) {}},
	{"code_changed", func(r *Receipt) { r.Items[0].Hash = "new"; r.Generation = 8; r.Sections[1].Hash = "new" }},
	{"code_elsewhere", func(r *Receipt) { r.Generation = 8; r.BudgetTokens = 500 }},
	{"code_not_asked", func(r *Receipt) { r.Generation = 0; r.Profile = "royalty"; r.Items = r.Items[1:] }},
	{"code_gone", func(r *Receipt) { r.Items = r.Items[1:]; r.Generation = 8 }},
	{"ranking_refused_now", func(r *Receipt) {
		r.Items = append(r.Items[1:], Line{ID: "code:a.go", Source: "file:a.go", Kind: "code", Relevance: .22,
			Decision: Dropped, Reason: "below_threshold"})
	}},
	{"ranking_swapped", func(r *Receipt) {
		r.Items[0], r.Items[1] = r.Items[1], r.Items[0]
		r.Items[0].Relevance, r.Items[0].Score, r.Items[0].Decision, r.Items[0].Reason = .97, .95, Full, ""
		r.Items[1].Relevance, r.Items[1].Score = .9, .85
	}},
	{"usage_lowered", func(r *Receipt) {
		r.Items[2].Boost, r.Items[2].Score = .5, .3
		r.Items = append(r.Items[2:3:3], r.Items[0], r.Items[1], r.Items[3])
	}},
	{"policy_other_profile", func(r *Receipt) {
		r.Profile, r.Weights = "royalty", Weights{.2, .5, .3}
		r.Items[0].Decision, r.Items[0].Reason = Dropped, "kind_excluded"
	}},
	{"policy_mode", func(r *Receipt) {
		r.Mode, r.Weights = "cheap", Weights{.6, .2, .2}
		r.Items[0].Decision = Compressed
	}},
	{"budget_larger", func(r *Receipt) {
		r.BudgetTokens = 8000
		r.Items[3].Decision, r.Items[3].Reason, r.Items[3].NeededBudget, r.Tokens = Full, "", 0, 1000
	}},
	{"memory_new_and_forgotten", func(r *Receipt) {
		r.Items[2] = Line{ID: "m_9", Source: "memory:m_9", Kind: "fact", Scope: profile.Project, Hash: "h9",
			Importance: .8, Boost: 1, Score: .6, Decision: Full, Tokens: 10}
	}},
	{"memory_less_important", func(r *Receipt) {
		r.Items[2].Importance, r.Items[2].Decision, r.Items[2].Reason = .2, Dropped, "below_min_importance"
	}},
	{"said_already", func(r *Receipt) { r.Items[2].Decision, r.Items[2].Reason = Dropped, "redundant" }},
	{"fault", func(r *Receipt) {
		r.Status, r.Reasons, r.Items = "degraded", []string{"memory_unavailable"}, r.Items[:2]
	}},
	{"task_other", func(r *Receipt) {
		r.TaskID, r.Query, r.PrefixHash, r.Items = "t2", "add a lamp", "py", r.Items[1:]
	}},
	{"history_grew", func(r *Receipt) {
		r.Sections = append(r.Sections, Section{Name: "Recent Task History", Tokens: 30, Hash: "s3"})
	}},
}

func TestGoldenDiffs(t *testing.T) {
	t.Parallel()
	var a txtar.Archive
	for _, c := range cases {
		b := base()
		b.ID = "ctx_b"
		c.change(b)
		data, err := json.MarshalIndent(Diff(base(), b), "", " ")
		if err != nil {
			t.Fatal(err)
		}
		a.Files = append(a.Files, txtar.File{Name: c.name, Data: append(data, '\n')})
	}
	got, file := string(txtar.Format(&a)), "testdata/diff.txtar"
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || got != string(want) {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
}

func TestADiffWithItselfIsEmpty(t *testing.T) {
	t.Parallel()
	if c := Diff(base(), base()); !c.Same || len(c.Items)+len(c.Settings)+len(c.Sections)+len(c.Causes) != 0 ||
		c.Prefix {
		t.Errorf("%+v", c)
	}
}

func TestFingerprint(t *testing.T) {
	t.Parallel()
	f := Facts{Mode: "implement", Profile: "knight", Files: []string{"b.go", "a.go", "b.go"}, Tags: []string{"y", "x"},
		Tokens: 900, Lines: base().Items, Before: 300, After: 100}
	fp := NewFingerprint(f)
	if fp.Complexity != Simple || fp.FileCount != 2 || fp.Tokens != 900 ||
		strings.Join(fp.Kinds, ",") != "code,decision" || fp.CompressionRatio != .3333 ||
		fp.Items != (Counts{Task: 0, Project: 2, Global: 1}) || strings.Join(fp.Tags, ",") != "x,y" ||
		!strings.HasPrefix(fp.ID, "fp_") || len(fp.ID) != 19 ||
		fp.FilesHash != "84c0af8672333f6a80d016ee99b9d031f3eebc568c0766ceebdef63121057ecb" {
		t.Errorf("%+v", fp)
	}
	f.Files = []string{"a.go", "b.go"}
	if again := NewFingerprint(f); !reflect.DeepEqual(fp, again) {
		t.Errorf("the order of files counts: %+v, %+v", fp, again)
	}
	f.Tokens++
	if NewFingerprint(f).ID == fp.ID {
		t.Error("another context has the same fingerprint")
	}
	if empty := NewFingerprint(Facts{}); empty.CompressionRatio != 1 || empty.Kinds == nil || empty.Tags == nil {
		t.Errorf("%+v", empty)
	}
}

func TestComplexity(t *testing.T) {
	t.Parallel()
	for files, want := range map[int]Complexity{
		0:  Simple,
		2:  Simple,
		3:  Moderate,
		5:  Moderate,
		6:  Complex,
		60: Complex,
	} {
		if got := ComplexityOf(files); got != want {
			t.Errorf("%d files: %s, want %s", files, got, want)
		}
	}
}

func TestFingerprintHasTheDesignsNamesAndKeepsItsShape(t *testing.T) {
	t.Parallel()
	f := Facts{Mode: "implement", Profile: "knight", Files: []string{"a.go"}, Tokens: 9,
		Lines: []Line{{ID: "x", Kind: "code", Scope: "project", Decision: Full}}}
	plain := NewFingerprint(f)
	f.TaskID = "task-042"
	fp := NewFingerprint(f)
	if fp.ID != plain.ID || plain.TaskFingerprint != "" || fp.TaskFingerprint != "fp-task-042" ||
		fp.FileHash != fp.FilesHash[:8] || *fp.TierCounts != fp.Items || fp.Compression != 1 {
		t.Errorf("%+v", fp)
	}
	shape := *fp
	shape.ID, shape.TaskFingerprint, shape.FileHash, shape.TierCounts, shape.Compression = "", "", "", nil, 0
	if "fp_"+digest(&shape) != fp.ID {
		t.Error("the id depends on the other names")
	}
}
