package store

import (
	"errors"
	"fmt"
)

// Errors that every implementation gives, wrapped.
var (
	ErrNotFound = errors.New("no such document")
	ErrConflict = errors.New("changed by somebody else meanwhile")
)

// DamagedError says that a file of documents could not be read any more: it was moved aside, whole, and a new one
// begun. The call that gets it did nothing; the next one works on the new file.
type DamagedError struct {
	Path  string // of the file
	Aside string // where it lies now
	Cause error
}

// Error names both files.
func (e *DamagedError) Error() string {
	return fmt.Sprintf("documents %q were damaged, kept as %q and begun again: %v", e.Path, e.Aside, e.Cause)
}

// Unwrap gives the cause.
func (e *DamagedError) Unwrap() error { return e.Cause }

// NotFound is ErrNotFound for one document.
func NotFound(s Shelf, id string) error { return fmt.Errorf("read %q of %s: %w", id, s, ErrNotFound) }

// Conflict is ErrConflict for one document.
func Conflict(s Shelf, id string) error {
	return fmt.Errorf("write %q of %s: %w", id, s, ErrConflict)
}

// String is the shelf as errors name it: memory "knight-1".
func (s Shelf) String() string { return fmt.Sprintf("%s %q", s.Bucket, s.Owner) }
