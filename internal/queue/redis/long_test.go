package redis

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/owner"
	"github.com/contextd/contextd/internal/queue"
)

// sent is how many bytes the server has sent up to now.
func sent(t *testing.T, c *goredis.Client) int {
	t.Helper()
	info, err := c.Info(t.Context(), "stats").Result()
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(info, "total_net_output_bytes:")
	n, err := strconv.Atoi(strings.TrimSpace(strings.SplitN(rest, "\n", 2)[0]))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// files is a changed_files of n paths of 40 bytes.
func files(n int) string {
	paths := make([]string, n)
	for i := range paths {
		paths[i] = fmt.Sprintf("%q", fmt.Sprintf("harbour/%032d", i))
	}
	return "[" + strings.Join(paths, ",") + "]"
}

func add(t *testing.T, q *Queue, project, changed string, n int) {
	t.Helper()
	for range n {
		fields := map[string]string{queue.FieldProject: project, queue.FieldRoot: "/srv/" + project,
			queue.FieldFiles: changed}
		if _, err := q.PushFields(t.Context(), fields); err != nil {
			t.Fatal(err)
		}
	}
}

// TestStatsReadLittleOfLongMessages: what is asked of the queue costs few bytes, however long its messages are.
func TestStatsReadLittleOfLongMessages(t *testing.T) {
	t.Parallel()
	_, c, q := setup(t)
	add(t, q, "long", files(400_000), 3) // 16 MB each
	add(t, q, "many", files(5000), 100)
	for _, tt := range []struct {
		name string
		most int // bytes
		do   func() error
	}{
		{"Stats", 2 << 20, func() error {
			s, err := q.Stats(t.Context())
			if err == nil && (s.Depth < 1 || s.Paths != 103) {
				err = fmt.Errorf("stats %+v", s)
			}
			return err
		}},
		{"Waiting", 2 << 20, func() error {
			w, err := q.Waiting(t.Context(), "long")
			if err == nil && (len(w) != 1 || w[0].Paths < 3) {
				err = fmt.Errorf("waiting %+v", w)
			}
			return err
		}},
		{"Waiting for one behind them", 2 << 20, func() error {
			w, err := q.Waiting(t.Context(), "many")
			if err == nil && (len(w) != 1 || w[0].Paths < 100) {
				err = fmt.Errorf("waiting %+v", w)
			}
			return err
		}},
		{"Waiting for all", 2 << 20, func() error {
			w, err := q.Waiting(t.Context(), "")
			if err == nil && (len(w) < 2 || w[len(w)-1].Project != "" || w[len(w)-1].Paths < 100) {
				err = fmt.Errorf("waiting %+v", w)
			}
			return err
		}},
		{"Mark", 10_000, func() error { _, err := q.Mark(t.Context()); return err }},
		{"Settle", 100_000, func() error { return q.DropUntil(t.Context(), "other", "/srv/other", "9-9") }},
		{"Forget", 100_000, func() error { return q.Forget(t.Context(), "long") }},
	} {
		before := sent(t, c)
		err := tt.do()
		if n := sent(t, c) - before; err != nil || n > tt.most {
			t.Errorf("%s: %d bytes read, %v; want at most %d", tt.name, n, err, tt.most)
		}
	}
	if n := c.XLen(t.Context(), q.intake()).Val(); n != 100 {
		t.Errorf("%d messages after Forget, want those of the other project", n)
	}
}

// TestOverlongChangesBecomeRescansUnread: of the messages that wait at most the first is read whole, and of those that
// are rescued none.
func TestOverlongChangesBecomeRescansUnread(t *testing.T) {
	t.Parallel()
	for _, rescued := range []bool{false, true} {
		t.Run(fmt.Sprintf("rescued %v", rescued), func(t *testing.T) {
			t.Parallel()
			_, c, q := setup(t)
			var ahead time.Duration
			q.SetHolderAndClock(owner.Self(), func() time.Duration { return ahead })
			long := files(100_000) // 4 MB
			add(t, q, "long", long, 6)
			add(t, q, "other", files(3), 1)
			most := len(long) + 100_000
			if rescued {
				if err := c.XGroupCreate(t.Context(), q.intake(), group, "0").Err(); err != nil {
					t.Fatal(err)
				}
				if err := c.XReadGroup(t.Context(), &goredis.XReadGroupArgs{Group: group, Consumer: q.holder,
					Streams: []string{q.intake(), ">"}}).Err(); err != nil {
					t.Fatal(err)
				}
				most = 100_000
			}
			before := sent(t, c)
			drained(t, q, 7)
			if n := sent(t, c) - before; n > most {
				t.Errorf("%d bytes read, want at most %d", n, most)
			}
			ahead = time.Minute
			got := map[string]int{}
			for range 2 {
				claim, err := q.Claim(t.Context())
				if err != nil || claim == nil {
					t.Fatalf("claim %+v, %v", claim, err)
				}
				got[claim.Project+" "+claim.Items[0].Path] = len(claim.Items)
			}
			if got["long "+queue.Rescan] != 1 || len(got) != 2 {
				t.Errorf("claims %v, want a rescan of the one and the paths of the other", got)
			}
		})
	}
}

// TestDrainTakesManyLongMessagesInPortions: no script returns, and no merge holds, more than fits.
func TestDrainTakesManyLongMessagesInPortions(t *testing.T) {
	t.Parallel()
	_, _, q := setup(t)
	changed := files(5000)
	add(t, q, "many", changed, 30)
	if err := q.client.XGroupCreate(t.Context(), q.intake(), group, "0").Err(); err != nil {
		t.Fatal(err)
	}
	total := 0
	for total < 30 {
		ms, err := q.readNew(t.Context())
		if err != nil || len(ms) == 0 {
			t.Fatalf("%d messages, %v", len(ms), err)
		}
		if n := (len(ms) - 1) * len(changed); n > queue.MaxFilesBytes {
			t.Errorf("%d messages at once, %d bytes and one more", len(ms), n)
		}
		total += len(ms)
	}
	q.lastRescue = time.Time{}
	drained(t, q, 30)
}
