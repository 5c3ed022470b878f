package redis

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/owner"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
)

func setup(t *testing.T) (*rdbtest.Server, *goredis.Client, *Queue) {
	t.Helper()
	s := rdbtest.Own(t, rdbtest.Plain)
	return s, s.Client(t), open(t, s.URL, s.Prefix)
}

func push(t *testing.T, q *Queue, project string) string {
	t.Helper()
	id, err := q.Push(t.Context(), queue.Request{Project: project, Root: "/srv/" + project, Paths: []string{"a"}})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// drained drains until n messages were taken.
func drained(t *testing.T, q *Queue, n int) {
	t.Helper()
	for try := 0; n > 0; try++ {
		k, err := q.Drain(t.Context(), nil)
		if err != nil || try > 20 {
			t.Fatalf("%d messages missing, %v", n, err)
		}
		n -= k
	}
}

func depth(t *testing.T, q *Queue) int {
	t.Helper()
	s, err := q.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s.Depth
}

func TestPlainXADDIsARequest(t *testing.T) {
	t.Parallel()
	s, c, q := setup(t)
	for _, values := range [][]string{
		{"project_id", "web", "sandbox_root", "/srv/web", "changed_files", `["src/a.go"]`, "requested_at",
			"2026-01-02T03:04:05Z", "colour", "blue"},
		{"project_id", "web", "sandbox_root", "/srv/web", "changed_files", `["src/b.go"]`},
	} {
		if err := c.XAdd(t.Context(), &goredis.XAddArgs{Stream: s.Prefix + ":refresh",
			Values: values}).Err(); err != nil {
			t.Fatal(err)
		}
	}
	drained(t, q, 2)
	if n := c.XLen(t.Context(), s.Prefix+":refresh").Val(); n != 0 {
		t.Errorf("%d messages left in the intake", n)
	}
	if p := c.XPending(t.Context(), s.Prefix+":refresh", "indexers").Val(); p.Count != 0 {
		t.Errorf("%d messages left in the group", p.Count)
	}
	if got := c.HLen(t.Context(), s.Prefix+":pending:web").Val(); got != 2 {
		t.Errorf("%d pending paths, want 2", got)
	}
}

func TestMessagesOfACrashedDrainerAreRescued(t *testing.T) {
	t.Parallel()
	s, c, q := setup(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run=^$")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	p := strings.Split(owner.Self(), "|")
	p[2], p[5] = strconv.Itoa(cmd.Process.Pid), "0"
	dead := strings.Join(p, "|")
	if !owner.Dead(dead) {
		return // not to be known on this system
	}
	deleted := push(t, q, "web")
	push(t, q, "web")
	for range 150 { // more than a batch
		push(t, q, "shop")
	}
	intake := s.Prefix + ":refresh"
	if err := c.XGroupCreateMkStream(t.Context(), intake, "indexers", "0").Err(); err != nil {
		t.Fatal(err)
	}
	if err := c.XReadGroup(t.Context(), &goredis.XReadGroupArgs{Group: "indexers", Consumer: dead,
		Streams: []string{intake, ">"}, Count: 200}).Err(); err != nil {
		t.Fatal(err)
	}
	if err := c.XDel(t.Context(), intake, deleted).Err(); err != nil {
		t.Fatal(err)
	}
	drained(t, q, 151)
	if d := depth(t, q); d != 2 {
		t.Errorf("%d projects wait, want 2", d)
	}
	if p := c.XPending(t.Context(), intake, "indexers").Val(); p.Count != 0 {
		t.Errorf("%d messages left in the group", p.Count)
	}
	for _, info := range c.XInfoConsumers(t.Context(), intake, "indexers").Val() {
		if info.Name == dead {
			t.Error("the dead consumer is still there")
		}
	}
}

func TestAFlushedServerIsSetUpAgain(t *testing.T) {
	t.Parallel()
	_, c, q := setup(t)
	push(t, q, "web")
	drained(t, q, 1)
	if err := c.FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	push(t, q, "shop")
	drained(t, q, 1)
	if d := depth(t, q); d != 1 {
		t.Errorf("%d projects wait, want 1", d)
	}
	if err := c.FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	q.lastRescue = time.Time{} // the first thing it meets is a look for abandoned messages
	if _, err := q.Drain(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	push(t, q, "shop")
	drained(t, q, 1)
	if claim, err := q.Claim(t.Context()); err != nil || claim != nil && claim.Project != "shop" {
		t.Errorf("claim %+v, %v", claim, err)
	}
}

func TestADrainThatWaitsSurvivesAFlush(t *testing.T) {
	t.Parallel()
	_, c, q := setup(t)
	done := make(chan error, 1)
	go func() {
		_, err := q.Drain(t.Context(), nil)
		done <- err
	}()
	blocked(t, c)
	if err := c.FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	push(t, q, "web")
	drained(t, q, 1)
}

func TestADrainThatWaitsEndsWithItsContext(t *testing.T) {
	t.Parallel()
	_, c, q := setup(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		for {
			if _, err := q.Drain(ctx, nil); err != nil {
				done <- err
				return
			}
		}
	}()
	blocked(t, c)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	push(t, q, "web")
	drained(t, q, 1)
}

// blocked waits until a client waits on the server.
func blocked(t *testing.T, c *goredis.Client) {
	t.Helper()
	for !strings.Contains(c.Info(t.Context(), "clients").Val(), "blocked_clients:1") {
		if t.Context().Err() != nil {
			t.Fatal("no client waits")
		}
	}
}

func TestPendingProjectsSurviveAServerRestart(t *testing.T) {
	t.Parallel()
	s, _, q := setup(t)
	push(t, q, "web")
	drained(t, q, 1)
	push(t, q, "shop")
	s.Kill(t)
	for name, err := range map[string]error{
		"push":  second(q.Push(t.Context(), queue.Request{Project: "web", Root: "/srv/web"})),
		"drain": second(q.Drain(t.Context(), nil)),
		"claim": second(q.Claim(t.Context())),
		"stats": second(q.Stats(t.Context())),
		"ping":  q.Ping(t.Context()),
	} {
		if err == nil {
			t.Errorf("%s: no error while the server is down", name)
		}
	}
	s.Restart(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		queue.DrainLoop(ctx, q, nil, slog.New(slog.DiscardHandler))
	}()
	for { // the client may find out a little later
		rest, err := q.Stats(ctx)
		undrained, lenErr := q.client.XLen(ctx, q.intake()).Result()
		if err == nil && lenErr == nil && undrained == 0 {
			if rest.Depth != 2 {
				t.Errorf("%d projects wait, want 2", rest.Depth)
			}
			break
		}
		queue.Sleep(ctx, 20*time.Millisecond)
	}
	cancel()
	<-ended
}

func second[T any](_ T, err error) error { return err }

func TestOldestDeadLettersAreDroppedOverTheLimit(t *testing.T) {
	t.Parallel()
	s, c, q := setup(t)
	const more = 7
	for i := 0; i < queue.MaxDead+more; {
		_, err := c.Pipelined(t.Context(), func(p goredis.Pipeliner) error {
			for range 500 {
				if i < queue.MaxDead+more {
					i++
					p.XAdd(t.Context(), &goredis.XAddArgs{Stream: s.Prefix + ":refresh", ID: fmt.Sprintf("%d-1", i),
						Values: []string{"junk", "1"}})
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	drained(t, q, queue.MaxDead+more)
	l, err := q.Dead(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(l) != queue.MaxDead || l[0].ID != fmt.Sprintf("%d-1", more+1) {
		t.Fatalf("%d letters from %s", len(l), l[0].ID)
	}
}

func TestUnusualMessageIDsAreAccepted(t *testing.T) {
	t.Parallel()
	s, c, q := setup(t)
	var ahead time.Duration
	q.SetHolderAndClock(owner.Self(), func() time.Duration { return ahead })
	for i, id := range []string{"1-1", "99999999999999-18446744073709551614"} { // 1970 and the year 5138
		project := fmt.Sprintf("p%d", i)
		if err := c.XAdd(t.Context(), &goredis.XAddArgs{Stream: s.Prefix + ":refresh", ID: id,
			Values: []string{"project_id", project, "sandbox_root", "/srv"}}).Err(); err != nil {
			t.Fatal(err)
		}
		mark, err := q.Mark(t.Context())
		if err != nil || mark != id {
			t.Fatalf("mark %s, %v", mark, err)
		}
		drained(t, q, 1)
		ahead += time.Minute
		claim, err := q.Claim(t.Context())
		if err != nil || claim == nil {
			t.Fatalf("%s: %v, %v", id, claim, err)
		}
		if err := q.Release(t.Context(), claim, 0); err != nil {
			t.Fatal(err)
		}
		if err := q.DropUntil(t.Context(), project, "/srv", mark); err != nil {
			t.Fatal(err)
		}
		if d := depth(t, q); d != i { // the second id has the stream made again, so that its mark is void
			t.Errorf("%s: %d projects wait after settle, want %d", id, d, i)
		}
	}
}

func TestRetryOfAllTakesEachLetterOnce(t *testing.T) {
	t.Parallel()
	_, _, q := setup(t)
	const letters = 3
	for range letters {
		if _, err := q.PushFields(t.Context(), map[string]string{"junk": "1"}); err != nil {
			t.Fatal(err)
		}
	}
	drained(t, q, letters)
	n := 0
	err := q.eachDeadLetter(t.Context(), nil, func(queue.Message) error {
		if n++; n > 10*letters {
			return errors.New("no end")
		}
		if _, err := q.PushFields(t.Context(), map[string]string{"junk": "1"}); err != nil {
			// as a drainer beside it that refuses it again
			return err
		}
		drained(t, q, 1)
		return nil
	})
	if err != nil || n != letters {
		t.Errorf("%d letters, %v; want %d", n, err, letters)
	}
}

// TestChangeOfRoleIsLoggedAsThat: the server ends a wait with an error much like that of a removed stream.
func TestChangeOfRoleIsLoggedAsThat(t *testing.T) {
	t.Parallel()
	_, c, q := setup(t)
	var log strings.Builder
	q.log = slog.New(slog.NewTextHandler(&log, nil))
	ended := make(chan error)
	go func() {
		_, err := q.Drain(t.Context(), nil)
		ended <- err
	}()
	for !strings.Contains(c.Info(t.Context(), "clients").Val(), "blocked_clients:1") {
		time.Sleep(time.Millisecond)
	}
	if err := c.Do(t.Context(), "REPLICAOF", "127.0.0.1", "1").Err(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil || !strings.Contains(log.String(), "changed its role") ||
		strings.Contains(log.String(), "removed") {
		t.Errorf("%v, log %q; want the change of role in it", err, log.String())
	}
}
