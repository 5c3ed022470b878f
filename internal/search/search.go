package search

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/contextd/contextd/internal/code"
)

// ErrNoProject is returned for a project that the index does not hold.
var ErrNoProject = errors.New("no such project in the index")

// ErrVectorsLost is of a project whose words are all there, while what its vectors are searched by is not. The next
// writer has it made again.
var ErrVectorsLost = errors.New("the vectors of the project cannot be searched")

// ErrLost is returned by a Writer whose lock has passed to another process, or whose next version was dropped: nothing
// more may be written.
var ErrLost = errors.New("the project's write lock was lost")

// StoreFull begins Project.Failed, before a colon, when the refresh failed because the store had no room.
const StoreFull = "store_full"

// LockedError is returned by Index.Writer when another process is writing the project.
type LockedError struct {
	Project string
	Holder  string // who holds the lock, for people: host and pid
}

func (e *LockedError) Error() string {
	return fmt.Sprintf("project %q is being written by %s", e.Project, e.Holder)
}

// Mode says what a backing can search.
type Mode string

// The modes of an index.
const (
	Full  Mode = "full"  // words and vectors
	Names Mode = "names" // file names only: a Redis without search, or by choice
)

// ModeOf is how well a project of an index can be searched: its server's mode, where the index lies on several.
func ModeOf(ctx context.Context, index Index, project string) (Mode, error) {
	if several, ok := index.(interface {
		ModeOf(ctx context.Context, project string) (Mode, error)
	}); ok {
		return several.ModeOf(ctx, project)
	}
	return index.Mode(ctx)
}

// Index holds the projects of one store. All methods are safe for concurrent use and for use by many processes at once.
type Index interface {
	// Mode tells how well this backing can search. On Redis the first call asks the server.
	Mode(ctx context.Context) (Mode, error)
	// Projects lists the records of all projects that have one, by id.
	Projects(ctx context.Context) ([]Project, error)
	// Open pins the current generation of a project for reading. ErrNoProject when there is none yet.
	Open(ctx context.Context, project string) (Snapshot, error)
	// Writer takes the lock of the version that is written, waiting at most spec.Wait for another holder (*LockedError
	// then). The version that serves and the next one have a lock each: both are written at once.
	Writer(ctx context.Context, spec Spec) (Writer, error)
	// Confirm records that the index of a project equals the disk as of at, without a change. Backings write it at most
	// every 30 s, and an earlier time than the last only if it is earlier by ClockSetBack.
	Confirm(ctx context.Context, project string, at time.Time) error
	// Fail records that the last refresh of a project failed, and why; the next Commit clears it. A project without a
	// record is left without.
	Fail(ctx context.Context, project, reason string) error
	// Attach keeps a blob beside the index of a project, in place of the one of this kind before: what is known of the
	// project, and stands in no file's entry. kind is a word of letters a to z. Empty: none. A project without a record
	// is left without. It takes no lock: what is written last stays.
	Attach(ctx context.Context, project, kind string, blob []byte) error
	// Attached is the blob of a kind that was last attached to a project; nil if none is. While it is the same blob it
	// is the same slice, which must not be changed.
	Attached(ctx context.Context, project, kind string) ([]byte, error)
	// Remove forgets a project and all that is stored of it. It takes the lock of the version that serves; a Writer of
	// the next one gets ErrLost.
	Remove(ctx context.Context, project string, wait time.Duration) error
	Close() error
}

// Spec describes the version that a Writer writes.
type Spec struct {
	Project string
	Root    string // real path; if it differs from the record's, all files of the old root go
	Model   Model  // what the documents to come are made with
	// Full starts from nothing: the index that is there serves until Commit and is then replaced. A Writer also starts
	// from nothing when Model differs from the record's or the stored state cannot be read; its Entries are empty then.
	Full bool
	// Next asks for the version that is to come instead of the one that serves, which must be of this Root
	// (ErrNoProject otherwise). The Writer goes on from what the last one of it committed, if that was made with the
	// same Model and can be read; anything else there is of a next version goes, and it begins from nothing. It begins
	// none of the Model that serves (ErrNoProject), unless Full asks for that.
	Next bool
	// DropNext says that no other Model is wanted: a next version of one goes, and who writes it gets ErrLost.
	DropNext bool
	// Paths names what this Writer is for, files and folders with what is below them; nil: all. Entries may then hold only
	// what Paths names, so that a change of one file costs no look at all others. Changes of other files are no error.
	// Not for a next version.
	Paths []code.Path
	Wait  time.Duration // how long to wait for another writer; 0: not at all
	// Progress is called now and then while one call of the Writer is at work for long and gets further; may be nil.
	Progress func()
}

// Expecter is a Writer that prepares for what is to come.
type Expecter interface {
	// Expect tells about how many bytes of files are about to be put.
	Expect(bytes int64)
}

// Model is the fingerprint of what makes an index comparable with a query: vectors of different models and words of
// different analyzers are never mixed.
type Model struct {
	Embedder string // name and version such as "static/code-static-20261127"; "none" without vectors
	Dims     int    // length of a vector; 0 without vectors
	Analyzer int    // version of analyze
}

// Project is the record of one root of a project.
type Project struct {
	ID         string // of the index: the project's, or one made from it for a further root
	Root       string // real path
	Generation int64  // +1 for each commit that changed a file; 0: nothing committed yet
	Epoch      string // random; a lost store starts a new one
	IndexedAt  time.Time
	Model      Model
	Files      int    // indexed files
	Chunks     int    // their chunks
	Bytes      int64  // their size on disk
	Failed     string // why the last refresh failed; "" if it did not
	Next       UnfinishedVersion
	// Rebuilt is set by Open and Writer when damaged state was set aside: the index was or must be rebuilt.
	Rebuilt bool
}

// UnfinishedVersion is the state of the version of an index that is built beside the one that serves; zero if there is
// none.
type UnfinishedVersion struct {
	Model  Model
	Files  int // indexed files so far
	Chunks int // their chunks
}

// Exists reports whether a next version is being built.
func (u UnfinishedVersion) Exists() bool { return u != UnfinishedVersion{} }

// Entry is the manifest's record of one file: enough to tell, from a stat, that the file has not changed.
type Entry struct {
	Path   code.Path
	Size   int64
	MTime  int64  // ns since 1970
	CTime  int64  // ns since 1970; 0 where the system has none
	Inode  uint64 // 0 where the system has none
	Hash   code.Hash
	SeenAt int64 // when the file was read, ns since 1970: a file changed within 2 s of it is hashed again
	// Skip is set for a file that was read and left out for its content (binary, secret_content, generated, minified,
	// unreadable): remembered so that it is not read again. It has no chunks and no language.
	Skip     code.Reason
	Detail   string // the rule behind Skip
	Language string
	Chunks   int
	Lens     [code.NumFields]int
}

// Document is an analyzed file on its way into the index.
type Document struct {
	Entry   Entry
	File    *code.File
	Vectors [][]float32 // one unit vector of Model.Dims a chunk, a zero vector for a chunk without a known word; nil: none
}

// Check reports what is wrong with a document for an index whose vectors have so many numbers.
func (d *Document) Check(dims int) error {
	switch f := d.File; {
	case f == nil || d.Entry.Path == "" || d.Entry.Skip != "":
		return errors.New("want an analyzed file with a path")
	case f.Path != d.Entry.Path:
		return fmt.Errorf("the analyzed file is %q", f.Path)
	case d.Vectors != nil && len(d.Vectors) != len(f.Chunks):
		return fmt.Errorf("%d vectors for %d chunks", len(d.Vectors), len(f.Chunks))
	}
	for _, v := range d.Vectors {
		if len(v) != dims {
			return fmt.Errorf("a vector of %d numbers, want %d", len(v), dims)
		}
	}
	return nil
}

// Writer changes one version of a project under its lock. It is used by one goroutine at a time.
//
// A reader sees each file either as it was or as it is now, never half. What was not committed when the process died
// may be visible or not (file by file on Redis, not at all on the embedded backing); the next walk finds and repeats
// it.
type Writer interface {
	// Project is the record as it was when the lock was taken; Generation 0 for a new project.
	Project() Project
	// Entries is the manifest of the version that is written, by path, with the changes of this Writer; it must not be
	// changed. A file of which the store has lost a part has a zero Hash: it must be put again, whatever the run is for,
	// and whatever Spec.Paths names.
	Entries() []Entry
	// FromNothing reports whether the manifest was empty when the lock was taken, or none of it could be used.
	FromNothing() bool
	// Serving is the manifest of the version that serves, by path, for a Writer of the next one. It takes that version's
	// lock too, waiting as for the first: the manifest stays as it is until Commit has switched, or Close. An empty
	// manifest may also be one that cannot be read.
	Serving(ctx context.Context) ([]Entry, error)
	// Put adds a file or replaces it. The Document's File and Vectors are not kept.
	Put(ctx context.Context, doc Document) error
	// Touch sets the entry of a file whose content is unchanged (same Hash: chunks stay), or of a file left out by
	// Entry.Skip (its chunks go).
	Touch(ctx context.Context, entry Entry) error
	// Delete removes a file. A path that is not there is no error.
	Delete(ctx context.Context, path code.Path) error
	// Commit makes everything visible and durable against process death, sets IndexedAt to now if complete (the index
	// now equals the disk as far as is known: the whole root was walked, or all that was told of), clears Failed, and
	// returns the new record. Generation grows by 1 if a file was put or deleted since the last Commit (Touch of an
	// unchanged file is no change). For a Writer that started from nothing over an older index of the same root it
	// grows only if the Digest of the entries is another. More changes and commits may follow.
	//
	// Of a next version (Spec.Next) an incomplete Commit only makes sure that the next Writer of it goes on from here,
	// and touches nothing of the record but Next; a complete one takes the lock that Serving takes, makes it the version
	// that serves, counted as one that started from nothing, and drops the one before. The Writer then writes that one.
	Commit(ctx context.Context, complete bool) (Project, error)
	// Close gives its locks back. Changes since the last Commit are dropped where the backing can.
	Close() error
}

// ClockSetBack is the least step backwards from the last time that means the clock was set back.
const ClockSetBack = 10 * time.Minute
