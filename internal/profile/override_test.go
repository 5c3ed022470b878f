package profile

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestAProfileInARequestIsReadAsOneOfAFile(t *testing.T) {
	t.Parallel()
	for _, id := range Builtin().IDs() {
		want, _ := Builtin().Get(id)
		data, err := json.Marshal(want.WithEmptyLists())
		if err != nil {
			t.Fatal(err)
		}
		got, err := Builtin().Override(data)
		if err != nil || got.ID != id+"-override" {
			t.Fatalf("%s comes back as %+v, %v", id, got, err)
		}
		got.ID = id
		if !reflect.DeepEqual(got.WithEmptyLists(), want.WithEmptyLists()) {
			t.Errorf("%s comes back as %+v", data, got)
		}
	}
	p, err := Builtin().Override(
		[]byte(`{"id": "pilot", "inherits": "knight", "min_importance": 1e-1, "description": null, "code": {"results": 2}, "system_prompt": "Steer.\nWell.", "sections": [{"name": "Chart", "source": "code"}]}`))
	if err != nil || p.ID != "pilot" || p.MinImportance != .1 || p.Code != (Caps{2, 1600, 8192}) ||
		p.SystemPrompt != "Steer.\nWell." || len(p.Sections) != 1 || p.Strategy != "knight" {
		t.Errorf("%+v, %v", p, err)
	}
	if q, err := Builtin().Get("knight"); err != nil || q.SystemPrompt != "" || q.MinImportance != .3 {
		t.Errorf("the set changed: %+v, %v", q, err)
	}
}

func TestMistakesOfAProfileInARequestAreNamed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`[]`:                        "want the name of a profile or an object",
		`{} {}`:                     "want one object and nothing after it",
		`{"id": "A b"}`:             "id must be of a-z",
		`{"min_importance": "0.5"}`: `min_importance must be between 0 and 1 (got "0.5")`,
		`{"min_importance": 2, "preserve_head": -1}`:                                       "min_importance must be between 0 and 1 (got 2); preserve_head must be a whole number from 0 to 100 (got -1)",
		`{"colour": "red"}`:                                                                `"colour" is no field: want one of`,
		`{"inherits": "nobody"}`:                                                           "inherits is unknown: want one of architect,",
		`{"weights": {"task": 0, "project": 0, "global": 0}}`:                              "weights must have a sum above 0",
		`{"system_prompt": "a\u0000b"}`:                                                    "system_prompt must be a text",
		`{"system_prompt": 3}`:                                                             "system_prompt must be a text",
		`{"sections": [{"name": "a\n## b", "source": "code"}]}`:                            "sections must be a list",
		`{"sections": [{"name": "a", "source": "disk"}]}`:                                  "sections must be a list",
		`{"sections": [{"name": "a", "source": "code"}, {"name": "A", "source": "task"}]}`: "each once",
		`{"tags": "` + strings.Repeat("x", maxOverride) + `"}`:                             "want at most 65536",
	} {
		if _, err := Builtin().Override([]byte(text)); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%.80s\n got %v\nwant %s", text, err, want)
		}
	}
}

func FuzzOverride(f *testing.F) {
	f.Add([]byte(`{"weights": {"task": 1}, "sections": [{"name": "a", "source": "code"}]}`))
	f.Add([]byte(`{"tags": [[[{}]]], "code": null, "inject_at": 1e999}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Builtin().Override(data)
		if err != nil {
			return
		}
		again, err := json.Marshal(p.WithEmptyLists())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Builtin().Override(again); err != nil {
			t.Errorf("%s is taken, what it says is not: %v", data, err)
		}
	})
}
