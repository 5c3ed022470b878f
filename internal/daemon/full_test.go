package daemon

import (
	"fmt"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/search"
)

func TestARunForWhichRedisHasNoRoomIsRepeatedAndNeverDies(t *testing.T) {
	b := newBundle(t, rdbtest.Own(t, rdbtest.Search))
	ctx := t.Context()
	d := idle(b)
	b.index("web")
	b.write("b.go", "package b\n")
	b.push(queue.Request{Project: "web", Root: b.root})
	if _, err := d.queue.Drain(ctx, d.accept); err != nil {
		t.Fatal(err)
	}
	var c *queue.Claim
	b.eventually("a claim", func() (seen string) {
		var err error
		if c, err = d.queue.Claim(ctx); err != nil || c == nil {
			return fmt.Sprint("none due: ", err)
		}
		return ""
	})
	limit := func(bytes string) {
		t.Helper()
		if err := b.redis.Client(t).ConfigSet(ctx, "maxmemory", bytes).Err(); err != nil {
			t.Fatal(err)
		}
	}
	limit("1")
	for c.Attempts = range 2 * queue.MaxAttempts {
		handled, err := d.handle(ctx, c, func() {})
		if kind := fmt.Sprintf("%T", err); kind != "*worker.retryAfterError" ||
			!strings.HasPrefix(err.Error(), search.StoreFull+": ") || len(handled) > 0 {
			t.Fatalf("try %d: %s %v, want one that is put off for %s", c.Attempts, kind, err, search.StoreFull)
		}
	}
	p, err := b.back.Index.Projects(ctx)
	if err != nil || len(p) != 1 || !strings.HasPrefix(p[0].Failed, search.StoreFull+": ") {
		t.Errorf("not recorded why: %+v, %v", p, err)
	}
	if n := strings.Count(b.log.String(), "the store is full"); n != 1 {
		t.Errorf("warned %d times", n)
	}
	limit("0")
	handled, err := d.handle(ctx, c, func() {})
	if err != nil || len(handled) != len(c.Items) {
		t.Fatalf("with room again: %d handled, %v", len(handled), err)
	}
	if err := d.queue.Done(ctx, c, handled); err != nil {
		t.Fatal(err)
	}
	b.indexed("web", "a.go", "b.go")
	if d.served.noteStoreFull("web") != 0 {
		t.Error("the next time begins with the longest pause")
	}
	if letters, err := b.back.Dead(ctx); err != nil || len(letters) > 0 {
		t.Errorf("%d dead letters, %v", len(letters), err)
	}
}
