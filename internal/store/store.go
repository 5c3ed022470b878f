package store

import "context"

// Shelf names what is read and changed together.
type Shelf struct {
	Bucket string // lower-case letters: what kind of document
	Owner  string // whose: any text of 1 to MaxName bytes
}

// relaxed are buckets of what was in prompts and what became of it. Each prompt writes there and waits for it.
var relaxed = map[string]bool{"injected": true, "injectedproject": true, "turns": true, "usage": true, "windows": true}

// Relaxed reports whether the last changes of a bucket may be lost when the machine, not a process, dies: they make
// later prompts better and are no loss to anybody's memory.
func Relaxed(bucket string) bool { return relaxed[bucket] }

// Doc is one document of a shelf.
type Doc struct {
	ID   string
	Rev  int64 // the shelf's revision when this document was last written, so never the same twice
	Data []byte
}

// Write is one change of a shelf.
type Write struct {
	ID   string
	Data []byte // nil removes the document; removing what is not there is no error
	// If, unless it is Any, is the revision that the document must have for the whole change to happen; Absent: it must
	// not be there.
	If int64
}

// Conditions of a Write beside a revision.
const (
	Any    int64 = 0
	Absent int64 = -1
)

// Entry is one entry of a log.
type Entry struct {
	ID   string // grows with each entry, compared as a string; never used twice
	Data []byte
}

// Store keeps documents and logs. Safe for concurrent use, by several processes too. What a method returns is the
// caller's.
type Store interface {
	// Get returns one document, or ErrNotFound.
	Get(ctx context.Context, s Shelf, id string) (Doc, error)
	// All returns the documents of a shelf by id, and the shelf's revision: 0 and nothing where there never was one.
	All(ctx context.Context, s Shelf) ([]Doc, int64, error)
	// Rev returns the revision of a shelf, 0 where there never was one. It never falls, even when all documents go.
	Rev(ctx context.Context, s Shelf) (int64, error)
	// Owners lists the owners of a bucket that hold at least one document, sorted.
	Owners(ctx context.Context, bucket string) ([]string, error)
	// Apply makes all the changes or, if one condition fails, none, with ErrConflict. It returns the shelf's new
	// revision, which is that of the documents written, too; without writes the present one. The writes of one call
	// name different documents. After another error the change was made or not, whole in either case.
	Apply(ctx context.Context, s Shelf, writes ...Write) (int64, error)
	// Append adds entries to a log, all or none, and drops the oldest beyond the number to keep, approximately: never
	// fewer stay. It returns the last entry's id.
	Append(ctx context.Context, log string, keep int, data ...[]byte) (string, error)
	// Tail returns up to n entries of a log after the entry with the id given ("": from the start), oldest first.
	Tail(ctx context.Context, log, after string, n int) ([]Entry, error)
	// Last returns up to n entries of a log, newest first.
	Last(ctx context.Context, log string, n int) ([]Entry, error)
	Close() error
}
