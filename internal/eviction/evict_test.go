package eviction

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestLeastRecentlyQueriedProjectsGoFirst(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, b *bed) {
		ctx := t.Context()
		for _, id := range []string{"a", "b", "c", "d"} {
			bring(t, b, id, 200)
		}
		setUse(t, b, "a", 9*time.Hour, 2*time.Hour)
		setUse(t, b, "b", 9*time.Hour, 3*time.Hour)
		setUse(t, b, "c", 9*time.Hour, 0)
		setUse(t, b, "d", 9*time.Hour, 0)
		all := bytesOf(t, b)
		for _, step := range []struct {
			limit int64
			want  string
		}{{all * 11 / 10, "a b c d"}, {all * 9 / 10, "a b d"}, {all * 2 / 5, "d"}, {1, "d"}} {
			b.opts.MaxBytes = step.limit
			if err := b.Evict(ctx, "d", Client); err != nil || ids(t, b) != step.want {
				t.Errorf("limit %d of %d: %s, want %s (%v)", step.limit, all, ids(t, b), step.want, err)
			}
		}
		if got := fmt.Sprint(b.gone); got != "[c b a]" {
			t.Errorf("told of %s", got)
		}
	})
}

func TestTheOperatorsProjectsReplaceTheLeastRecentlyQueried(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, b *bed) {
		ctx := t.Context()
		for _, id := range []string{"a", "b", "c"} {
			bring(t, b, id, 200)
		}
		setUse(t, b, "a", time.Hour, 2*time.Minute)
		setUse(t, b, "b", 2*time.Minute, 3*time.Second) // b is newer, and a is less recently queried
		b.opts.MaxBytes = bytesOf(t, b) * 8 / 10
		if err := b.Evict(ctx, "c", Operator); err != nil || ids(t, b) != "b c" {
			t.Errorf("%s, %v", ids(t, b), err)
		}
	})
}

func TestWhoBringsManyProjectsTakesNothingFromThoseInUse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name             string
		brought, queried time.Duration
		asks             bool // the intruder asks for what he brought
	}{
		{"in use for long, others only queue", 24 * time.Hour, time.Minute, false},
		{"in use for long, others ask", 24 * time.Hour, time.Minute, true},
		{"used yesterday", 48 * time.Hour, 24 * time.Hour, true},
		{"a few seconds older", 9 * time.Second, 3 * time.Second, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			both(t, func(t *testing.T, b *bed) {
				bring(t, b, "mine", 200)
				setUse(t, b, "mine", tt.brought, tt.queried)
				b.opts.MaxBytes = 3 * bytesOf(t, b)
				for i := range 6 {
					id := fmt.Sprintf("other%d", i)
					if tt.asks {
						b.Queried(id)
						b.Wait()
					}
					bring(t, b, id, 250)
					if tt.asks {
						b.Queried(id)
						b.Wait()
					}
					if have := ids(t, b); !strings.HasPrefix(have, "mine") || !strings.Contains(have, id) {
						t.Errorf("after %s: %s", id, have)
					}
				}
				if have := ids(t, b); strings.Count(have, "other") > 2 {
					t.Errorf("the limit is not kept: %s", have)
				}
			})
		})
	}
}

func TestANewcomerTakesNothingFromAnOlderProjectInUse(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, b *bed) {
		bring(t, b, "mine", 100)
		setUse(t, b, "mine", time.Hour, time.Second)
		b.opts.MaxBytes = bytesOf(t, b) * 3 / 2
		for i := range 4 { // each is larger than the room that is left
			bring(t, b, fmt.Sprintf("other%d", i), 300)
			if have, want := ids(t, b), fmt.Sprintf("mine other%d", i); have != want {
				t.Errorf("%s, want %s", have, want)
			}
		}
	})
}
