package tasknotes

import (
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/history"
	"github.com/contextd/contextd/internal/store/sqlite"
)

func TestTasksThatSucceededAreNotes(t *testing.T) {
	t.Parallel()
	dir, log := t.TempDir(), slog.New(slog.DiscardHandler)
	docs, err := sqlite.Open(filepath.Join(dir, "documents.db"), log)
	if err != nil {
		t.Fatal(err)
	}
	defer docs.Close()
	s := New(log)
	if p := s.Of(t.Context(), "p"); p != nil {
		t.Error("notes without a history")
	}
	h := history.New(docs, filepath.Join(dir, "audit"), time.Now)
	for _, task := range []history.Task{{ID: "1", Intent: "Raise the beacon", Success: new(true),
		ChangedFiles: []string{"beacon.go"}},
		{ID: "2", Intent: "Lower the beacon", ChangedFiles: []string{"broken.go"}}} {
		if _, err := h.Complete(t.Context(), "p", task); err != nil {
			t.Fatal(err)
		}
	}
	state, err := h.Load(t.Context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	if n := notesOf(state.Tasks); len(n) != 1 || n[0].Text != "Raise the beacon" ||
		!slices.Equal(n[0].Files, []string{"beacon.go"}) {
		t.Errorf("notes %+v", n)
	}
	s.Use(h)
	if p := s.Of(t.Context(), "p"); p == nil || p.Notes() != 1 {
		t.Error("the task is no note")
	}
}
