//go:build unix

package spool

import (
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

func TestPipeWithoutAWriterHoldsNothingUp(t *testing.T) {
	t.Parallel()
	s := Open(t.TempDir())
	if err := syscall.Mkfifo(filepath.Join(s.Dir(), "0.json"), 0o600); err != nil {
		t.Skip(err)
	}
	if n, err := s.Deliver(t.Context(), (&store{}).push, quiet); n != 0 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	if got := names(t, s.Dir()); !slices.Equal(got, []string{"0.json.bad"}) {
		t.Errorf("left: %q", got)
	}
}
