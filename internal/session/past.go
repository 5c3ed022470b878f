package session

import (
	"context"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/githist"
)

// historyTime bounds the reading of a git history behind an answer.
const historyTime = 8 * time.Second

// owe notes that a project's git history is to be looked at once the answer is out.
func (s *Session) owe(t access.Target) {
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

func (s *Session) keepHistory(ctx context.Context, t access.Target) {
	err := githist.Keep(ctx, s.store.Index, t.IndexID(), t.Root, githist.Options{Timeout: historyTime, Allowed: s.opts.Sandbox.Allowed})
	if err != nil && ctx.Err() == nil {
		s.log.Info("git history not read", "project", t.IndexID(), "error", err)
	}
}
