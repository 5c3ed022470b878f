package prompt

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/contextd/contextd/internal/breaker"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/waits"
)

// costs is an assembler whose searches do as search says, and how many there were.
func costs(search func(ctx context.Context) []retrieve.Reason) (a *Assembler, asked *int) {
	asked = new(int)
	a = &Assembler{Breakers: breaker.New(breaker.Default(breaker.DefaultLimit), nil)}
	a.Code = answers(func(ctx context.Context, req retrieve.Request, _ error) (*retrieve.Reply, error) {
		*asked++
		return &retrieve.Reply{Status: retrieve.Empty, Reasons: search(ctx)}, nil
	})
	return a, asked
}

// off compiles a context and reports whether it says that code was left out.
func off(t *testing.T, a *Assembler, deadline int) bool {
	t.Helper()
	r, err := a.Build(t.Context(), Request{Project: "web", Query: "where is the lamp lit", DeadlineMS: deadline})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Wait() // searches that were left behind
	said := slices.Contains(r.Reasons, RetrievalOff)
	if said && r.Status != Degraded {
		t.Errorf("status %s of a context without code", r.Status)
	}
	return said
}

func TestSlowRetrievalIsLeftOutForAWhileAndTriedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cost := 600 * time.Millisecond
		a, asked := costs(func(context.Context) []retrieve.Reason { time.Sleep(cost); return nil })
		step := func(pause time.Duration, want bool, searches int) {
			t.Helper()
			time.Sleep(pause)
			if got := off(t, a, 5000); got != want || *asked != searches {
				t.Errorf("off: %v, want %v; %d searches, want %d", got, want, *asked, searches)
			}
		}
		step(0, false, 1)
		step(0, false, 2)
		step(0, false, 3)
		step(0, true, 3)
		step(59*time.Second, true, 3)
		step(2*time.Second, false, 4) // tried again, and still slow
		step(0, true, 4)
		step(119*time.Second, true, 4)
		cost = time.Millisecond
		step(2*time.Second, false, 5)
		cost = 600 * time.Millisecond
		step(0, false, 6) // from one on again
		step(0, false, 7)
		step(0, false, 8)
		step(0, true, 8)
	})
}

func TestOnlyWhatRetrievalItselfCostsCounts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		deadline int
		search   func(ctx context.Context) []retrieve.Reason
		want     bool
	}{
		"a wait for a new index": {10000, func(ctx context.Context) []retrieve.Reason {
			end := waits.Begin(ctx)
			time.Sleep(3 * time.Second)
			end()
			time.Sleep(10 * time.Millisecond)
			return nil
		}, false},
		"a wait and a slow search": {10000, func(ctx context.Context) []retrieve.Reason {
			end := waits.Begin(ctx)
			time.Sleep(3 * time.Second)
			end()
			time.Sleep(600 * time.Millisecond)
			return nil
		}, true},
		"an index that is not there yet": {10000, func(context.Context) []retrieve.Reason {
			time.Sleep(3 * time.Second)
			return []retrieve.Reason{retrieve.IndexBuilding}
		}, false},
		"cut off below the limit": {200, func(ctx context.Context) []retrieve.Reason {
			<-ctx.Done()
			return nil
		}, false},
		"cut off above the limit": {2000, func(ctx context.Context) []retrieve.Reason {
			<-ctx.Done()
			return nil
		}, true},
		"at the limit": {2000, func(context.Context) []retrieve.Reason {
			time.Sleep(500 * time.Millisecond)
			return nil
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a, _ := costs(c.search)
				for range 5 {
					off(t, a, c.deadline)
				}
				if got := off(t, a, c.deadline); got != c.want {
					t.Errorf("off: %v, want %v", got, c.want)
				}
			})
		})
	}
}
