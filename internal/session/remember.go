package session

import (
	"path/filepath"
	"time"

	"github.com/contextd/contextd/internal/history"
	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/memory/similar"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/search"
)

// auditDir holds the audit logs of all projects, below the state directory on either backing.
const auditDir = "audit"

// History is the working memory of projects; the first call opens the store of documents.
func (s *Session) History() (*history.History, error) {
	s.mind.Lock()
	defer s.mind.Unlock()
	if s.history != nil {
		return s.history, nil
	}
	docs, err := s.store.Documents()
	if err != nil {
		return nil, err
	}
	s.history = history.New(docs, filepath.Join(s.opts.StateDir, auditDir), time.Now)
	s.history.Redact = sandbox.RedactWithin
	s.tasks.Use(s.history)
	return s.history, nil
}

// Memory is the memory of agents; the first call opens the store of documents.
func (s *Session) Memory() (*memory.Memory, error) {
	s.mind.Lock()
	defer s.mind.Unlock()
	if s.memory != nil {
		return s.memory, nil
	}
	docs, err := s.store.Documents()
	if err != nil {
		return nil, err
	}
	o := memory.Options{Manifest: search.FileHashes{Index: s.store.Index, List: s.Finder}, Log: s.log}
	if e := s.opts.Embedders.Comparing(); e != nil {
		o.Similar = similar.New(e)
	}
	m, err := memory.New(docs, o)
	if err != nil {
		return nil, err
	}
	s.memory = m
	return m, nil
}
