package api

import (
	"testing"

	client "github.com/contextd/contextd/clients/go"
	"github.com/contextd/contextd/internal/memory"
)

func TestAnItemIsPinnedAndLetGoOverHTTP(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w *world) {
		var saved client.Saved
		w.get(&saved, "POST", "/api/agents/knight-1/context/save",
			`{"item_type":"FACT","content":"Sessions lie in Redis"}`)
		path := "/v1/agents/knight-1/memory/" + saved.ID
		var it memory.Item
		w.get(&it, "PATCH", path, `{"pinned":0.9}`)
		if it.Tier != memory.Hot || it.Pinned == nil || *it.Pinned != 0.9 {
			t.Errorf("pinned to 0.9: %+v", it)
		}
		it = memory.Item{}
		w.get(&it, "PATCH", path, `{"pinned":null}`)
		if it.Tier != memory.Warm || it.Pinned != nil {
			t.Errorf("let go: %+v", it)
		}
		for _, body := range []string{`{}`, `{"pinned":"high"}`, `{"pinned":1.5}`} {
			if p := w.refused(invalidRequest, "PATCH", path, body); p.Field != "pinned" {
				t.Errorf("%s: %+v", body, p)
			}
		}
		w.refused(notFound, "PATCH", "/v1/agents/knight-1/memory/mem_none", `{"pinned":1}`)
	})
}
