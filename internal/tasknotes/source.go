// Package tasknotes reads the completed tasks of a project as notes of package githist: which text changed which files.
// Beside the commits of git they point a question at files that were changed for something alike.
package tasknotes

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/githist"
	"github.com/contextd/contextd/internal/history"
)

// keepFor is how long notes that were read are believed.
const keepFor = time.Second

// Source gives the notes of projects. It has none until [Source.Use]: the store of what is remembered is not opened for
// a question alone. Safe for concurrent use.
type Source struct {
	log *slog.Logger

	mu      sync.Mutex // guards what is below
	history *history.History
	read    map[string]notes // by project
}

// notes are those of a project as they were last read.
type notes struct {
	at   time.Time
	part *githist.Part
}

// New makes a source that has no notes yet.
func New(log *slog.Logger) *Source { return &Source{log: log, read: map[string]notes{}} }

// Use makes the tasks of h the ones that are read from now on.
func (s *Source) Use(h *history.History) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.history = h
}

// Of are the tasks of a project that succeeded, as they stood within the last second; nil where none are known. What
// cannot be read leaves those that were read before.
func (s *Source) Of(ctx context.Context, project string) *githist.Part {
	now := time.Now()
	s.mu.Lock()
	h, have := s.history, s.read[project]
	s.mu.Unlock()
	if h == nil || now.Sub(have.at) < keepFor {
		return have.part
	}
	state, err := h.Load(ctx, project)
	if err != nil {
		s.log.Debug("tasks not read", "project", project, "error", err)
		return have.part
	}
	have = notes{now, githist.NewPart(notesOf(state.Tasks))}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read[project] = have
	return have.part
}

// notesOf are the tasks that succeeded, newest first.
func notesOf(tasks []history.Task) []githist.Note {
	var notes []githist.Note
	for i := len(tasks) - 1; i >= 0; i-- {
		if t := &tasks[i]; t.Outcome() == history.Succeeded {
			n := githist.Note{Text: t.Aim(), Time: t.CompletedAt}
			for _, f := range t.ChangedFiles {
				n.Files = append(n.Files, code.Path(f))
			}
			notes = append(notes, n)
		}
	}
	return notes
}
