package redis

import (
	"strings"
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/queue"
)

const greatest = "18446744073709551615-18446744073709551615"

// TestIntakeWithTheGreatestIDIsRecreated: the message is served, and the next Drain takes what is pushed again.
func TestIntakeWithTheGreatestIDIsRecreated(t *testing.T) {
	t.Parallel()
	_, c, q := setup(t)
	push(t, q, "before")
	fields := []string{queue.FieldProject, "web", queue.FieldRoot, "/srv/web"}
	if err := c.XAdd(t.Context(), &goredis.XAddArgs{Stream: q.intake(), ID: greatest,
		Values: fields}).Err(); err != nil {
		t.Fatal(err)
	}
	if _, err := q.Push(t.Context(), queue.Request{Project: "shop", Root: "/srv/shop"}); err == nil {
		t.Fatal("the stream takes a message after the greatest id: this test tests nothing")
	}
	faults, err := q.Inspect(t.Context())
	if err != nil || len(faults) != 1 || !strings.Contains(faults[0].Detail, greatest) {
		t.Errorf("inspect: %+v, %v; want the id named", faults, err)
	}
	mark, err := q.Mark(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	drained(t, q, 2)
	push(t, q, "shop")
	drained(t, q, 1)
	if err := q.DropUntil(t.Context(), "shop", "/srv/shop", mark); err != nil {
		t.Fatal(err)
	}
	if d := depth(t, q); d != 3 {
		t.Errorf("%d projects wait, want 3: a mark of the old stream covers nothing of the new one", d)
	}
	if faults, err := q.Inspect(t.Context()); err != nil || len(faults) != 0 {
		t.Errorf("inspect: %+v, %v; want nothing", faults, err)
	}
}

// TestIntakeWithUnacknowledgedMessagesIsNotRecreated: what another drainer holds stays there.
func TestIntakeWithUnacknowledgedMessagesIsNotRecreated(t *testing.T) {
	t.Parallel()
	_, c, q := setup(t)
	fields := []string{queue.FieldProject, "web", queue.FieldRoot, "/srv/web"}
	if err := c.XAdd(t.Context(), &goredis.XAddArgs{Stream: q.intake(), ID: greatest,
		Values: fields}).Err(); err != nil {
		t.Fatal(err)
	}
	if err := c.XGroupCreate(t.Context(), q.intake(), group, "0").Err(); err != nil {
		t.Fatal(err)
	}
	if err := c.XReadGroup(t.Context(), &goredis.XReadGroupArgs{Group: group, Consumer: "other",
		Streams: []string{q.intake(), ">"}}).Err(); err != nil {
		t.Fatal(err)
	}
	if err := q.recreateIntake(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := c.XLen(t.Context(), q.intake()).Val(); n != 1 {
		t.Errorf("%d messages, want 1", n)
	}
}

func TestOverwrittenKeysAreNamedWithTheCommandThatRepairs(t *testing.T) {
	t.Parallel()
	s, c, _ := setup(t)
	for name, project := range map[string]string{
		"refresh":     "",
		"due":         "",
		"inflight":    "",
		"holders":     "",
		"dead":        "",
		"claims":      "",
		"pending:web": "web",
		"q:web":       "web",
	} {
		t.Run(name, func(t *testing.T) {
			q := open(t, s.URL, s.Prefix+"["+name+"]*")
			key := q.prefix + ":" + name
			overwrite(t, c, key, "list")
			faults, err := q.Inspect(t.Context())
			if err != nil || len(faults) != 1 || faults[0].Project != project ||
				!strings.Contains(faults[0].Hint, key) {
				t.Errorf("inspect: %+v, %v; want key %q of project %q", faults, err, key, project)
			}
		})
	}
}
