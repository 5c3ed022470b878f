package waits

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestOnlyWaitsUnderTheContextCount(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, c := Count(t.Context())
		end := Begin(ctx)
		time.Sleep(time.Second)
		end()
		time.Sleep(time.Second) // no wait
		other := Begin(t.Context())
		time.Sleep(time.Second)
		other()
		if c.Total() != time.Second {
			t.Errorf("counted %s, want 1 s", c.Total())
		}
	})
}
