package redis

import (
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/owner"
	"github.com/contextd/contextd/internal/queue"
)

// kinds are the types of keys, each with a command that makes one.
var kinds = map[string][]any{
	"string": {"SET", "", "x"}, "list": {"LPUSH", "", "x"}, "set": {"SADD", "", "x"}, "hash": {"HSET", "", "x", "y"},
	"zset": {"ZADD", "", "1", "x"}, "stream": {"XADD", "", "*", "x", "y"},
}

func overwrite(t *testing.T, c *goredis.Client, key, kind string) {
	t.Helper()
	c.Del(t.Context(), key)
	args := append([]any{}, kinds[kind]...)
	args[1] = key
	if err := c.Do(t.Context(), args...).Err(); err != nil {
		t.Fatal(err)
	}
}

// TestOverwrittenProjectKeyHoldsOnlyItsProject: the other is served, the message waits until the key is gone.
func TestOverwrittenProjectKeyHoldsOnlyItsProject(t *testing.T) {
	t.Parallel()
	s, c, _ := setup(t)
	for _, name := range []string{"pending", "q"} {
		for kind := range kinds {
			if kind == "hash" {
				continue
			}
			t.Run(name+" as "+kind, func(t *testing.T) {
				prefix := s.Prefix + ":" + name + kind
				q := open(t, s.URL, prefix)
				var ahead time.Duration
				q.SetHolderAndClock(owner.Self(), func() time.Duration { return ahead })
				key := prefix + ":" + name + ":bad"
				overwrite(t, c, key, kind)
				push(t, q, "bad")
				push(t, q, "good")
				drained(t, q, 2)
				ahead += time.Minute
				if claim, err := q.Claim(t.Context()); err != nil || claim == nil || claim.Project != "good" {
					t.Fatalf("claim %+v, %v; want that of the other project", claim, err)
				}
				if w, err := q.Waiting(t.Context(), "bad"); err != nil || len(w) != 1 ||
					!strings.Contains(w[0].Broken, key) {
					t.Errorf("waiting %+v, %v; want the message that could not be merged, and the key", w, err)
				}
				c.Del(t.Context(), key)
				q.lastRescue = time.Time{}
				drained(t, q, 1)
				ahead += time.Minute
				claims(t, q, "bad")
			})
		}
	}
}

// claims claims until it got project.
func claims(t *testing.T, q *Queue, project string) {
	t.Helper()
	for range 3 {
		claim, err := q.Claim(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if claim != nil && claim.Project == project {
			return
		}
	}
	t.Fatalf("project %q cannot be claimed", project)
}

// TestOverwrittenSharedKeyLosesNoMessage: the error names the key; when it is deleted all is served.
func TestOverwrittenSharedKeyLosesNoMessage(t *testing.T) {
	t.Parallel()
	s, c, _ := setup(t)
	for name, is := range map[string]string{"due": "zset", "inflight": "zset", "holders": "hash"} {
		for kind := range kinds {
			if kind == is {
				continue
			}
			t.Run(name+" as "+kind, func(t *testing.T) {
				prefix := s.Prefix + ":" + name + kind
				q := open(t, s.URL, prefix)
				var ahead time.Duration
				q.SetHolderAndClock(owner.Self(), func() time.Duration { return ahead })
				push(t, q, "before")
				drained(t, q, 1)
				key := prefix + ":" + name
				overwrite(t, c, key, kind)
				push(t, q, "after")
				_, err := q.Drain(t.Context(), nil)
				if err == nil {
					ahead += time.Minute
					_, err = q.Claim(t.Context())
				}
				if err == nil || !strings.Contains(err.Error(), key) {
					t.Errorf("error %v; want one that names %q", err, key)
				}
				c.Del(t.Context(), key)
				q.lastRescue = time.Time{}
				push(t, q, "third") // so that Drain does not wait
				drained(t, q, 1)
				ahead += time.Minute
				got := map[string]bool{}
				for range 3 {
					claim, err := q.Claim(t.Context())
					if err != nil || claim == nil {
						t.Fatalf("claim %+v, %v", claim, err)
					}
					got[claim.Project] = true
				}
				if !got["before"] || !got["after"] {
					t.Errorf("claimed %v, want both", got)
				}
			})
		}
	}
}

// TestOverwrittenLettersHoldOnlyBadMessages: good ones are merged, the claim and the refused message are kept.
func TestOverwrittenLettersHoldOnlyBadMessages(t *testing.T) {
	t.Parallel()
	s, c, _ := setup(t)
	for kind := range kinds {
		if kind == "stream" {
			continue
		}
		t.Run(kind, func(t *testing.T) {
			prefix := s.Prefix + ":" + kind
			q := open(t, s.URL, prefix)
			var ahead time.Duration
			q.SetHolderAndClock(owner.Self(), func() time.Duration { return ahead })
			overwrite(t, c, prefix+":dead", kind)
			if _, err := q.PushFields(t.Context(), map[string]string{"junk": "1"}); err != nil {
				t.Fatal(err)
			}
			push(t, q, "good")
			drained(t, q, 2)
			ahead += time.Minute
			claim, err := q.Claim(t.Context())
			if err != nil || claim == nil {
				t.Fatalf("claim %+v, %v", claim, err)
			}
			if err := q.Bury(t.Context(), claim, "broken"); err == nil ||
				!strings.Contains(err.Error(), prefix+":dead") {
				t.Errorf("bury: error %v; want one that names the key", err)
			}
			c.Del(t.Context(), prefix+":dead")
			if err := q.Bury(t.Context(), claim, "broken"); err != nil {
				t.Fatal(err)
			}
			q.lastRescue = time.Time{}
			drained(t, q, 1)
			if l, err := q.Dead(t.Context()); err != nil || len(l) != 2 {
				t.Errorf("letters %+v, %v; want both", l, err)
			}
		})
	}
}

// TestOverwrittenIntakeKeepsLetters: what cannot be sent again stays where it is.
func TestOverwrittenIntakeKeepsLetters(t *testing.T) {
	t.Parallel()
	s, c, q := setup(t)
	if _, err := q.PushFields(t.Context(), map[string]string{queue.FieldProject: "web"}); err != nil {
		t.Fatal(err)
	}
	drained(t, q, 1)
	overwrite(t, c, s.Prefix+":refresh", "string")
	if _, err := q.RetryDead(t.Context(), nil); err == nil {
		t.Error("no error")
	}
	if l, err := q.Dead(t.Context()); err != nil || len(l) != 1 {
		t.Errorf("letters %+v, %v; want the one", l, err)
	}
	if _, err := q.Drain(t.Context(), nil); err == nil || !strings.Contains(err.Error(), s.Prefix+":refresh") {
		t.Errorf("drain: error %v; want one that names the key", err)
	}
}

// TestProjectsOfALostDueSetAreRequeuedAtTheStart: nobody who lives saw that the key was overwritten and deleted.
func TestProjectsOfALostDueSetAreRequeuedAtTheStart(t *testing.T) {
	t.Parallel()
	s, c, q := setup(t)
	push(t, q, "web")
	drained(t, q, 1)
	overwrite(t, c, q.due(), "string")
	c.Del(t.Context(), q.due())
	later := open(t, s.URL, s.Prefix)
	later.SetHolderAndClock(owner.Self(), func() time.Duration { return time.Minute })
	push(t, later, "shop") // so that Drain does not wait
	drained(t, later, 1)
	later.SetHolderAndClock(owner.Self(), func() time.Duration { return 2 * time.Minute })
	claims(t, later, "web")
}
