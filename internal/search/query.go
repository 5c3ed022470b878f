package search

import (
	"context"

	"github.com/contextd/contextd/internal/code"
)

// MaxQueryWords is the maximum number of words of a query that are looked up.
const MaxQueryWords = 64

// Snapshot is one generation of a project, pinned for reading: what commits after Open does not change it (on Redis,
// where files switch one by one, a file that has changed since is shown in its old or its new version). Safe for
// concurrent use.
type Snapshot interface {
	Project() Project
	// Entries is the manifest, by path.
	Entries(ctx context.Context) ([]Entry, error)
	// Paths are those of Entries, in no promised order: of a large project far cheaper.
	Paths(ctx context.Context) ([]code.Path, error)
	// Entry is the manifest's entry for one path; false if there is none.
	Entry(ctx context.Context, path code.Path) (Entry, bool, error)
	// Nominate finds the files worth ranking for a query. It respects ctx's deadline: what was found by then is
	// returned with Partial set; an error means that nothing was.
	Nominate(ctx context.Context, q Query) (*Nominees, error)
	Close() error
}

// Query is what Nominate looks for: text is terms already, never syntax.
type Query struct {
	Words  []code.Term // distinct words, at most MaxQueryWords
	Names  []code.Term // distinct look-up terms of whole names and file stems, at most MaxQueryWords
	Paths  []code.Path // files to nominate whatever they hold, the most wanted first; one that is not there is no error
	Vector []float32   // unit vector of the project's Model; nil or zero: no vector leg
	Count  []code.Term // words to count behind Words, at most MaxQueryWords; none is looked for
	Langs  []string    // languages to search; none: all
	Globs  []string    // path patterns as of doublestar, one must match; none: all
	Named  []string    // path patterns: the files that match one are nominated apart, whatever they hold and Globs say
	Files  int         // greatest number of files to nominate, and of named ones, the first by path; 0 means 100
}

// Stats are the counts of the whole project that scores depend on, whatever Langs and Globs leave out; DF[i] belongs to
// Query.Words[i], behind them to Query.Count. They may be zero where a Query names Paths and asks for nothing else.
type Stats = code.Stats

// Candidate is a nominated file with all that the ranker needs of it.
type Candidate struct {
	Entry    Entry
	Features string    // blob.EncodeFeatures of the file
	Cosines  []float32 // cosine of each chunk with Query.Vector; nil without a vector leg
}

// Nominees is the result of Nominate.
type Nominees struct {
	Stats    Stats
	Files    []Candidate // in no promised order
	Named    []Candidate // those of Query.Named, by path; one may stand in Files, too
	Partial  bool        // a leg did not answer in time, or failed
	NoVector bool        // the vector leg was asked for and could not answer
	// VectorsBuilding: the vectors of a large index are still being put in order, or what they were put in was lost and
	// is to be made again, so that the vector leg found some of them only, or none.
	VectorsBuilding bool
	Building        bool // the store is still reading the index in, or has lost a part of it: there may be more
}
