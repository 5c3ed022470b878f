//go:build !race

package costtest

import (
	"fmt"
	"runtime"
	"testing"
	"time"
)

// recorder is a test that notes its failures.
type recorder struct {
	testing.TB
	failures []string
}

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func work(n int) {
	sum := 0
	for i := range n {
		sum += i ^ sum
	}
	runtime.KeepAlive(sum)
}

func TestQuadraticCostFailsAndLinearCostDoesNot(t *testing.T) {
	t.Parallel()
	const n = 2_000_000
	for _, tt := range []struct {
		name  string
		times int
		fails int
	}{{"linear", 4, 0}, {"quadratic", 16, 1}} {
		r := &recorder{TB: t}
		Linear(r, tt.name, 8, 0, func() { work(n) }, func() { work(tt.times * n) })
		if len(r.failures) != tt.fails {
			t.Errorf("%s: failures %q, want %d", tt.name, r.failures, tt.fails)
		}
	}
}

func TestRunsThatWereSlowedDownAreRepeated(t *testing.T) {
	t.Parallel()
	calls := 0
	r := &recorder{TB: t}
	Linear(r, "slowed down", 8, 0, func() { work(2_000_000) }, func() {
		if calls++; calls <= 2 {
			work(50_000_000)
			return
		}
		work(8_000_000)
	})
	if len(r.failures) > 0 || calls != 3 {
		t.Errorf("failures %q after %d calls", r.failures, calls)
	}
}

func TestWhatCostsLessThanIsFreeIsNotCompared(t *testing.T) {
	t.Parallel()
	r := &recorder{TB: t}
	Linear(r, "little", 8, time.Hour, func() { t.Error("compared") }, func() { work(100) })
	if len(r.failures) > 0 {
		t.Error(r.failures)
	}
}
