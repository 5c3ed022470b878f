package api

import (
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/history"
)

func TestOldStateIsImportedOnceWithAReport(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w *world) {
		const path, state = "/v1/projects/web/history/import",
			`{"completed_tasks":["t-1",{"id":2,"completed_at":"2026-01-11T10:05Z","validation_report":{"errors":["x"]}}],"blocked_tasks":["t-3"],"mode":"careful"}`
		var r history.Imported
		w.get(&r, "POST", path, state)
		if r.Tasks != 2 || r.Blockers != 1 || r.Known != 0 || r.Filled["requires_context"] != 2 ||
			r.Filled["success"] != 2 || r.Filled["completed_at"] != 1 {
			t.Errorf("%+v", r)
		}
		r = history.Imported{}
		if w.get(&r, "POST", path, state); r.Tasks != 0 || r.Known != 2 || r.Blockers != 0 || r.KnownBlockers != 1 ||
			len(r.Filled) != 0 {
			t.Errorf("again: %+v", r)
		}
		var list struct{ Tasks []history.Task }
		if w.get(&list, "GET", "/v1/projects/web/tasks", ""); len(list.Tasks) != 2 ||
			list.Tasks[0].Outcome() != history.Failed || list.Tasks[1].Outcome() != history.Unknown ||
			list.Tasks[0].RequiresContext {
			t.Errorf("tasks %+v", list)
		}
		if p := w.refused(invalidRequest, "POST", path,
			`{"completed_tasks":[{"task_id":"a","completed_at":"soon"}]}`); !strings.Contains(p.Detail,
			`"completed_at"`) {
			t.Errorf("%+v", p)
		}
		w.refused(invalidRequest, "POST", path, `{"completed_tasks":{}}`)
	})
}
