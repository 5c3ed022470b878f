package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/history"
	"github.com/contextd/contextd/internal/memory"
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
	o := memory.Options{Manifest: s, Log: s.log}
	if s.opts.Embedder.Name() != (embed.None{}).Name() {
		o.Similar = &similar{embedder: s.opts.Embedder}
	}
	m, err := memory.New(docs, o)
	if err != nil {
		return nil, err
	}
	s.memory = m
	return m, nil
}

// Hashes implements memory.Manifest by the indexes of a project's roots.
func (s *Session) Hashes(ctx context.Context, project string, paths []string) (map[string][]string, error) {
	if project == "" {
		return nil, errors.New("no project is named")
	}
	projects, err := s.projects(ctx)
	if err != nil {
		return nil, err
	}
	found := make(map[string][]string, len(paths))
	known := false
	for _, p := range projects { // by id: the first root is the first
		if p.ProjectID() != project {
			continue
		}
		switch err := s.addHashes(ctx, p.ID, paths, found); {
		case errors.Is(err, search.ErrNoProject): // removed just now
		case err != nil:
			return nil, err
		default:
			known = true
		}
	}
	if !known {
		return nil, fmt.Errorf("open project %q: %w", project, search.ErrNoProject)
	}
	return found, nil
}

// addHashes adds those of one root.
func (s *Session) addHashes(ctx context.Context, index string, paths []string, found map[string][]string) error {
	snap, err := s.store.Index.Open(ctx, index)
	if err != nil {
		return fmt.Errorf("open project %q: %w", index, err)
	}
	defer snap.Close()
	for _, p := range paths {
		e, ok, err := snap.Entry(ctx, p)
		if err != nil {
			return fmt.Errorf("look up %q: %w", p, err)
		}
		if h := e.Hash.String(); ok && e.Hash != (code.Hash{}) && !slices.Contains(found[p], h) {
			found[p] = append(found[p], h)
		}
	}
	return nil
}
