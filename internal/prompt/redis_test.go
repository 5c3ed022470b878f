package prompt

import (
	"context"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/receipt"
	"github.com/contextd/contextd/internal/store/redis"
)

func TestBothStoresGiveTheSameContext(t *testing.T) {
	t.Parallel()
	server := rdbtest.Start(t, rdbtest.Search)
	b, ctx := setup(t, harbour), context.Background()
	docs, err := redis.Open(redis.Options{URL: server.URL, Prefix: server.Prefix, Deadline: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { docs.Close() })
	other := &bench{t: t, root: b.root, index: b.index, clock: b.clock}
	other.Assembler = over(t, other, docs, filepath.Join(t.TempDir(), "audit"))
	var prompts [][]Message
	for _, w := range []*bench{b, other} {
		it := w.save(memory.Draft{Kind: "convention", Scope: "project", Content: "errors of the database are wrapped",
			Importance: ptr(.9)})
		req := task()
		req.Conversation = []Message{{Role: "user", Content: "Remember: errors of the database are wrapped."}}
		if l := account(t, w, w.build(req).ID, it.ID); l.Reason != "redundant" {
			t.Errorf("%+v", l)
		}
		if err := w.Compacted(ctx, "knight-1"); err != nil {
			t.Fatal(err)
		}
		first := w.build(req)
		if _, err := w.Feedback(ctx, first.ID, Feedback{Response: "errors of the database are wrapped"}); err != nil {
			t.Fatal(err)
		}
		last := w.build(req)
		if x, err := w.Receipt(ctx, first.ID); err != nil || x.Outcome == nil ||
			!slices.Contains(x.Outcome.Used, it.ID) {
			t.Errorf("%+v %v", x, err)
		}
		if list, err := w.Receipts(ctx, "p", 10); err != nil || len(list) != 3 || list[0].ID != last.ID {
			t.Errorf("%d receipts %v", len(list), err)
		}
		if l := account(t, w, last.ID, it.ID); l.Decision != receipt.Full {
			t.Errorf("%+v", l)
		}
		prompts = append(prompts, first.Messages, last.Messages)
	}
	if !reflect.DeepEqual(prompts[0], prompts[2]) || !reflect.DeepEqual(prompts[1], prompts[3]) {
		t.Error("the stores give different contexts")
	}
}
