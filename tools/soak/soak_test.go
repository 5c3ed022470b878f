//go:build unix

package main

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/contextd/contextd/tools/soak/campaign"
)

func TestEveryKindOfStepCanBeDone(t *testing.T) {
	t.Parallel()
	acts := (&spell{}).acts()
	for _, name := range campaign.Kinds() {
		if acts[name] == nil {
			t.Errorf("no act for %q", name)
		}
		delete(acts, name)
	}
	for name := range acts {
		t.Errorf("no step is %q", name)
	}
}

func TestAFaultEndsOnceByItsTimeByTheNextOrByRest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var f faults
		var ends atomic.Int64
		begin := func(group string, while time.Duration) { f.begin(group, while, func() { ends.Add(1) }) }
		calm := f.calm()
		begin("redis", time.Second)
		if calm() || f.calm()() {
			t.Error("calm while a fault lasts")
		}
		begin("redis", time.Second)
		if ends.Load() != 1 {
			t.Error("a new fault of the group does not end the one before")
		}
		time.Sleep(1500 * time.Millisecond)
		synctest.Wait()
		if ends.Load() != 2 || f.on("redis") {
			t.Error("its time does not end a fault")
		}
		if time.Sleep(time.Second); !f.calm()() {
			t.Error("no calm a second after a fault")
		}
		begin("disk", time.Hour)
		begin("line", time.Hour)
		f.finishAll()
		if f.finishAll(); ends.Load() != 4 {
			t.Errorf("%d ends of 4 faults", ends.Load())
		}
		began := time.Now()
		begin("lease", time.Minute)
		if f.await("lease"); time.Since(began) != time.Minute || ends.Load() != 5 {
			t.Errorf("waited %v", time.Since(began))
		}
	})
}

func TestShorterListsBeginAfterTheLastRestButOne(t *testing.T) {
	t.Parallel()
	list := func(kinds ...string) (steps []campaign.Step) {
		for _, k := range kinds {
			steps = append(steps, campaign.Step{Kind: k})
		}
		return steps
	}
	for _, c := range []struct {
		steps []campaign.Step
		want  int
	}{
		{nil, 0}, {list("edit"), 0}, {list("settle"), 0}, {list("edit", "settle"), 0},
		{list("edit", "settle", "add"), 2},
		{list("edit", "settle", "add", "settle"), 2}, {list("settle", "edit", "settle", "add", "edit", "settle"), 3},
	} {
		if got := lastRest(c.steps); got != c.want {
			t.Errorf("%v: got %d, want %d", c.steps, got, c.want)
		}
	}
}

func TestVectorsHaveTheSizeAskedForAndAreNeverZero(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "one", "def handle_x(value): return 1"} {
		if v := vector(text, 48); len(v) != 48 || v[0] == 0 {
			t.Errorf("%q: %v", text, v)
		}
	}
}

func TestAFilledFileLeavesWhatItIsTold(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := mountSmall(dir); err != nil {
		t.Logf("this user may not mount: %v", err)
		return
	}
	t.Cleanup(func() { _ = unmountSmall(dir) })
	file := filepath.Join(dir, "ballast")
	for _, free := range []int64{0, 16 << 10} {
		if err := fill(file, free); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "x"), make([]byte, 8<<10), 0o600); (err == nil) != (free > 0) {
			t.Errorf("with %d bytes free: %v", free, err)
		}
		_, _ = os.Remove(file), os.Remove(filepath.Join(dir, "x"))
	}
}
