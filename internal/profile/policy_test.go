package profile

import (
	"fmt"
	"math"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/intent"
)

func get(t testing.TB, id string) Profile {
	t.Helper()
	p, err := Builtin().Get(id)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func request(t testing.TB, job Job, id string) Request {
	t.Helper()
	r, err := Policy(job, get(t, id), intent.Plan{}, 8000)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestModesChangeTheWeights(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]Weights{
		"":              {.5, .3, .2},
		"implement":     {.6 / 1.07, .27 / 1.07, .2 / 1.07},
		"IMPLEMENT":     {.6 / 1.07, .27 / 1.07, .2 / 1.07},
		"analysis_only": {.45 / 1.01, .36 / 1.01, .2 / 1.01},
		"plan":          {.5 / 1.06, .36 / 1.06, .2 / 1.06},
		"cheap":         {.5, .3, .2},
	} {
		r := request(t, Job{Mode: mode}, "knight")
		got := r.Weights
		if math.Abs(got.Task-want.Task)+math.Abs(got.Project-want.Project)+math.Abs(got.Global-want.Global) > 1e-12 ||
			math.Abs(got.Task+got.Project+got.Global-1) > 1e-12 {
			t.Errorf("weights in mode %q are %+v, want %+v", mode, got, want)
		}
	}
	if r := request(t, Job{Mode: "cheap"}, "knight"); math.Abs(r.Aggressiveness-.8) > 1e-12 {
		t.Errorf("cheap compresses by %v", r.Aggressiveness)
	}
	if r := request(t, Job{Mode: "cheap"}, "peasant"); r.Compress || r.Aggressiveness != 0 {
		t.Errorf("cheap compresses where it is not allowed: %+v", r)
	}
	if _, err := Policy(Job{Mode: "fast"}, get(t, "knight"), intent.Plan{}, 1); err == nil ||
		!strings.Contains(err.Error(), `mode "fast" is unknown: want implement,`) {
		t.Errorf("error %v", err)
	}
}

func TestBudgetIsTheCallersOrThePlans(t *testing.T) {
	t.Parallel()
	plan, err := intent.PlanFor(intent.Classify("Should we use A or B?"), "")
	if err != nil {
		t.Fatal(err)
	}
	for budget, want := range map[int]int{0: 12000, 500: 500, 90000: 90000} {
		r, err := Policy(Job{}, get(t, "knight"), plan, budget)
		if err != nil || r.Budget != want || r.Budgets[intent.Decisions] != 3500 || r.MaxPerType != 8 || r.Nothing {
			t.Errorf("budget %d gives %+v (%v)", budget, r, err)
		}
	}
	for _, budget := range []int{-1, 0} {
		if _, err := Policy(Job{}, get(t, "knight"), intent.Plan{}, budget); err == nil {
			t.Errorf("a budget of %d and no plan is no error", budget)
		}
	}
}

// What a plan, a mode, tags and usage add is additive: without them a request is the profile's.
func TestWithoutNewInputsARequestIsTheProfiles(t *testing.T) {
	t.Parallel()
	for _, id := range Builtin().IDs() {
		p, r := get(t, id), request(t, Job{}, id)
		if r.Weights != p.Weights.Normalized() || r.Aggressiveness != p.Aggressiveness || r.Compress != p.Compress ||
			r.MaxPerType != 0 || len(r.Skip)+len(r.Budgets)+len(r.Tags)+len(r.Mentions) != 0 ||
			r.Nothing || r.Code != p.Code || r.InjectAt != p.InjectAt || r.MinRelevance != p.MinRelevance ||
			r.LikelyText != p.LikelyText || r.Head != p.Head || r.Tail != p.Tail || r.Budget != 8000 {
			t.Errorf("%s: %+v", id, r)
		}
		for _, d := range Select([]Item{{ID: "a", Kind: "plan", Scope: Task, Importance: 1, Source: "file:a.go"}}, r,
			nil) {
			if d.Boost != 1 {
				t.Errorf("%s: %+v", id, d)
			}
		}
	}
}

func TestMentionedFilesComeFromTheListAndTheText(t *testing.T) {
	t.Parallel()
	r := request(t, Job{Files: []string{"src/foo/bar.py:42", `web\my app.ts`, "./bin/tool", " ", "Makefile"},
		Text: "Fix src/foo/bar.py:42 and `a b/c.go:10-20`, not https://x.org/d.go"}, "knight")
	var got []string
	for _, ref := range r.Mentions {
		got = append(got, fmt.Sprintf("%s:%d-%d", ref.Path, ref.First, ref.Last))
	}
	want := []string{"src/foo/bar.py:42-42", "web/my app.ts:0-0", "bin/tool:0-0", "Makefile:0-0", "a b/c.go:10-20"}
	if !slices.Equal(got, want) {
		t.Errorf("mentions %q, want %q", got, want)
	}
	if files := r.Files(); !slices.Equal(files,
		[]string{"Makefile", "a b/c.go", "bin/tool", "src/foo/bar.py", "web/my app.ts"}) {
		t.Errorf("files %q", files)
	}
}

func TestMentionsMeanTheFilesTheyName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mention, source string
		want            float64
	}{
		{"src/a.go", "file:src/a.go:10-30", 2},
		{"src/a.go:12", "file:src/a.go:10-30", 3},
		{"src/a.go:31", "file:src/a.go:10-30", 2},
		{"src/a.go:12", "file:src/a.go", 2},
		{"a.go", "file:src/a.go:1-2", 2},
		{"/home/u/proj/src/a.go", "file:src/a.go:1-2", 2},
		{`C:\proj\src\a.go`, "file:src/a.go", 2},
		{"../src/a.go", "file:src/a.go", 2},
		{"~/proj/src/a.go", "file:src/a.go", 2},
		{"a.go", "file:src/ba.go", 1},
		{"b/a.go", "file:src/a.go", 1},
		{"src/a.go", "memory:src/a.go", 1},
	} {
		r := request(t, Job{Files: []string{c.mention}}, "knight")
		if got := r.mentionBoost(c.source); got != c.want {
			t.Errorf("%q boosts %q by %v, want %v", c.mention, c.source, got, c.want)
		}
	}
}

func reasons(decisions []Decision) map[string]Reason {
	m := map[string]Reason{}
	for _, d := range decisions {
		m[d.Item.ID] = d.Reason
	}
	return m
}

func TestFiltersGiveTheirReason(t *testing.T) {
	t.Parallel()
	r := request(t, Job{Tags: []string{"Auth", "db"}}, "knight")
	r.Skip = []intent.Memory{intent.Episodes}
	got := reasons(Select([]Item{
		{ID: "preferred", Kind: "code", Importance: .3, Scope: Task},
		{ID: "neutral", Kind: "fact", Importance: 1, Scope: Task},
		{ID: "excluded", Kind: "summary", Importance: 1, Scope: Task},
		{ID: "unimportant", Kind: "code", Importance: .29, Scope: Task},
		{ID: "not a number", Kind: "code", Importance: math.NaN(), Scope: Task},
		{ID: "same tag", Kind: "plan", Importance: 1, Tags: []string{"auth", "x"}},
		{ID: "other tag", Kind: "plan", Importance: 1, Tags: []string{"ui"}},
		{ID: "skipped", Kind: "episode", Importance: 1},
		{ID: "preferred", Kind: "test", Importance: 1},
	}, r, nil))
	want := map[string]Reason{"preferred": DuplicateID, "neutral": "", "excluded": KindExcluded,
		"unimportant": LowImportance, "not a number": LowImportance,
		"same tag": "", "other tag": OtherTags, "skipped": TypeSkipped}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	r = request(t, Job{}, "peasant")
	got = reasons(Select([]Item{{ID: "a", Kind: "task_input"}, {ID: "b", Kind: "plan", Importance: 1}}, r, nil))
	if got["a"] != "" || got["b"] != KindNotPreferred {
		t.Errorf("peasant: %v", got)
	}
	if r.Admits("code") || r.Admits("plan") || !r.Admits("task_input") {
		t.Error("Admits and Select differ")
	}
}

func TestScoresFollowScopeKindMentionAndUsage(t *testing.T) {
	t.Parallel()
	r := request(t, Job{Files: []string{"src/a.go"}}, "knight")
	usage := map[string]float64{"used": 1.5, "ignored": .5, "wild": 99, "broken": math.NaN()}
	decisions := Select([]Item{
		{ID: "plain", Kind: "code", Scope: Project, Importance: .5, Relevance: .5},
		{ID: "task", Kind: "code", Scope: Task, Importance: .5, Relevance: .5},
		{ID: "mentioned", Kind: "code", Scope: Project, Importance: .5, Relevance: .5, Source: "file:src/a.go:1-9"},
		{ID: "neutral", Kind: "fact", Scope: Project, Importance: .5, Relevance: .5},
		{ID: "used", Kind: "code", Scope: Project, Importance: .5, Relevance: .5},
		{ID: "ignored", Kind: "code", Scope: Project, Importance: .5, Relevance: .5},
		{ID: "wild", Kind: "code", Scope: Project, Importance: .5, Relevance: .5},
		{ID: "broken", Kind: "code", Scope: Project, Importance: .5, Relevance: .5},
	}, r, func(id string) float64 {
		if b, ok := usage[id]; ok {
			return b
		}
		return 1
	})
	want := map[string]float64{"plain": .15, "task": .25, "mentioned": .3, "neutral": .075, "used": .225,
		"ignored": .075, "wild": .225, "broken": .15}
	for _, d := range decisions {
		if math.Abs(d.Score-want[d.Item.ID]) > 1e-9 {
			t.Errorf("%s has score %v, want %v", d.Item.ID, d.Score, want[d.Item.ID])
		}
	}
	if decisions[0].Item.ID != "mentioned" || decisions[1].Item.ID != "task" {
		t.Errorf("order %v", decisions)
	}
}

func TestHeadAndTailOfWhatPassesArePreserved(t *testing.T) {
	t.Parallel()
	var items []Item
	for i := range 10 {
		items = append(items, Item{ID: fmt.Sprint(i), Kind: "code", Scope: Task, Importance: float64(10-i) / 10})
	}
	items[1].Kind, items[9].Importance = "summary", 0 // dropped
	kept := ""
	for _, d := range Select(items, request(t, Job{}, "knight"), nil) {
		if d.Preserved {
			kept += d.Item.ID
		}
	}
	if kept != "023567" { // 7: importance .3
		t.Errorf("preserved %s", kept)
	}
}

func TestAGuessIsNeitherHeadNorTail(t *testing.T) {
	t.Parallel()
	var items []Item
	for i := range 10 {
		items = append(items, Item{ID: fmt.Sprint(i), Kind: "code", Scope: Task, Importance: 1,
			Guess: i == 0 || i == 9})
	}
	kept := map[string]bool{}
	for _, d := range Select(items, request(t, Job{}, "knight"), nil) {
		if d.Preserved {
			kept[d.Item.ID] = true
		}
		if !d.Kept {
			t.Errorf("%s was dropped: %s", d.Item.ID, d.Reason)
		}
	}
	if len(kept) != 6 || kept["0"] || kept["9"] || !kept["1"] || !kept["8"] {
		t.Errorf("preserved %v, want the three on each side of what is no guess", kept)
	}
}

func TestOnlyACheapTaskTakesLikelyCodeAsPointers(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"", "implement", "analysis_only", "plan", "cheap"} {
		if r := request(t, Job{Mode: mode}, "knight"); r.LikelyText != (mode != "cheap") {
			t.Errorf("mode %q: likely text %v", mode, r.LikelyText)
		}
		if r := request(t, Job{Mode: mode}, "default"); r.LikelyText {
			t.Errorf("mode %q: the default profile gives likely text", mode)
		}
	}
}

func TestPlanBoundsTheItemsOfOneType(t *testing.T) {
	t.Parallel()
	var items []Item
	for i := range 12 {
		items = append(items, Item{ID: fmt.Sprint("d", i), Kind: "decision", Scope: Task,
			Importance: .5 + float64(i)/100},
			Item{ID: fmt.Sprint("c", i), Kind: "code", Scope: Task, Importance: .5})
	}
	r := request(t, Job{}, "knight")
	r.MaxPerType = 8
	got := reasons(Select(items, r, nil))
	for i := range 12 {
		if want := Reason(""); i < 4 && got[fmt.Sprint("d", i)] != MaxPerType ||
			i >= 4 && got[fmt.Sprint("d", i)] != want || got[fmt.Sprint("c", i)] != want {
			t.Errorf("item %d: %s, %s", i, got[fmt.Sprint("d", i)], got[fmt.Sprint("c", i)])
		}
	}
}

func TestGreetingKeepsNothing(t *testing.T) {
	t.Parallel()
	plan, _ := intent.PlanFor(intent.Classify("Hello!"), "")
	r, err := Policy(Job{}, get(t, "knight"), plan, 0)
	if err != nil || !r.Nothing || r.Budget != 0 {
		t.Fatalf("%+v (%v)", r, err)
	}
	if d := Select([]Item{{ID: "a", Kind: "code", Importance: 1}}, r, nil); d[0].Kept || d[0].Reason != NothingAsked {
		t.Errorf("%+v", d)
	}
}

func TestSelectLosesNothingAndIsStable(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewSource(1))
	kinds := []string{"code", "summary", "fact", "decision", "plan"}
	var items []Item
	for i := range 300 {
		items = append(items, Item{ID: fmt.Sprint(rng.Intn(280)), Kind: kinds[rng.Intn(5)],
			Scope: []Scope{Task, Project, Global}[rng.Intn(3)], Importance: float64(rng.Intn(5)) / 4,
			Relevance: float64(rng.Intn(3)) / 2, Source: fmt.Sprint("s", i)})
	}
	r := request(t, Job{Mode: "implement"}, "knight")
	r.MaxPerType = 5
	first := Select(items, r, nil)
	if len(first) != len(items) {
		t.Fatalf("%d of %d", len(first), len(items))
	}
	for range 5 {
		if !reflect.DeepEqual(Select(items, r, nil), first) {
			t.Fatal("order differs")
		}
	}
	for i, d := range first {
		if d.Kept != (d.Reason == "") || d.Preserved && !d.Kept {
			t.Fatalf("%+v", d)
		}
		if i > 0 && first[i-1].Kept == d.Kept && first[i-1].Score < d.Score || i > 0 && !first[i-1].Kept && d.Kept {
			t.Fatalf("item %d is out of order", i)
		}
	}
}

// The three published usages: what an agent of each kind gets for its task.
func TestPublishedUsageExamples(t *testing.T) {
	t.Parallel()
	items := []Item{
		{ID: "code-auth", Kind: "code", Scope: Project, Source: "file:src/auth.py:30-60", Importance: .6,
			Relevance: .7},
		{ID: "code-other", Kind: "code", Scope: Project, Source: "file:src/other.py:1-20", Importance: .6,
			Relevance: .7},
		{ID: "test-auth", Kind: "test", Scope: Task, Importance: .6, Relevance: .6},
		{ID: "trace", Kind: "tool_output", Scope: Task, Importance: .7, Relevance: .6},
		{ID: "talk", Kind: "conversation", Scope: Task, Importance: .9},
		{ID: "summary", Kind: "summary", Scope: Project, Importance: .7},
		{ID: "decision", Kind: "decision", Scope: Project, Importance: .8},
		{ID: "convention", Kind: "convention", Scope: Global, Importance: .8},
		{ID: "plan", Kind: "plan", Scope: Task, Importance: .8},
		{ID: "reasoning", Kind: "reasoning", Scope: Task, Importance: .45},
		{ID: "failure", Kind: "failure", Scope: Project, Importance: .6},
		{ID: "review", Kind: "review", Scope: Project, Importance: .6},
		{ID: "log", Kind: "verbose_log", Scope: Task, Importance: .9},
		{ID: "old", Kind: "decision", Scope: Project, Importance: .2},
	}
	run := func(id string, job Job) ([]string, map[string]Reason, Request) {
		r := request(t, job, id)
		decisions := Select(items, r, nil)
		var kept []string
		for _, d := range decisions {
			if d.Kept {
				kept = append(kept, d.Item.ID)
			}
		}
		return kept, reasons(decisions), r
	}

	kept, why, r := run("knight", Job{Mode: "IMPLEMENT", Files: []string{"src/auth.py:42"},
		Text: "Fix the crash on login"})
	if kept[0] != "code-auth" || why["talk"] != KindExcluded || why["summary"] != KindExcluded ||
		why["old"] != LowImportance || why["trace"] != "" ||
		r.Weights.Task < .56 || slices.Index(kept, "decision") < slices.Index(kept, "plan") || len(r.Files()) != 1 {
		t.Errorf("knight, bug fix: %v, %v", kept, why)
	}
	kept, why, r = run("royalty", Job{Mode: "PLAN", Text: "Plan the refactoring of the session layer"})
	if !slices.Equal(kept[:3], []string{"decision", "summary", "convention"}) || why["code-auth"] != KindExcluded ||
		why["test-auth"] != KindExcluded ||
		why["trace"] != KindExcluded || why["reasoning"] != LowImportance || r.Weights.Project < .54 {
		t.Errorf("royalty, refactor plan: %v, %v", kept, why)
	}
	kept, why, r = run("squire", Job{Mode: "ANALYSIS_ONLY", Text: "Review the login change"})
	if !slices.Equal(kept[:4], []string{"decision", "plan", "failure", "review"}) ||
		slices.Index(kept, "reasoning") > slices.Index(kept, "test-auth") ||
		why["trace"] != KindExcluded || why["log"] != KindExcluded || why["old"] != LowImportance ||
		r.Weights.Project <= r.Weights.Task {
		t.Errorf("squire, review: %v, %v", kept, why)
	}
}

func BenchmarkSelect(b *testing.B) {
	var items []Item
	for i := range 1000 {
		items = append(items, Item{ID: fmt.Sprint(i), Kind: []string{"code", "decision", "fact"}[i%3], Scope: Project,
			Importance: float64(i%10) / 10, Relevance: .5, Source: fmt.Sprintf("file:src/%d.go:1-20", i)})
	}
	r := request(b, Job{Text: "Fix src/7.go:3 and src/8.go and the crash", Mode: "implement"}, "knight")
	b.ReportAllocs()
	for b.Loop() {
		Select(items, r, func(string) float64 { return 1 })
	}
}
