package api

import (
	"fmt"
	"testing"

	client "github.com/contextd/contextd/clients/go"
	"github.com/contextd/contextd/internal/memory"
)

func TestFlashSaveOfManyDecisionsFreesRoomAndCanBeLookedAt(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w *world) {
		const base = "/api/agents/knight-1/context"
		for i := range 70 {
			var saved client.Saved
			w.get(&saved, "POST", base+"/save",
				fmt.Sprintf(`{"item_type":"DECISION","content":"Decision %d: module number%d is kept apart","importance_score":%v}`, i, i, .8+float64(i)/1000))
		}
		var done client.Flashed
		w.get(&done, "POST", base+"/flash-save", `{}`)
		if done.HotRetained < 1 || done.HotRetained > 40 || len(done.Pointers) != 70-done.HotRetained ||
			done.Pointers[0].Line == "" {
			t.Fatalf("%d HOT, %d pointers", done.HotRetained, len(done.Pointers))
		}
		for _, it := range done.Items {
			if it.Importance < .83 {
				t.Errorf("%q of %v is HOT, and more valuable ones are not", it.Content, it.Importance)
			}
		}
		if w.get(&done, "POST", base+"/flash-save", `{"hot_tokens":100}`); done.HotRetained > 5 ||
			done.HotRetained < 1 || len(done.Pointers)+done.HotRetained != 70 {
			t.Errorf("within 100 tokens: %d HOT, %d pointers", done.HotRetained, len(done.Pointers))
		}
		var list struct{ Items []client.Item }
		if w.get(&list, "GET", base+"?tier=WARM", ""); len(list.Items) != 70-done.HotRetained {
			t.Errorf("%d WARM", len(list.Items))
		}
		var all struct{ Checkpoints []memory.Checkpoint }
		if w.get(&all, "GET", base+"/checkpoints", ""); len(all.Checkpoints) != 2 ||
			all.Checkpoints[0].ID != done.CheckpointID || all.Checkpoints[0].Hot != done.HotRetained {
			t.Errorf("%+v", all)
		}
		var one memory.Snapshot
		if w.get(&one, "GET", base+"/checkpoints/"+done.CheckpointID, ""); len(one.Items) != 70 ||
			one.Items[0].Content == "" {
			t.Errorf("%+v", one.Checkpoint)
		}
		w.refused(notFound, "GET", base+"/checkpoints/none", "")
		w.refused(foreignCheck, "GET", "/api/agents/squire-1/context/checkpoints/"+done.CheckpointID, "")
		for used, want := range map[int]bool{149_999: false, 150_000: true} {
			var c struct {
				FlashSave bool `json:"flash_save"`
			}
			w.get(&c, "POST", "/v1/context",
				fmt.Sprintf(`{"project":"web","query":"hello","input_tokens_used":%d,"input_tokens_flash_at":150000}`,
					used))
			if c.FlashSave != want {
				t.Errorf("%d tokens used: flash save %v", used, c.FlashSave)
			}
		}
	})
}
