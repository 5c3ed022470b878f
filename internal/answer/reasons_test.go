package answer

import (
	"testing"

	"github.com/contextd/contextd/internal/freshness"
	"github.com/contextd/contextd/internal/retrieve"
)

func TestEachNoteIsAReasonOfItsOwn(t *testing.T) {
	t.Parallel()
	seen := map[retrieve.Reason]bool{}
	for n := freshness.Rebuilt; n <= freshness.Full; n++ {
		r := reasonOf[n]
		if r == "" || seen[r] {
			t.Errorf("note %d is the reason %q, or another note is too", n, r)
		}
		seen[r] = true
	}
	if len(seen) != len(reasonOf) {
		t.Errorf("%d reasons of %d notes", len(reasonOf), len(seen))
	}
}
