// Package costtest tells code whose time grows faster than its input from code that a busy machine slowed down.
//
// Tests may not assert how long something takes. They may assert how much longer it takes for four times the input:
// about 4 times where it is linear, 16 where it is quadratic. Other processes disturb that, so [Linear] reads the time
// that the thread computed (where the system tells it), keeps the least of several measurements, and before it fails
// waits and measures again. Under the race detector it only runs the code: the detector's own memory, four times that of
// the program, is taken from the system page by page, which made 64 KB cost 50 times as much as 16 KB.
package costtest

import (
	"runtime"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/race"
)

const (
	looks = 12 // at a cost that seems too great, before the test fails
	// longer by this from look to look: 7 s in all, since a stalled machine stays so for a while
	pauses = 100 * time.Millisecond
)

// Linear fails the test when large, which does what small does with four times the input, costs more than most times as
// much and free besides. What other goroutines do for them is not counted on Linux.
func Linear(t testing.TB, what string, most float64, free time.Duration, small, large func()) {
	t.Helper()
	if race.Enabled {
		small()
		large()
		return
	}
	a, b := time.Duration(1<<62), time.Duration(1<<62)
	for look := range looks {
		time.Sleep(time.Duration(look) * pauses)
		if b = min(b, cost(large)); b <= free { // too little to be compared
			return
		}
		a = min(a, cost(small), cost(small), cost(small)) // the first of them may meet cold caches
		if float64(b) <= most*float64(a)+float64(free) {
			return
		}
	}
	t.Errorf("%s: %v, and %v for four times the input", what, a, b)
}

// cost is the time of one run: of its thread where the system tells it, else by the clock.
func cost(run func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began := elapsed()
	run()
	return elapsed() - began
}
