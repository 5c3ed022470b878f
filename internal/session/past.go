package session

import (
	"context"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/githist"
	"github.com/contextd/contextd/internal/history"
	"github.com/contextd/contextd/internal/retrieve"
)

// historyTime bounds the reading of a git history behind an answer, and tasksFor is how long those that were read are believed.
const (
	historyTime = 8 * time.Second
	tasksFor    = time.Second
)

// owe notes that a project's git history is to be looked at once the answer is out.
func (s *Session) owe(t retrieve.Target) {
	s.mind.Lock()
	defer s.mind.Unlock()
	s.owed = append(s.owed, t)
}

// Afterwards does what has to wait until an answer is out: it reads the git history of the projects that were indexed before their
// answer. For commands; a server does it behind its answers.
func (s *Session) Afterwards(ctx context.Context) {
	s.mind.Lock()
	owed := s.owed
	s.owed = nil
	s.mind.Unlock()
	for _, t := range owed {
		s.keepHistory(ctx, t)
	}
}

func (s *Session) keepHistory(ctx context.Context, t retrieve.Target) {
	err := githist.Keep(ctx, s.store.Index, t.IndexID(), t.Root, githist.Options{Timeout: historyTime, Allowed: s.opts.Sandbox.Allowed})
	if err != nil && ctx.Err() == nil {
		s.log.Info("git history not read", "project", t.IndexID(), "error", err)
	}
}

// readTasks are a project's tasks as they were last read.
type readTasks struct {
	at   time.Time
	part *githist.Part
}

// tasks are the completed tasks of a project with what they changed, for retrieve: none until something of this process has asked for
// the working memory, whose store is not opened for a question alone.
func (s *Session) tasks(ctx context.Context, project string) *githist.Part {
	now := time.Now()
	s.mind.Lock()
	h, have := s.history, s.done[project]
	s.mind.Unlock()
	if h == nil || now.Sub(have.at) < tasksFor {
		return have.part
	}
	state, err := h.Load(ctx, project)
	if err != nil {
		s.log.Debug("tasks not read", "project", project, "error", err)
		return have.part
	}
	have = readTasks{now, githist.NewPart(notesOf(state.Tasks))}
	s.mind.Lock()
	defer s.mind.Unlock()
	if s.done == nil {
		s.done = map[string]readTasks{}
	}
	s.done[project] = have
	return have.part
}

// notesOf are the tasks that succeeded, newest first.
func notesOf(tasks []history.Task) []githist.Note {
	var notes []githist.Note
	for i := len(tasks) - 1; i >= 0; i-- {
		if t := &tasks[i]; t.Success {
			n := githist.Note{Text: t.Aim(), Time: t.CompletedAt}
			for _, f := range t.ChangedFiles {
				n.Files = append(n.Files, code.Path(f))
			}
			notes = append(notes, n)
		}
	}
	return notes
}
