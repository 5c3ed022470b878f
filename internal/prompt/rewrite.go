package prompt

import (
	"context"
	"fmt"
	"strings"

	"github.com/contextd/contextd/internal/compile"
	"github.com/contextd/contextd/internal/history"
	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/profile"
	"github.com/contextd/contextd/internal/receipt"
	"github.com/contextd/contextd/internal/roots"
	"github.com/contextd/contextd/internal/secret"
	"github.com/contextd/contextd/internal/tokens"
)

// rewriter compiles one prompt again. It reads each source once, when it is first needed.
type rewriter struct {
	a    *Assembler
	ctx  context.Context
	r    *receipt.Receipt
	out  *Prompt
	left int // bytes of text that may still be shown

	files       *roots.Files
	opened      bool // files was asked for; nil: it cannot be had
	texts       map[string][]string
	memories    map[string]memory.Item // nil until they are read
	pastHistory *history.State
	words       tokens.Words
}

func (w *rewriter) close() {
	if w.files != nil {
		_ = w.files.Close() // it was only read
	}
}

// file returns the texts of a file.
func (w *rewriter) file(path string) []string {
	if !w.opened {
		w.opened, w.texts = true, map[string][]string{}
		if w.a.Roots != nil {
			f, err := w.a.Roots.Open(w.ctx, w.r.Project)
			if err != nil {
				w.a.log().Warn("files of a prompt cannot be opened", "id", w.r.ID, "error", err)
			} else {
				w.files = f
			}
		}
	}
	texts, known := w.texts[path]
	if !known && w.files != nil {
		texts = w.files.Texts(w.ctx, path)
		w.texts[path] = texts
	}
	return texts
}

// memory returns an item as it is now.
func (w *rewriter) memory(id string) (memory.Item, bool) {
	if w.memories == nil {
		w.memories = map[string]memory.Item{}
		if w.a.Memory != nil {
			items, err := w.a.Memory.List(w.ctx, memory.Who{Agent: w.r.Agent, Project: w.r.Project}, memory.Filter{})
			if err != nil {
				w.a.log().Warn("memory of a prompt cannot be read", "id", w.r.ID, "error", err)
			}
			for _, m := range items {
				w.memories[m.ID] = m
			}
		}
	}
	m, ok := w.memories[id]
	return m, ok
}

// history returns the history as it is now.
func (w *rewriter) history() history.State {
	if w.pastHistory == nil {
		w.pastHistory = &history.State{}
		if w.a.History != nil {
			s, err := w.a.History.Load(w.ctx, w.r.Project)
			if err != nil {
				w.a.log().Warn("history of a prompt cannot be read", "id", w.r.ID, "error", err)
			}
			*w.pastHistory = s
		}
	}
	return *w.pastHistory
}

// mayShow reports whether a text may be shown, and counts it: the bound holds, and the rules of today see no secret in
// it.
func (w *rewriter) mayShow(text string) bool {
	if len(text) > w.left {
		return false
	}
	w.left -= len(text)
	_, found, err := secret.FindWithin(w.ctx, text)
	return err == nil && !found
}

// hasHash reports whether a text has a short hash; without one nothing has.
func hasHash(text, hash string) bool { return hash != "" && receipt.ShortHash(text) == hash }

// system returns the system prompt of the agent's kind and profile.
func (w *rewriter) system() (string, PartState) {
	state := compile.State{Issue: &compile.Issue{Title: "x"}, Design: "x", Task: &compile.Task{ID: "x", Diff: "x"}}
	found, hash := "", ""
	if w.r.Prompt != nil {
		hash = w.r.Prompt.SystemHash
	}
	for _, name := range []string{w.r.Profile, ""} { // the profile of one request is none of those that are known
		j := &job{kind: w.r.AgentKind, req: Request{Profile: ProfileChoice{Name: name}}}
		if _, err := w.a.agent(j); err != nil {
			continue
		}
		if c, err := j.strategy.Compile(state); err == nil && w.mayShow(c.SystemPrompt) {
			found = c.SystemPrompt
			if hasHash(found, hash) {
				return found, PartSame
			}
		}
	}
	if found == "" || hash == "" {
		return "[the system prompt is not kept]", PartNotKept
	}
	return "[the system prompt has changed since]", PartChanged
}

// question returns the question that ends the prompt; "" for none.
func (w *rewriter) question() (string, PartState) {
	if w.r.Prompt == nil || w.r.Prompt.QuestionHash == "" {
		return "", PartSame
	}
	if q := strings.TrimSpace(w.r.Query); hasHash(q, w.r.Prompt.QuestionHash) && w.mayShow(q) {
		return q, PartSame
	}
	return "[the question was handed in and is not kept]", PartNotKept
}

// section returns the content of a section and its parts, whose places are those in the content.
func (w *rewriter) section(s receipt.Section) (string, []Part) {
	switch s.Source {
	case "memory", "index":
		return w.pieces(s.Source == "index")
	}
	var content string
	var state PartState
	switch {
	case s.Source == "history":
		content, state = w.historySection(s.Hash), PartChanged
	case s.Source == "issue":
		content, state = w.taskSection(s.Hash, profile.SourceIssue), PartNotKept
	default:
		content, state = w.taskSection(s.Hash, profile.SourceTask), PartNotKept
	}
	switch {
	case content != "" && w.mayShow(content):
		state = PartSame
	case state == PartChanged:
		content = fmt.Sprintf("[%s has changed since]", s.Name)
	default:
		content, state = fmt.Sprintf("[%s was handed in and is not kept]", s.Name), PartNotKept
	}
	return content, []Part{{End: len(content), Source: s.Source, Tokens: s.Tokens, State: state}}
}
