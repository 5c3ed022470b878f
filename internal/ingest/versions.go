package ingest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/contextd/contextd/internal/analyze"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/search"
)

// Two versions of an index may live: the one that serves and the next one. Each run brings the one that serves up to date, as it
// is, and then makes a slice of the next. Each of both walks the disk under the write lock of its own, so that the switch, which
// comes when a slice has nothing left to do, never takes back what another process wrote in between.

const (
	// between is how long the write lock is left to others from slice to slice, longer than they take to notice.
	between = 100 * time.Millisecond
	// sliceShare is how much longer than the refresh before it a slice is at least, so that walking costs little beside it.
	sliceShare = 4
	// maxMoves is how often a run begins again because another process has replaced what it was about to write.
	maxMoves = 5
)

// errMoved is the end of a run that found another index than it was meant for.
var errMoved = errors.New("another process keeps replacing the index")

// version is what one part of a run writes.
type version struct {
	model    search.Model
	embedder embed.Embedder // nil: documents without vectors
	standIn  bool
	next     bool
	alone    bool
	from     *search.Project // the record that the part is meant for; nil: there is none
	time     time.Duration   // of a slice
}

// refresh makes passes until the wanted version serves.
func (in *Ingester) refresh(ctx context.Context, r Request, root *sandbox.Root) (*Report, error) {
	var sum *Report // of the slices before
	moves := 0
	for {
		report, err := in.pass(ctx, r, root)
		switch {
		case errors.Is(err, errMoved) && moves < maxMoves:
			moves++
			continue
		case err != nil || !report.Unfinished || r.Slice:
			return report.with(sum), err
		}
		sum = report.with(sum)
		r.Full, r.Paths = false, nil // the next version has begun
		if err := pause(ctx, between); err != nil {
			return nil, err
		}
	}
}

// with adds what slices before did.
func (p *Report) with(sum *Report) *Report {
	if p != nil && sum != nil {
		p.Added, p.Changed, p.Removed = p.Added+sum.Added, p.Changed+sum.Changed, p.Removed+sum.Removed
		maps.Copy(p.Failed, sum.Failed)
	}
	return p
}

// pass refreshes the version that serves, or makes it where there is none; and makes a slice of the next one where another is
// wanted.
func (in *Ingester) pass(ctx context.Context, r Request, root *sandbox.Root) (*Report, error) {
	p, err := in.record(ctx, r.Project)
	if err != nil {
		return nil, err
	}
	if id := r.Project; p.ID == "" && code.IsFurther(id) || p.ID != "" && p.Root != root.Path() && !code.IsFurther(id) {
		if r.Project, p, err = in.own(ctx, id, p, root.Path()); err != nil {
			return nil, err
		}
	}
	if r.Keep && !r.Full && p.ID != "" && p.Root == root.Path() && in.keeps(p.Model) {
		return in.keep(ctx, r, root, &p)
	}
	target, assumed := in.target(p)
	if r.Full && assumed {
		target.Dims, assumed = 0, false
	}
	if _, remote := in.opts.Embedder.(embed.Remote); remote && target.Dims == 0 && !r.Full && in.opts.vectors != nil {
		target.Dims = in.dimsOfOthers(ctx, target)
		assumed = target.Dims > 0
	}
	serves := p.ID != "" && p.Root == root.Path()
	served := version{model: p.Model, from: &p}
	if p.ID == "" {
		served.from = nil
	}
	rebuild := !serves || r.Full || p.Model != target || p.Next.Model == target
	switch _, remote := in.opts.Embedder.(embed.Remote); {
	case !rebuild:
		if err := in.ready(ctx, &target); err != nil {
			return nil, fmt.Errorf("refresh project %q: %w", r.Project, err)
		}
		served.embedder, served.alone = in.opts.Embedder, true
	case serves:
		served.embedder, served.standIn = in.servedBy(p.Model)
	case remote: // words first, so that there are answers while the server works
		served.model, served.embedder = modelOf(embed.None{}), embed.None{}
	default:
		served.model, served.embedder, served.alone, rebuild = target, in.opts.Embedder, true, false
	}
	began := time.Now()
	report, err := in.write(ctx, r, root, served)
	if in.turned(err, target, assumed) {
		return nil, errMoved // what the server makes now is wanted: the next pass builds it
	}
	if err != nil || !rebuild || report.Unfinished {
		return report, err
	}
	if err := in.ready(ctx, &target); err != nil {
		return report, fmt.Errorf("refresh project %q: %w", r.Project, err)
	}
	next := version{model: target, embedder: in.opts.Embedder, next: true, time: max(in.opts.Slice, in.share*time.Since(began))}
	slice, err := in.write(ctx, r, root, next)
	var locked *search.LockedError
	switch {
	case in.turned(err, target, assumed):
		return nil, errMoved
	case err == nil && (!slice.Unfinished || !r.Slice):
		slice.Project.Rebuilt = slice.Project.Rebuilt || report.Project.Rebuilt
		return slice, nil
	case err == nil:
		report.Project.Next = slice.Project.Next
	case errors.As(err, &locked) && r.Slice: // another process is at it
	case embed.Failed(err) && ctx.Err() == nil:
		return report, err
	default:
		return nil, err
	}
	report.Unfinished = true
	return report, nil
}

// own finds the index of a root where the one of id is another root's, or does not exist: somebody else was faster with the first
// root of a project. p is the record of id.
func (in *Ingester) own(ctx context.Context, id string, p search.Project, root string) (string, search.Project, error) {
	if !code.IsFurther(id) {
		id = code.RootIndexID(id, root)
		p, err := in.record(ctx, id)
		return id, p, err
	}
	first, err := in.record(ctx, code.ProjectOf(id))
	if err == nil && first.Root == root {
		return first.ID, first, nil
	}
	return id, p, err
}

// keeps reports whether an index was made with another embedder on purpose. One of words alone was not where a server is to make
// vectors: it was made while that was down.
func (in *Ingester) keeps(m search.Model) bool {
	_, remote := in.opts.Embedder.(embed.Remote)
	return m.Embedder != in.opts.Embedder.Name() && (!remote || m.Embedder != embed.None{}.Name())
}

// keep refreshes an index with the embedder that it was made with. Only another analyzer rebuilds it, where that embedder can be
// had.
func (in *Ingester) keep(ctx context.Context, r Request, root *sandbox.Root, p *search.Project) (*Report, error) {
	e, standIn := in.servedBy(p.Model)
	if e != nil && p.Model.Analyzer != analyze.Version {
		own := *in
		own.opts.Embedder = e
		return own.pass(ctx, r, root)
	}
	return in.write(ctx, r, root, version{model: p.Model, embedder: e, standIn: standIn, from: p})
}

// turned reports whether err says that the server makes vectors of another length than was assumed, and now tells which.
func (in *Ingester) turned(err error, target search.Model, assumed bool) bool {
	now := in.opts.Embedder.Dims()
	return assumed && errors.Is(err, embed.ErrDimensions) && now > 0 && now != target.Dims
}

// write is one part of a run, under the write lock: a refresh, or a slice of the next version.
func (in *Ingester) write(ctx context.Context, r Request, root *sandbox.Root, v version) (*Report, error) {
	run := &run{opts: in.opts, dims: v.model.Dims, root: root, index: in.index, project: r.Project, standIn: v.standIn, alive: make(chan struct{}, 1), progress: r.Progress,
		report: &Report{Skipped: map[code.Reason]int{}, Failed: map[code.Path]string{}}}
	run.opts.Embedder, run.rates = v.embedder, in.rates
	_, run.server = v.embedder.(embed.Remote)
	w, err := in.index.Writer(ctx, search.Spec{Project: r.Project, Root: root.Path(), Model: v.model, Next: v.next, Alone: v.alone, Wait: r.Wait,
		Progress: run.still})
	if v.next && errors.Is(err, search.ErrNoProject) {
		return nil, errMoved // it was removed, or moved, just now
	}
	if err != nil {
		return nil, fmt.Errorf("open project %q for writing: %w", r.Project, err)
	}
	run.writer = w
	switch now := w.Project(); {
	case v.next:
		err = run.slice(ctx, v.time)
	case v.from == nil && (now.Root != root.Path() || now.Model != v.model), v.from != nil && (now.Root != v.from.Root || now.Model != v.from.Model):
		err = errMoved
	default:
		paths := r.Paths
		if now.Generation == 0 || len(w.Entries()) == 0 || wantsRescan(paths) {
			paths = nil // nothing to build on, or the rules themselves may have changed
		}
		if r.Slice {
			run.until = time.Now().Add(in.opts.Share)
		}
		err = run.refresh(ctx, paths)
	}
	err = errors.Join(err, w.Close())
	if errors.Is(err, errMoved) {
		return nil, errMoved
	}
	if err != nil {
		return nil, fmt.Errorf("refresh project %q: %w", r.Project, err)
	}
	return run.report, nil
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
