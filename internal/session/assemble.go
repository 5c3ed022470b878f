package session

import (
	"time"

	"github.com/contextd/contextd/internal/answer"
	"github.com/contextd/contextd/internal/breaker"
	"github.com/contextd/contextd/internal/freshness"
	"github.com/contextd/contextd/internal/learn"
	"github.com/contextd/contextd/internal/profile"
	"github.com/contextd/contextd/internal/prompt"
	"github.com/contextd/contextd/internal/usage"
)

// Assembler makes contexts over this session's stores; the first call opens them. What it asks of the index is brought up to date as
// bring says: Behind for servers, Never for a command that has called [answer.Answerer.BringUp]. Later calls return the
// first one's, whatever they are given.
//
// Where the store of what is remembered cannot be opened, the assembler has none, and its contexts say so: no prompt is blocked by that.
func (s *Session) Assembler(bring freshness.Bring) *prompt.Assembler {
	s.mind.Lock()
	a := s.assembler
	s.mind.Unlock()
	if a != nil {
		return a
	}
	a = &prompt.Assembler{Find: s.Finder, Code: answer.Code{Answerer: s.Answerer, Bring: bring}, Profiles: s.opts.Profiles, Log: s.log, Policy: s.opts.Policy, Learn: s.opts.Learn, Roots: s.Roots}
	a.Embedder = s.opts.Embedders.Comparing()
	if err := s.furnish(a); err != nil {
		s.log.Error("what is remembered cannot be opened", "error", err)
		return a // another try comes with the next call
	}
	s.mind.Lock()
	defer s.mind.Unlock()
	if s.assembler == nil {
		s.assembler = a
	}
	return s.assembler
}

// RequiresContext is the toggle of a task that completes without one.
func (s *Session) RequiresContext(project, kind string) bool {
	on, _ := s.opts.Policy.For(project, kind)
	return on
}

// furnish gives an assembler what is remembered.
func (s *Session) furnish(a *prompt.Assembler) error {
	docs, err := s.store.Documents()
	if err != nil {
		return err
	}
	h, err := s.History()
	if err != nil {
		return err
	}
	m, err := s.Memory()
	if err != nil {
		return err
	}
	a.Store, a.History, a.Memory, a.Usage, a.Learned = docs, h, m, usage.New(docs, time.Now), learn.New(docs)
	a.Breakers = breaker.New(s.opts.Breaker, docs)
	return nil
}

// Profiles are those of agents.
func (s *Session) Profiles() *profile.Set {
	if s.opts.Profiles != nil {
		return s.opts.Profiles
	}
	return profile.Builtin()
}
