package freshness

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/ingest"
)

// When says when an index is brought up to date for a question.
type When int

// The values of When.
const (
	Never  When = iota
	First       // before the answer, whose deadline counts from the end of that
	Behind      // while and after it is answered
)

// Note is something to be said against an answer from an index.
type Note int

// The notes.
const (
	Rebuilt     Note = iota // damaged state was set aside, and the index made again
	Waits                   // a change is known that the index does not hold yet
	NoVectors               // the embedder failed: the index was brought up to date by words alone
	Stale                   // the index could not be brought up to date
	Building                // the first generation is being made
	Lost                    // the store has lost parts of the index
	VectorsLost             // the store has lost what the vectors are searched by, and nothing else
	Full                    // the store has no room for what changed
)

// Options of a Keeper.
type Options struct {
	Backend  *backend.Backend
	Ingester *ingest.Ingester // confined as Access is; may be nil where nothing is indexed or compared
	Access   *access.Finder   // says what may be indexed here
	Log      *slog.Logger     // nil: none
}

// Keeper sees to the indexes of a process. Safe for concurrent use.
type Keeper struct {
	store  *backend.Backend
	in     *ingest.Ingester
	access *access.Finder
	log    *slog.Logger

	ctx      context.Context // of the runs behind answers
	stop     context.CancelFunc
	runs     sync.WaitGroup
	rebuilds *ingest.Rebuilds // behind the runs
	full     atomic.Bool      // the store had no room for the last request of a refresh
	mu       sync.Mutex       // guards what is below
	next     map[string]pace  // by index
	shut     bool
	owed     []access.Target // projects whose git history is to be read behind the answer
}

// New makes a keeper; Close ends what it does behind answers.
func New(o Options) *Keeper {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	k := &Keeper{store: o.Backend, in: o.Ingester, access: o.Access, log: o.Log, next: map[string]pace{}, rebuilds: ingest.NewRebuilds(1)}
	k.ctx, k.stop = context.WithCancel(context.Background())
	return k
}

// Close ends the runs behind answers; none begins after it. The store is its opener's to close.
func (k *Keeper) Close() {
	k.mu.Lock()
	k.shut = true
	k.mu.Unlock()
	k.stop()
	k.runs.Wait()
	k.rebuilds.Wait()
}

func (k *Keeper) embedded() bool { return k.store.Name == backend.Embedded }
