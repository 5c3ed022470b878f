package mcp

import (
	"context"

	"github.com/contextd/contextd/internal/retrieve"
)

// Engine answers what the tools ask. A root of "" means the folders that the server was started for; else it is a
// folder as the client gave it, and whether it may be read is for the engine to say. Errors are told to the client in
// one line each, with the hint that they have (a method Hint() string). Safe for concurrent use.
type Engine interface {
	Searcher
	Rememberer
	Explainer
}

// Searcher finds code.
type Searcher interface {
	Search(ctx context.Context, q Question) (*Found, error)
}

// Rememberer keeps and finds notes of agents.
type Rememberer interface {
	Recall(ctx context.Context, root, query, kind string) (*Recalled, error)
	Remember(ctx context.Context, root, text, kind string) (*Remembered, error)
	// Report records how a task ended.
	Report(ctx context.Context, root string, o Outcome) error
}

// Explainer tells of one file, and compiles a context.
type Explainer interface {
	Why(ctx context.Context, root, path string) (retrieve.Verdict, error)
	Context(ctx context.Context, root, task string, budget int) (*Compiled, error)
}

// Question is what search_code asks.
type Question struct {
	Text     string
	Root     string
	Path     string // a file, a folder or a glob; "" for none
	K        int    // greatest number of results
	MaxChars int    // of one snippet
	MaxBytes int    // of all snippets
}

// Found is what a search found in each folder that was asked.
type Found struct {
	Base    string            // the folder that holds them, where there are several; "" where they have none in common
	Replies []*retrieve.Reply // of the folders, with their Root; at least one
	Failed  []string          // what could not be asked, a line each
	Omitted int               // folders that were not asked, for there are too many
}

// Recalled are notes, the most relevant first.
type Recalled struct {
	Roots []string // that were asked
	Notes []Note
	Down  []string // the servers that did not answer: what they hold is missing
}

// Note is one thing that is remembered.
type Note struct {
	Kind, Scope, Date string // Date is "" unless it matters
	Text              string
	Verify            bool // what it speaks of has changed since
}

// Remembered tells what became of a note.
type Remembered struct {
	Root     string
	Known    bool     // it was known already, and is stronger now
	Redacted []string // rules of secrets that were replaced
}

// Outcome is how a task ended.
type Outcome struct {
	TaskID  string
	Success bool
	Summary string
	Files   []string // changed, relative to the root
}

// Compiled is a context.
type Compiled struct {
	Root string
	Text string
	ID   string // of its receipt; "" where none is kept
}
