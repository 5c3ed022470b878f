package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/search"
)

// Options of an Ingester.
type Options struct {
	Embedder embed.Embedder // nil means embed.None
	// Named is the embedder of a name that an index has, nil if it cannot be had here: with it an index goes on being
	// served that was made with another embedder than the one above, until the next one is built. nil: none can be had.
	EmbedderByName  func(name string) embed.Embedder
	Sandbox         sandbox.Options
	MaxFiles        int           // indexed files of a project; 0 means 100,000
	MaxProjectBytes int64         // their bytes; 0 means 1 GB
	Cores           int           // files analyzed at once; 0 means GOMAXPROCS
	SaveEvery       time.Duration // how often a rebuild saves what it has made; 0 means 2 s
	Slice           time.Duration // how long a run that is one slice (Request.Slice) reads files; 0 means 10 s
	Log             *slog.Logger

	vectorCache embed.Vectors // see Sharing; nil: none are kept
}

// WithDefaults fills what is zero.
func (o Options) WithDefaults() Options {
	if o.Embedder == nil {
		o.Embedder = embed.None{}
	}
	o.MaxFiles = cmp.Or(o.MaxFiles, 100_000)
	o.MaxProjectBytes = cmp.Or(o.MaxProjectBytes, 1_000_000_000)
	o.Cores = cmp.Or(o.Cores, runtime.GOMAXPROCS(0))
	o.SaveEvery = cmp.Or(o.SaveEvery, 2*time.Second)
	o.Slice = cmp.Or(o.Slice, 10*time.Second)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return o
}

// Validate names the first option that is out of range.
func (o Options) Validate() error {
	switch {
	case o.MaxFiles < 0:
		return fmt.Errorf("max files must be from 1 (got %d)", o.MaxFiles)
	case o.MaxProjectBytes < 0:
		return fmt.Errorf("max project bytes must be from 1 (got %d)", o.MaxProjectBytes)
	case o.Cores < 0:
		return fmt.Errorf("cores must be from 1 (got %d)", o.Cores)
	case o.SaveEvery < 0:
		return fmt.Errorf("the time between two saves must be above 0 (got %v)", o.SaveEvery)
	case o.Slice < 0:
		return fmt.Errorf("slice must be above 0 (got %v)", o.Slice)
	}
	return nil
}

// readers returns the number of files that are read at once: more than there are cores if a reader mostly waits for a
// server.
func (o Options) readers() int {
	if r, ok := o.Embedder.(embed.Remote); ok {
		return max(o.Cores, r.Calls())
	}
	return o.Cores
}

// Ingester refreshes projects of one index. Safe for concurrent use; the index lets one refresh a version at a time.
type Ingester struct {
	index     search.Index
	opts      Options
	rechecked *atomic.Int64 // when the embedding server's dimensions were last made sure of, in ns; shared by copies
}

// New returns an Ingester.
func New(index search.Index, o Options) *Ingester {
	return &Ingester{index: index, opts: o.WithDefaults(), rechecked: new(atomic.Int64)}
}

// WithAllowedRoots returns a copy of in that reads only roots inside of the allowed folders.
func (in *Ingester) WithAllowedRoots(allowed *sandbox.Allowed) *Ingester {
	out := *in
	out.opts.Sandbox.Allowed = allowed
	return &out
}

// WithVectors returns a copy of in that asks the embedding server only for the vectors of texts that v does not hold.
func (in *Ingester) WithVectors(v embed.Vectors) *Ingester {
	out := *in
	out.opts.vectorCache = v
	return &out
}

// Request asks for one refresh.
type Request struct {
	Project      string                // id of the index, see search.IndexOf; where it is another root's, the root gets one of its own
	Root         string                // any path to the root's directory
	Paths        []code.Path           // what may have changed; nil: the whole root
	Full         bool                  // rebuild the index; the present one serves until it is whole
	KeepEmbedder bool                  // leave an index with the embedder that it was made with, as who only asks does
	Slice        bool                  // make one slice of the index that serves and return: others wait for their turn
	Next         bool                  // build the next version alone, if there is one to build: what serves was refreshed just now
	NewDims      bool                  // a question met vectors of another length: the embedding server is asked for its own
	Wait         time.Duration         // how long to wait for another writer
	Progress     func(done, total int) // called now and then from one goroutine; may be nil
}

// Report is the result of a refresh.
type Report struct {
	Project                 search.Project
	Added, Changed, Removed int
	Skipped                 map[code.Reason]int  // what is left out, a pruned folder counted once
	Failed                  map[code.Path]string // files that could not be analyzed: the index is without them (see maxTries)
	// Unfinished is set when a slice ended before the work: the index lacks files that it did not come to. Another
	// refresh goes on.
	Unfinished bool
	// Rebuild is set when a slice has brought the index up to date as it is, and another version of it is wanted:
	// Request.Next builds that.
	Rebuild bool
	Took    time.Duration
}

// Refresh makes the index equal to the disk. An index that must be rebuilt (Full, another model) is first brought up to
// date as it is, and then built beside the one that serves, under a lock of its own, until it equals the disk and takes
// over. Others may write what serves all the while; whatever was built when a run ends early is found by the next one,
// of whichever process.
//
// An error is of the whole run: *search.LockedError when another process is writing, sandbox.ErrMissing when there is
// no root, search.ErrLost when the lock has passed on, what the index said, or a failure of a remote embedder
// ([embed.Failed]). With the last comes a Report if there is an index that is up to date all the same: one of words
// alone, or the one before.
func (in *Ingester) Refresh(ctx context.Context, r Request) (report *Report, err error) {
	began := time.Now()
	ctx, end := obs.Stage(ctx, "refresh")
	defer func() {
		facts := []obs.Fact{obs.Word("project", r.Project)}
		if report != nil {
			facts = append(facts, obs.Count("added", report.Added), obs.Count("changed", report.Changed), obs.Count("removed", report.Removed))
		}
		end(err, facts...)
	}()
	root, err := sandbox.Open(r.Root, in.opts.Sandbox)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	report, err = in.refresh(ctx, r, root)
	if report != nil {
		report.Took = time.Since(began)
		in.logReport(r.Project, report)
	}
	return report, err
}

// Differs reports whether the disk differs from a project's index, without writing.
func (in *Ingester) Differs(ctx context.Context, p search.Project) (bool, error) {
	if target, _ := in.targetModel(p); p.Model != target || p.Next.Exists() {
		return true, nil
	}
	return in.differs(ctx, p, false)
}

// Changed is like Differs but accepts an index that was made with another embedder: it serves commands that only read.
func (in *Ingester) Changed(ctx context.Context, p search.Project) (bool, error) {
	return in.differs(ctx, p, true)
}

// differs reports whether disk and index differ. keep: stand-in documents may stay (see standIn).
func (in *Ingester) differs(ctx context.Context, p search.Project, keep bool) (bool, error) {
	root, err := sandbox.Open(p.Root, in.opts.Sandbox)
	if err != nil {
		return false, err
	}
	defer root.Close()
	snap, err := in.index.Open(ctx, p.ID)
	if err != nil {
		return errors.Is(err, search.ErrNoProject), err
	}
	defer snap.Close()
	if s, ok := snap.(interface{ Check(context.Context) error }); ok { // others may have taken away a part of it
		if err := s.Check(ctx); errors.Is(err, search.ErrNoProject) || errors.Is(err, search.ErrVectorsLost) {
			return true, nil
		} else if err != nil {
			return false, err
		}
	}
	entries, err := snap.Entries(ctx)
	if errors.Is(err, search.ErrNoProject) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	tree, err := root.Walk(ctx)
	if err != nil {
		return false, err
	}
	d := diff(entries, tree.Files, keep)
	if len(d.removed) > 0 {
		return true, nil
	}
	capped := p.Files >= in.opts.MaxFiles
	for _, f := range d.files {
		switch {
		case ctx.Err() != nil:
			return false, context.Cause(ctx)
		case f.old != nil && !f.unchanged:
			if mayRetry(f.old) || !keep && isStandIn(f.old) || contentDiffers(root, f.old) {
				return true, nil
			}
		case f.old == nil && !capped && p.Bytes+f.Size <= in.opts.MaxProjectBytes:
			return true, nil
		}
	}
	return false, nil
}

// contentDiffers reports whether the file's content, or whether it can be read, differs from its entry.
func contentDiffers(root *sandbox.Root, old *search.Entry) bool {
	data, _, err := root.Read(old.Path)
	if old.Skip == code.Unreadable && failedTries(old) == 0 {
		var re *sandbox.ReadError
		return !errors.As(err, &re) || re.Reason != code.Unreadable
	}
	return err != nil || code.HashOf(data) != old.Hash
}

func (in *Ingester) logReport(project string, p *Report) {
	in.opts.Log.Debug("refreshed", obs.KeyProject, project, "generation", p.Project.Generation, "files", p.Project.Files, "added", p.Added,
		"changed", p.Changed, "removed", p.Removed, obs.KeyTook, p.Took)
}
