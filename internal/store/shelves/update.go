package shelves

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/contextd/contextd/internal/store"
)

// maxTries bounds how often a change is tried while others are faster: each time one of them got further.
const maxTries = 100

// Update applies the writes that change returns and returns the revision that they became. Where somebody else was
// faster (a condition of a write failed), it pauses and calls change again, which must read anew what it goes by; try
// counts from 1. Without writes nothing happens and the revision is 0. After 100 tries the error wraps
// store.ErrConflict. An error of change ends it, whatever it wraps.
func Update(
	ctx context.Context, st store.Store, sh store.Shelf, change func(try int) ([]store.Write, error),
) (rev int64, err error) {
	for try := 1; ; try++ {
		writes, err := change(try)
		if err != nil || len(writes) == 0 {
			return 0, err
		}
		rev, err := st.Apply(ctx, sh, writes...)
		switch {
		case err == nil:
			return rev, nil
		case !errors.Is(err, store.ErrConflict):
			return 0, err
		case try == maxTries:
			return 0, fmt.Errorf("change %s, %d times: %w", sh, try, err)
		}
		if err := pause(ctx, try); err != nil {
			return 0, err
		}
	}
}

// pause waits a random moment, longer with each try up to 20 ms, so that those who collided part.
func pause(ctx context.Context, try int) error {
	select {
	case <-time.After(rand.N(min(20*time.Millisecond, time.Millisecond<<min(try, 5)))):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
