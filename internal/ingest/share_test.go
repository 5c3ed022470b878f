package ingest_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/ingest"
)

// TestSliceOfAFirstIndexKeepsWhatItReadAndGoesOn: a run that is one slice ends when its share of time does, with what
// it read in the index; the next ones go on, and only the last one counts as complete.
func TestSliceOfAFirstIndexKeepsWhatItReadAndGoesOn(t *testing.T) {
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf("f%03d.go", i)] = fmt.Sprintf("package p\n\nfunc F%d() int { return %d }\n", i, i)
	}
	b := setup(t, files)
	before := 0
	for runs := 1; ; runs++ {
		rep := b.refresh(ingest.Options{Slice: time.Nanosecond}, ingest.Request{Slice: true})
		if now := len(b.indexed()); now <= before && rep.Unfinished {
			t.Fatalf("run %d got no further than %d files", runs, now)
		} else {
			before = now
		}
		if rep.Unfinished != rep.Project.IndexedAt.IsZero() {
			t.Errorf("run %d: unfinished %v, indexed at %v", runs, rep.Unfinished, rep.Project.IndexedAt)
		}
		if !rep.Unfinished {
			if runs == 1 {
				t.Error("the first run did all of it")
			}
			break
		}
	}
	if before != len(files) {
		t.Errorf("%d files of %d", before, len(files))
	}
}
