package profile

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestPublishedProfilesHaveTheirNumbers(t *testing.T) {
	t.Parallel()
	for _, want := range []Profile{
		{ID: "knight", Weights: Weights{.5, .3, .2},
			Preferred: []string{"code", "test", "tool_output", "plan", "convention"},
			Excluded:  []string{"conversation", "summary", "preference"}, MinImportance: .3, Compress: true,
			Aggressiveness: .6, Head: 3, Tail: 3},
		{ID: "squire", Weights: Weights{.4, .4, .2},
			Preferred: []string{"plan", "reasoning", "decision", "failure", "review"},
			Excluded:  []string{"tool_output", "verbose_log"}, MinImportance: .4, Compress: true, Aggressiveness: .4,
			Head: 4, Tail: 2},
		{ID: "royalty", Weights: Weights{.2, .5, .3},
			Preferred: []string{"summary", "decision", "convention", "preference", "pattern"},
			Excluded:  []string{"code", "tool_output", "test"}, MinImportance: .5, Compress: true, Aggressiveness: .3,
			Head: 5, Tail: 1},
		{ID: "peasant", Weights: Weights{.8, .1, .1}, Preferred: []string{"task_input"},
			Excluded: []string{"code", "test", "decision", "summary"}, MinImportance: 0, Compress: false,
			Head: 1, Tail: 1},
		{ID: "default", Weights: Weights{.4, .4, .2}, Compress: true, Aggressiveness: .5, Head: 2, Tail: 2},
	} {
		p, err := Builtin().ForAgent(want.ID)
		if err != nil {
			t.Fatal(err)
		}
		got := Profile{ID: p.ID, Weights: p.Weights, Preferred: p.Preferred, Excluded: p.Excluded,
			MinImportance: p.MinImportance, Compress: p.Compress, Aggressiveness: p.Aggressiveness, Head: p.Head,
			Tail: p.Tail}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s\n got %+v\nwant %+v", want.ID, got, want)
		}
		if p.Strategy != want.ID || p.InjectAt != .85 || p.MinRelevance != .3 || p.Code.Results < 3 ||
			p.Description == "" {
			t.Errorf("%s is not whole: %+v", want.ID, p)
		}
	}
}

func TestEveryAgentHasAProfileAndAStrategy(t *testing.T) {
	t.Parallel()
	kinds := Builtin().Agents()
	if len(kinds) < 8 || !slices.Equal(kinds, Builtin().IDs()) {
		t.Fatalf("agents %v, profiles %v", kinds, Builtin().IDs())
	}
	for _, kind := range kinds {
		if p, err := Builtin().ForAgent(strings.ToUpper(kind)); err != nil || p.Strategy != kind {
			t.Errorf("%s has strategy %q (%v)", kind, p.Strategy, err)
		}
	}
}

func TestUnknownNamesListTheKnown(t *testing.T) {
	t.Parallel()
	for _, get := range []func(string) (Profile, error){Builtin().Get, Builtin().ForAgent} {
		_, err := get("wizard")
		var unknown *UnknownError
		if !errors.As(err, &unknown) || unknown.Name != "wizard" || !slices.Contains(unknown.Known, "knight") ||
			!strings.Contains(err.Error(), `"wizard" is unknown: want one of architect, default,`) {
			t.Errorf("error %v", err)
		}
	}
}

func TestUserProfilesInherit(t *testing.T) {
	t.Parallel()
	s, err := Load([]File{
		{"b.yaml", []byte("profiles:\n  backend:\n    inherits: base\n    agents: [backend-dev, knight]\n    weights: {task: 0.9}\n    excluded_kinds: []\n")},
		{"a.yaml", []byte("profiles:\n  base:\n    inherits: knight\n    min_importance: 0.1\n    code: {results: 20}\n  squire:\n    inherits: squire\n    preserve_head: 9\n  bare:\n")},
		{"empty.yaml", nil}, {"comment.yaml", []byte("# nothing\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.ForAgent("backend-dev")
	if err != nil {
		t.Fatal(err)
	}
	if p.ID != "backend" || p.Weights != (Weights{.9, .3, .2}) || p.MinImportance != .1 ||
		p.Code != (Caps{20, 1600, 8192}) || !p.LikelyText || len(p.Excluded) != 0 ||
		!slices.Contains(p.Preferred, "tool_output") || p.Strategy != "knight" || p.Description != "" {
		t.Errorf("backend is %+v", p)
	}
	if p, _ := s.ForAgent("knight"); p.ID != "backend" {
		t.Errorf("the user's claim of an agent is not heeded: %s", p.ID)
	}
	if p, _ := s.Get("knight"); p.ID != "knight" || p.MinImportance != .3 {
		t.Errorf("knight is %+v", p)
	}
	if p, _ := s.Get("squire"); p.Head != 9 || p.MinImportance != .4 {
		t.Errorf("squire over squire is %+v", p)
	}
	if p, _ := s.ForAgent("reviewer"); p.Head != 9 {
		t.Errorf("reviewer does not inherit from the replaced squire: %+v", p)
	}
	if p, err := s.ForAgent("bare"); err != nil || p.Weights != (Weights{.4, .4, .2}) || p.Strategy != "default" ||
		p.Code != (Caps{3, 200, 2048}) || p.LikelyText {
		t.Errorf("bare is %+v (%v)", p, err)
	}
	p.Preferred[0] = "changed"
	if q, _ := s.Get("backend"); q.Preferred[0] == "changed" {
		t.Error("a profile that was given out changes the set")
	}
}

func TestMistakesNameFileLineProfileFieldValueAndRange(t *testing.T) {
	t.Parallel()
	in := func(body string) string { return "profiles:\n  mine:\n    " + body + "\n" }
	for text, want := range map[string]string{
		in("min_importance: 1.4"):                                 `team.yaml:3: profile "mine": min_importance must be between 0 and 1 (got 1.4)`,
		in("min_importance: .nan"):                                `team.yaml:3: profile "mine": min_importance must be between 0 and 1 (got .nan)`,
		in("min_importance: \"0.4\""):                             `team.yaml:3: profile "mine": min_importance must be between 0 and 1 (got "0.4")`,
		in("weights: {task: -1}"):                                 `team.yaml:3: profile "mine": weights.task must be between 0 and 1 (got -1)`,
		in("weights: {task: 0, project: 0, global: 0}"):           `team.yaml:2: profile "mine": weights must have a sum above 0`,
		in("weights: 3"):                                          `team.yaml:3: profile "mine": weights must be a map (got 3)`,
		in("weights: {tsk: 1}"):                                   `team.yaml:3: profile "mine": "weights.tsk" is no field: want one of global, project, task`,
		in("preserve_head: 1.5"):                                  `team.yaml:3: profile "mine": preserve_head must be a whole number from 0 to 100 (got 1.5)`,
		in("code: {results: 0}"):                                  `team.yaml:3: profile "mine": code.results must be a whole number from 1 to 100 (got 0)`,
		in("allow_compression: maybe"):                            `team.yaml:3: profile "mine": allow_compression must be true or false (got "maybe")`,
		in("preferred_kinds: code"):                               `team.yaml:3: profile "mine": preferred_kinds must be a list of names of a-z, 0-9, -, _, . and /, each once, at most 100 (got "code")`,
		in("preferred_kinds: [Code]"):                             `each once, at most 100, but for "Code" (got a list)`,
		in("preferred_kinds: [code]\n    excluded_kinds: [code]"): `team.yaml:2: profile "mine": preferred_kinds must not hold what excluded_kinds holds (got "code")`,
		in("only_preferred: true"):                                `team.yaml:2: profile "mine": only_preferred must not be set without preferred_kinds (got true)`,
		in("min_relevance: 0.9"):                                  `team.yaml:2: profile "mine": min_relevance must not be above inject_at, 0.85 (got 0.9)`,
		in("budget: 3"):                                           `team.yaml:3: profile "mine": "budget" is no field: want one of agents, allow_compression, code, compression_aggressiveness`,
		in("inherits: nobody"):                                    `team.yaml:3: profile "mine": inherits is unknown: want one of ` + strings.Join(slices.Sorted(slices.Values(append(Builtin().IDs(), "mine"))), ", ") + ` (got "nobody")`,
		in("inherits: mine"):                                      `team.yaml:3: profile "mine": inherits is unknown`,
		in("inherits: [a]"):                                       `team.yaml:3: profile "mine": inherits must be the id of a profile (got a list)`,
		in("inherits: other\n  other:\n    inherits: third\n  third:\n    inherits: mine"): `team.yaml:3: profile "mine": inherits goes round in a circle: mine → other → third → mine`,
		in("strategy: A B"):                            `team.yaml:3: profile "mine": strategy must be of a-z, 0-9, - and _ (got "A B")`,
		in("tags: &a [x]\n    agents: *a"):             `team.yaml:4: profile "mine": agents must be a list of names`,
		in("min_importance: 0\n    min_importance: 1"): `team.yaml:4: profile "mine": "min_importance" stands twice in the profile`,
		in("agents: [x]\n  yours:\n    agents: [x]"):   `team.yaml:4: profile "yours": agents must not hold a kind that profile "mine" has already (got "x")`,
		"profiles:\n  Mine: {}\n":                      `team.yaml:2: the id of a profile must be of a-z, 0-9, - and _, at most 64 (got "Mine")`,
		"profiles: [1]\n":                              `team.yaml:1: profiles must be a map (got a list)`,
		"profile: {}\n":                                `team.yaml:1: "profile" is no field of the file: want profiles`,
		"- 1\n":                                        `team.yaml:1: the file must be a map (got a list)`,
		"profiles: {}\n---\nprofiles: {}\n":            `team.yaml: the file must be one YAML document`,
		"a: [\n":                                       `team.yaml: line `,
		"profiles: {}\n" + strings.Repeat("#", 1<<20) +
			"\n": `team.yaml: the file must have at most 1048576 bytes (got 1048590 bytes)`,
	} {
		_, err := Load([]File{{"team.yaml", []byte(text)}})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.80q\n got %v\nwant %s", text, err, want)
		}
		var mistake *FieldError
		if !errors.As(err, &mistake) || mistake.File != "team.yaml" {
			t.Errorf("%.80q gives %T", text, err)
		}
	}
}

func TestAllMistakesAreToldAtOnceInOrder(t *testing.T) {
	t.Parallel()
	_, err := Load([]File{
		{"b.yaml", []byte("profiles:\n  one:\n    inject_at: 7\n    nonsense: 1\n")},
		{"a.yaml", []byte("profiles:\n  one:\n    preserve_tail: x\n  two:\n")},
	})
	want := `a.yaml:3: profile "one": preserve_tail must be a whole number from 0 to 100 (got "x")
b.yaml:2: profile "one": stands at a.yaml:2 already`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(builtin)
	f.Add([]byte("profiles: {a: {inherits: b}, b: {inherits: a}}"))
	f.Add([]byte("profiles: &x {a: *x, <<: *x}"))
	f.Add([]byte("profiles:\n  default: {inherits: default, weights: {task: 1e400}}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Load([]File{{"f.yaml", data}})
		if err != nil {
			return
		}
		for _, id := range s.IDs() {
			p, err := s.Get(id)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range []float64{
				p.Weights.Task, p.Weights.Project, p.Weights.Global, p.MinImportance, p.Aggressiveness, p.InjectAt,
				p.MinRelevance,
			} {
				if !(x >= 0 && x <= 1) {
					t.Fatalf("%+v", p)
				}
			}
			if p.ID != id || p.Code.Results < 1 || p.Strategy == "" {
				t.Fatalf("%+v", p)
			}
		}
	})
}
