package store

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Limits of names and documents, in bytes.
const (
	MaxName = 256
	MaxData = 1 << 20
)

// Errors that every implementation gives, wrapped.
var (
	ErrNotFound = errors.New("no such document")
	ErrConflict = errors.New("changed by somebody else meanwhile")
)

// Shelf names what is read and changed together.
type Shelf struct {
	Bucket string // lower-case letters: what kind of document
	Owner  string // whose: any text of 1 to MaxName bytes
}

// Doc is one document of a shelf.
type Doc struct {
	ID   string
	Rev  int64 // grows with each write of this document, from 1
	Data []byte
}

// Write is one change of a shelf.
type Write struct {
	ID   string
	Data []byte // nil removes the document; removing what is not there is no error
	// If, unless it is Any, is the revision that the document must have for the whole change to happen; Absent: it must not be there.
	If int64
}

// Conditions of a Write beside a revision.
const (
	Any    int64 = 0
	Absent int64 = -1
)

// Entry is one entry of a log.
type Entry struct {
	ID   string // grows with each entry, compared by (length, bytes); never used twice
	Data []byte
}

// Store keeps documents and logs. Safe for concurrent use, by several processes too.
type Store interface {
	// Get returns one document, or ErrNotFound.
	Get(ctx context.Context, s Shelf, id string) (Doc, error)
	// All returns the documents of a shelf by id, and the shelf's revision: 0 and nothing where there never was one.
	All(ctx context.Context, s Shelf) ([]Doc, int64, error)
	// Rev returns the revision of a shelf, 0 where there never was one. It never falls, even when all documents go.
	Rev(ctx context.Context, s Shelf) (int64, error)
	// Owners lists the owners of a bucket that hold at least one document, sorted.
	Owners(ctx context.Context, bucket string) ([]string, error)
	// Apply makes all the changes or, if one condition fails, none, with ErrConflict. It returns the shelf's new revision. The
	// writes of one call name different documents.
	Apply(ctx context.Context, s Shelf, writes ...Write) (int64, error)
	// Append adds entries to a log and drops the oldest beyond max entries, approximately (never fewer than max stay). It returns
	// the last entry's id.
	Append(ctx context.Context, log string, max int, data ...[]byte) (string, error)
	// Tail returns up to n entries of a log after the entry with the id given ("": from the start), oldest first.
	Tail(ctx context.Context, log, after string, n int) ([]Entry, error)
	// Last returns up to n entries of a log, newest first.
	Last(ctx context.Context, log string, n int) ([]Entry, error)
	Close() error
}

// CheckShelf names what is wrong with a shelf's name.
func CheckShelf(s Shelf) error {
	if err := checkBucket(s.Bucket); err != nil {
		return err
	}
	return checkName("owner", s.Owner)
}

// CheckBucket names what is wrong with a bucket's name.
func CheckBucket(bucket string) error { return checkBucket(bucket) }

// CheckWrites names what is wrong with the changes of one call.
func CheckWrites(writes []Write) error {
	seen := make(map[string]bool, len(writes))
	for _, w := range writes {
		if err := checkName("id", w.ID); err != nil {
			return err
		}
		if seen[w.ID] {
			return fmt.Errorf("id %q: want it once in a change", w.ID)
		}
		seen[w.ID] = true
		if len(w.Data) > MaxData {
			return fmt.Errorf("document %q: %d bytes, want at most %d", w.ID, len(w.Data), MaxData)
		}
		if w.If < Absent {
			return fmt.Errorf("document %q: revision %d, want Any, Absent or one from 1", w.ID, w.If)
		}
	}
	return nil
}

func checkBucket(bucket string) error {
	if bucket == "" || len(bucket) > 32 {
		return fmt.Errorf("bucket %q: want 1 to 32 lower-case letters", bucket)
	}
	for _, r := range bucket {
		if r < 'a' || r > 'z' {
			return fmt.Errorf("bucket %q: want 1 to 32 lower-case letters", bucket)
		}
	}
	return nil
}

func checkName(what, name string) error {
	switch {
	case name == "" || len(name) > MaxName:
		return fmt.Errorf("%s %.40q: %d bytes, want 1 to %d", what, name, len(name), MaxName)
	case !utf8.ValidString(name):
		return fmt.Errorf("%s %q: want UTF-8", what, name)
	}
	return nil
}
