package receipt

import (
	"reflect"
	"testing"
)

func TestTasksAreJoinedWithTheShapesOfTheirContexts(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	made := func(task, kind, print string, kinds ...string) *Receipt {
		return &Receipt{TaskID: task, AgentKind: kind, Profile: kind,
			Fingerprint: &Fingerprint{ID: print, Mode: "implement", Complexity: Simple, Kinds: kinds,
				CompressionRatio: 1}}
	}
	got := Join([]*Receipt{
		// one shape twice counts the task once
		made("a", "knight", "fp_1", "code", "test"), made("a", "knight", "fp_2", "code", "test"),
		made("b", "knight", "fp_3", "code", "test"), made("c", "knight", "fp_4", "code"),
		made("d", "knight", "fp_5", "code", "test"), made("a", "squire", "fp_6", "code"),
		made("open", "knight", "fp_7", "code"), made("", "knight", "fp_8", "code"), {TaskID: "a", AgentKind: "knight"},
	}, []Ended{{"a", &yes}, {"b", &no}, {"c", &yes}, {"d", nil}, {"never", &yes}, {"a", &no}, {"", &yes}})
	knight := func(contexts, tasks, succeeded, failed, unknown int, rate float64) Succeeds {
		return Succeeds{"knight", "knight", contexts, tasks, succeeded, failed, unknown, rate}
	}
	squire := Succeeds{"squire", "squire", 1, 1, 1, 0, 0, 1}
	shape := func(kinds ...string) Shape { return Shape{"implement", Simple, kinds, false} }
	want := Outcomes{
		Agents: []Succeeds{knight(5, 4, 2, 1, 1, .6667), squire},
		Shapes: []ShapeOutcome{{shape("code", "test"), knight(4, 3, 1, 1, 1, .5)},
			{shape("code"), knight(1, 1, 1, 0, 0, 1)}, {shape("code"), squire}},
		Tasks: []TaskOutcome{{"a", &yes, []string{"fp_1", "fp_2", "fp_6"}}, {"b", &no, []string{"fp_3"}},
			{"c", &yes, []string{"fp_4"}}, {"d", nil, []string{"fp_5"}}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if none := Join(nil, nil); none.Agents == nil || none.Shapes == nil || none.Tasks == nil {
		t.Error("an empty list is missing")
	}
}
