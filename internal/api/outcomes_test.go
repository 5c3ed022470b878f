package api

import (
	"testing"

	"github.com/contextd/contextd/internal/receipt"
)

// Whether a task succeeded, failed or is unknown stands beside the fingerprints of the contexts that were compiled for
// it.
func TestOutcomesOfTasksStandBesideTheirFingerprints(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w *world) {
		w.index("web")
		w.knight("")
		first := w.knight("")
		var o receipt.Outcomes
		w.get(&o, "GET", "/v1/projects/web/outcomes", "")
		if len(o.Tasks)+len(o.Shapes)+len(o.Agents) != 0 {
			t.Errorf("a task that has not ended has an outcome: %+v", o)
		}
		var task struct{}
		w.get(&task, "POST", "/v1/projects/web/tasks", `{"task_id":"t-1","success":false}`)
		w.get(&o, "GET", "/v1/projects/web/outcomes", "")
		want := receipt.Succeeds{AgentKind: "knight", Profile: "knight", Contexts: 2, Tasks: 1, Failed: 1}
		if len(o.Agents) != 1 || o.Agents[0] != want || len(o.Shapes) != 1 || o.Shapes[0].Succeeds != want ||
			len(o.Shapes[0].Kinds) == 0 {
			t.Errorf("%+v", o)
		}
		if len(o.Tasks) != 1 || o.Tasks[0].Success == nil || *o.Tasks[0].Success ||
			o.Tasks[0].Fingerprints[0] != first.Fingerprint.ID {
			t.Errorf("tasks %+v", o.Tasks)
		}
	})
}
