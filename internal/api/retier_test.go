package api

import (
	"testing"

	client "github.com/contextd/contextd/clients/go"
)

func TestRetieringIsAskedForAndBlockersAreEvents(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w *world) {
		const base = "/api/agents/knight-1/context"
		var saved client.Saved
		w.get(&saved, "POST", base+"/save", `{"item_type":"ERROR","content":"the build is red","task_id":"t-1"}`)
		var done struct{ Changed int }
		if w.get(&done, "POST", base+"/retier", `{"task_id":"t-2"}`); done.Changed != 1 {
			t.Errorf("%d items changed, want the one of another task", done.Changed)
		}
		if w.get(&done, "POST", base+"/retier", ""); done.Changed != 0 {
			t.Errorf("%d items changed again", done.Changed)
		}
		c := w.listen("?types=blocker_changed")
		w.get(&done, "POST", "/v1/projects/web/blockers", `{"id":"t-3","reason":"waits for the key"}`)
		if e := w.next(c); e.Type != eventBlocker || e.Project != "web" || dataOf(e)["reason"] != "waits for the key" ||
			dataOf(e)["change"] != "blocked" {
			t.Errorf("%+v", e)
		}
		w.do("DELETE", "/v1/projects/web/blockers/t-3", "")
		if e := w.next(c); dataOf(e)["change"] != "unblocked" || dataOf(e)["id"] != "t-3" {
			t.Errorf("%+v", e)
		}
	})
}
