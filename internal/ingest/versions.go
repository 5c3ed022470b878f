package ingest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/contextd/contextd/internal/analyze"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/search"
)

// Two versions of an index may live, each written under a lock of its own: the one that serves and the next one. Each run
// brings the one that serves up to date, as it is, and then builds the next. See rebuild.go for how that takes over
// without taking back what others wrote meanwhile.

// maxRestarts is how often a run restarts because another process has replaced the index that it was about to write, or
// has dropped the next version that it was building.
const maxRestarts = 5

// errReplaced ends a run that found another index than the one it was planned for.
var errReplaced = errors.New("another process keeps replacing the index")

// version describes the index version that one part of a run writes.
type version struct {
	model    search.Model
	embedder embed.Embedder // nil: documents without vectors
	standIn  bool
	next     bool
	alone    bool
	from     *search.Project // the record that the part is meant for; nil: there is none
}

// refresh makes a pass, and another when the index was replaced meanwhile.
func (in *Ingester) refresh(ctx context.Context, r Request, root *sandbox.Root) (report *Report, err error) {
	for range maxRestarts {
		if report, err = in.pass(ctx, r, root); !errors.Is(err, errReplaced) {
			break
		}
	}
	return report, err
}

// pass refreshes the version that serves, or builds it if there is none. If the target is another version, it then
// builds the next one, unless the request is for a slice.
func (in *Ingester) pass(ctx context.Context, r Request, root *sandbox.Root) (*Report, error) {
	p, err := in.projectRecord(ctx, r.Project)
	if err != nil {
		return nil, err
	}
	if id := r.Project; p.ID == "" && code.IsFurther(id) || p.ID != "" && p.Root != root.Path() && !code.IsFurther(id) {
		if r.Project, p, err = in.ownIndex(ctx, id, p, root.Path()); err != nil {
			return nil, err
		}
	}
	if r.KeepEmbedder && !r.Full && p.ID != "" && p.Root == root.Path() && in.keepsEmbedder(p.Model) {
		return in.refreshKept(ctx, r, root, &p)
	}
	if r.NewDims {
		in.recheckDims(ctx)
	}
	target, assumed := in.targetModel(p)
	if r.Full && assumed {
		target.Dims, assumed = 0, false
	}
	if _, remote := in.opts.Embedder.(embed.Remote); remote && target.Dims == 0 && !r.Full && in.opts.vectorCache != nil {
		target.Dims = in.dimsInStore(ctx, target)
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
		if err := in.ensureDims(ctx, &target); err != nil {
			return nil, fmt.Errorf("refresh project %q: %w", r.Project, err)
		}
		served.embedder, served.alone = in.opts.Embedder, true
	case serves:
		served.embedder, served.standIn = in.embedderFor(p.Model)
	case remote: // words first, so that there are answers while the server works
		served.model, served.embedder = modelOf(embed.None{}), embed.None{}
	default:
		served.model, served.embedder, served.alone, rebuild = target, in.opts.Embedder, true, false
	}
	if r.Next && !(serves && rebuild) {
		return &Report{Project: p}, nil
	}
	report := &Report{Project: p}
	if !r.Next {
		report, err = in.writeVersion(ctx, r, root, served)
	}
	if in.dimsChanged(err, target, assumed) {
		return nil, errReplaced // what the server makes now is wanted: the next pass builds it
	}
	if err != nil || !rebuild || report.Unfinished {
		return report, err
	}
	if report.Rebuild = r.Slice; r.Slice {
		return report, nil
	}
	if err := in.ensureDims(ctx, &target); err != nil {
		return report, fmt.Errorf("refresh project %q: %w", r.Project, err)
	}
	if r.KeepEmbedder && !r.Next {
		r.Wait = 0 // who only asks has what serves
	}
	built, err := in.writeVersion(ctx, r, root, version{model: target, embedder: in.opts.Embedder, next: true})
	var locked *search.LockedError
	switch {
	case in.dimsChanged(err, target, assumed):
		return nil, errReplaced
	case errors.As(err, &locked) && r.KeepEmbedder && !r.Next:
		return report, nil
	case embed.Failed(err) && ctx.Err() == nil:
		return report, err
	case err != nil:
		return nil, err
	}
	built.Project.Rebuilt = built.Project.Rebuilt || report.Project.Rebuilt
	return built, nil
}

// ownIndex returns the index of a root whose id belongs to another root or does not exist: another process was faster
// with the first root of the project. p is the record of id.
func (in *Ingester) ownIndex(ctx context.Context, id string, p search.Project, root string) (string, search.Project, error) {
	if !code.IsFurther(id) {
		id = code.RootIndexID(id, root)
		p, err := in.projectRecord(ctx, id)
		return id, p, err
	}
	first, err := in.projectRecord(ctx, code.ProjectOf(id))
	if err == nil && first.Root == root {
		return first.ID, first, nil
	}
	return id, p, err
}

// keepsEmbedder reports whether an index was made with another embedder on purpose. If a server makes the vectors, an
// index without vectors does not count: it was made while the server was down.
func (in *Ingester) keepsEmbedder(m search.Model) bool {
	_, remote := in.opts.Embedder.(embed.Remote)
	return m.Embedder != in.opts.Embedder.Name() && (!remote || m.Embedder != embed.None{}.Name())
}

// refreshKept refreshes an index with the embedder that it was made with. It rebuilds the index only if the analyzer is
// another one and that embedder is available.
func (in *Ingester) refreshKept(ctx context.Context, r Request, root *sandbox.Root, p *search.Project) (*Report, error) {
	e, standIn := in.embedderFor(p.Model)
	if e != nil && p.Model.Analyzer != analyze.Version {
		own := *in
		own.opts.Embedder = e
		return own.pass(ctx, r, root)
	}
	if r.Next {
		return &Report{Project: *p}, nil
	}
	return in.writeVersion(ctx, r, root, version{model: p.Model, embedder: e, standIn: standIn, from: p})
}

// dimsChanged reports whether err means that the server's dimensions are not the assumed ones, and are known now.
func (in *Ingester) dimsChanged(err error, target search.Model, assumed bool) bool {
	now := in.opts.Embedder.Dims()
	return assumed && errors.Is(err, embed.ErrDimensions) && now > 0 && now != target.Dims
}

// writeVersion runs one part of a run under a lock of its own: a refresh of what serves, or the building of what is next.
func (in *Ingester) writeVersion(ctx context.Context, r Request, root *sandbox.Root, v version) (*Report, error) {
	run := &run{opts: in.opts, dims: v.model.Dims, root: root, index: in.index, project: r.Project, standIn: v.standIn, progressed: make(chan struct{}, 1), progress: r.Progress,
		report: &Report{Skipped: map[code.Reason]int{}, Failed: map[code.Path]string{}}}
	run.opts.Embedder = v.embedder
	_, run.server = v.embedder.(embed.Remote)
	paths := r.Paths
	if v.next || wantsRescan(paths) {
		paths = nil // the rules themselves may have changed
	}
	w, err := in.index.Writer(ctx, search.Spec{Project: r.Project, Root: root.Path(), Model: v.model, Next: v.next,
		Full: v.next && r.Full, DropNext: v.alone, Paths: paths, Wait: r.Wait, Progress: run.heartbeat})
	if v.next && errors.Is(err, search.ErrNoProject) {
		return nil, errReplaced // it was removed, or moved, or another process has built it just now
	}
	if err != nil {
		return nil, fmt.Errorf("open project %q for writing: %w", r.Project, err)
	}
	run.writer = w
	switch now := w.Project(); {
	case v.next:
		if err = run.build(ctx); errors.Is(err, search.ErrLost) {
			err = errReplaced // it was dropped, or the project removed
		}
	case v.from == nil && (now.Root != root.Path() || now.Model != v.model), v.from != nil && (now.Root != v.from.Root || now.Model != v.from.Model):
		err = errReplaced
	default:
		if now.Generation == 0 || w.FromNothing() {
			paths = nil // nothing to build on
		}
		if r.Slice {
			run.until = time.Now().Add(in.opts.Slice)
		}
		err = run.refresh(ctx, paths)
	}
	err = errors.Join(err, w.Close())
	if errors.Is(err, errReplaced) {
		return nil, errReplaced
	}
	if err != nil {
		return nil, fmt.Errorf("refresh project %q: %w", r.Project, err)
	}
	return run.report, nil
}
