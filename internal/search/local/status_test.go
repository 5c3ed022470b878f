package local

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/search"
)

func TestAConfirmationIsWrittenInPlace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	stat := func() os.FileInfo {
		i, err := os.Stat(filepath.Join(dir, confirmedName))
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	write := func(h *head, ns int64) {
		t.Helper()
		if err := writeConfirmed(dir, h, time.Unix(0, ns), noStep); err != nil {
			t.Fatal(err)
		}
		if got := readNote(dir, confirmedName, h); got != strconv.FormatInt(ns, 10) {
			t.Fatalf("read %q, want %d", got, ns)
		}
	}
	h := &head{project: search.Project{Epoch: "e1"}, seq: 9}
	write(h, 1_000_000_000)
	first := stat()
	write(h, 1_000_000_001)
	if !os.SameFile(first, stat()) {
		t.Error("a line of the same length is a new file")
	}
	longer := &head{project: search.Project{Epoch: "e1"}, seq: 10}
	write(longer, 1_000_000_002)
	write(h, 1_000_000_003)
	if readNote(dir, confirmedName, longer) != "" {
		t.Error("a note of one commit is taken for that of another")
	}
	gone := errors.New("killed")
	if err := writeConfirmed(dir, h, time.Unix(2, 0), func(string) error { return gone }); !errors.Is(err, gone) {
		t.Errorf("got %v, want the step's error", err)
	}
	if got := readNote(dir, confirmedName, h); got != "1000000003" {
		t.Errorf("a write that did not happen left %q", got)
	}
}

func TestAConfirmationThatIsWrittenOverIsReadWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := &head{project: search.Project{Epoch: "e1"}, seq: 9}
	const from, each = 1_000_000_000, 500
	var group sync.WaitGroup
	for w := range 3 {
		group.Go(func() {
			for i := range each {
				if err := writeConfirmed(dir, h, time.Unix(0, from+int64(w*each+i)), noStep); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { group.Wait(); close(done) }()
	for {
		if text := readNote(dir, confirmedName, h); text != "" {
			if ns, err := strconv.ParseInt(text, 10, 64); err != nil || ns < from || ns >= from+3*each {
				t.Fatalf("read %q, which nobody wrote", text)
			}
		}
		select {
		case <-done:
			return
		default:
		}
	}
}
