package app

import (
	"path/filepath"
	"time"

	"github.com/contextd/contextd/internal/answer"
	"github.com/contextd/contextd/internal/breaker"
	"github.com/contextd/contextd/internal/history"
	"github.com/contextd/contextd/internal/learn"
	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/memory/similar"
	"github.com/contextd/contextd/internal/prompt"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/usage"
)

// auditDir holds the audit logs of all projects, below the state directory on either backing.
const auditDir = "audit"

// remembered is what stands over the store of documents.
type remembered struct {
	history *history.History
	memory  *memory.Memory
	prompts *prompt.Assembler
}

// History is the working memory of projects. From the first call on, tasks that were done point questions at files.
func (a *App) History() (*history.History, error) {
	r, err := a.remembered()
	if err != nil {
		return nil, err
	}
	a.tasks.Use(r.history)
	return r.history, nil
}

// Memory is the memory of agents.
func (a *App) Memory() (*memory.Memory, error) {
	r, err := a.remembered()
	if err != nil {
		return nil, err
	}
	return r.memory, nil
}

// Prompts makes contexts. Where the store of what is remembered cannot be opened it has none, and its contexts say so:
// no prompt is blocked by that.
func (a *App) Prompts() *prompt.Assembler {
	r, err := a.remembered()
	if err != nil {
		a.opts.Log.Error("what is remembered cannot be opened", "error", err)
		return a.prompts()
	}
	a.tasks.Use(r.history)
	return r.prompts
}

// prompts makes contexts of what is there without the store of documents.
func (a *App) prompts() *prompt.Assembler {
	return &prompt.Assembler{Find: a.Access, Code: answer.Code{Answerer: a.Answers, Refresh: a.opts.Refresh},
		Roots: a.Roots, Profiles: a.Profiles, Policy: a.Policy, Learn: a.opts.Learn,
		Embedder: a.opts.Embedders.Comparing(), Log: a.opts.Log}
}

// remembered opens the store of documents and what stands over it, once it can be opened.
func (a *App) remembered() (*remembered, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.kept != nil {
		return a.kept, nil
	}
	docs, err := a.Backend.Documents()
	if err != nil {
		return nil, err
	}
	h := history.New(docs, filepath.Join(a.opts.StateDir, auditDir), time.Now)
	o := memory.Options{Manifest: search.FileHashes{Index: a.Backend.Index, List: a.Access}, Log: a.opts.Log}
	if e := a.opts.Embedders.Comparing(); e != nil {
		o.Similar = similar.New(e)
	}
	m, err := memory.New(docs, o)
	if err != nil {
		return nil, err
	}
	p := a.prompts()
	p.Store, p.History, p.Memory, p.Usage, p.Learned = docs, h, m, usage.New(docs, time.Now), learn.New(docs)
	p.Breakers = breaker.New(a.opts.Breaker, docs)
	a.kept = &remembered{history: h, memory: m, prompts: p}
	return a.kept, nil
}
