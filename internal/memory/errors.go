package memory

import (
	"errors"
	"fmt"

	"github.com/contextd/contextd/internal/safetext"
	"github.com/contextd/contextd/internal/secret"
)

// Errors that callers branch on; those returned wrap them.
var (
	ErrNotFound = errors.New("no such memory item")         // or it is not for this agent's eyes
	ErrForeign  = errors.New("it belongs to another agent") // a checkpoint
	ErrNewer    = errors.New("it was written by a newer version of contextd")
	ErrLoop     = errors.New("it repeats what contextd itself put into the prompt")
)

// Invalid says which value of a request cannot be, and what could.
type Invalid struct {
	Field string
	Value string // at most 80 bytes of it
	Want  string
}

// Error reads: kind "x": want one of …
func (e *Invalid) Error() string { return fmt.Sprintf("%s %q: want %s", e.Field, e.Value, e.Want) }

// DraftError says which of the drafts of a call cannot be saved.
type DraftError struct {
	Index int // from 0
	Of    int
	Err   error
}

// Error counts drafts from 1; one alone needs no number.
func (e *DraftError) Error() string {
	if e.Of == 1 {
		return e.Err.Error()
	}
	return fmt.Sprintf("item %d of %d: %v", e.Index+1, e.Of, e.Err)
}

// Unwrap is the cause.
func (e *DraftError) Unwrap() error { return e.Err }

// invalid is an Invalid that tells no secret and is valid UTF-8.
func invalid(field, value, want string) error {
	value, _ = secret.Redact(safetext.Valid(value))
	if len(value) > 80 {
		value = safetext.Cut(value, 77) + "…"
	}
	return &Invalid{Field: field, Value: value, Want: want}
}

// LoopError refuses a text that contextd itself injected into the agent's prompt: remembering it would feed contextd
// its own words, more important each time.
type LoopError struct {
	Share float64 // of the runs of words that were injected, in [0,1]
}

// Error names the share.
func (e *LoopError) Error() string {
	return fmt.Sprintf("%.0f %% of the text stood in the prompt already: want something that is not remembered yet",
		e.Share*100)
}

// Is makes errors.Is(err, ErrLoop) true.
func (e *LoopError) Is(target error) bool { return target == ErrLoop }
