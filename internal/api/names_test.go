package api

import "testing"

func TestItemsHaveTheDesignsFieldNames(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w *world) {
		var saved savedItem
		w.get(&saved, "POST", "/api/agents/knight-1/context/save", `{"item_type":"DECISION","content":"Sessions lie in Redis"}`)
		var list struct{ Items []map[string]any }
		w.get(&list, "GET", "/api/agents/knight-1/context", "")
		if len(list.Items) != 1 {
			t.Fatalf("%+v", list)
		}
		it := list.Items[0]
		if it["id"] != saved.ItemID || it["type"] != "DECISION" || it["content"] != "Sessions lie in Redis" || it["score"] != it["importance_score"] || it["score"] == 0. || it["tier"] != "HOT" {
			t.Errorf("%v", it)
		}
	})
}
