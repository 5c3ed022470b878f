package sandbox

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/syserr"
)

// ReadError says why a file was not read.
type ReadError struct {
	Path   code.Path
	Reason code.Reason // outside_root, missing, not_regular, too_large or unreadable
	Err    error
}

func (e *ReadError) Error() string { return fmt.Sprintf("read %q: %v", e.Path, e.Err) }

// Unwrap is the cause.
func (e *ReadError) Unwrap() error { return e.Err }

var (
	errOutside  = errors.New("it is outside of the root")
	errRegular  = errors.New("not a regular file")
	errTooLarge = errors.New("too large")
)

// Read reads the file at path through the root's handle: never through a link, never outside of the root, never waiting
// for a pipe, and at most MaxFileBytes, more being an error; of a notebook its cells count, not their outputs. The File
// says what the opened file was before it was read. Rules are not applied. An error is a *ReadError.
func (r *Root) Read(path code.Path) ([]byte, File, error) {
	fail := func(reason code.Reason, err error) ([]byte, File, error) {
		return nil, File{}, &ReadError{Path: path, Reason: reason, Err: err}
	}
	rel, ok := r.normal(path)
	switch {
	case !ok:
		return fail(code.OutsideRoot, errOutside)
	case rel == "":
		return fail(code.NotRegular, errRegular)
	}
	limit := r.maxBytes(rel)
	data, f, form, err := r.readFile(rel, limit)
	switch {
	case err == nil && form != formFile:
		return fail(code.NotRegular, errRegular)
	case err == nil && (f.Size > limit || !r.fits(rel, data)):
		return fail(code.TooLarge, errTooLarge)
	case err == nil:
		return data, f, nil
	}
	// A link, or a folder above that is one, is told from a gap by looking.
	p := prober{s: &scan{r: r}, lstat: r.lstat}
	if _, _, _, skip := p.look(rel); skip.Reason != "" {
		return fail(skip.Reason, syserr.Cause(err))
	}
	if isMissing(err) || errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.ENAMETOOLONG) {
		return fail(code.Missing, syserr.Cause(err))
	}
	return fail(code.Unreadable, syserr.Cause(err))
}

// Why is Check and, where that finds nothing, Content of the file: the first reason that leaves path out.
// It ends soon after ctx does.
func (r *Root) Why(ctx context.Context, path string) Skipped {
	p := r.newProber()
	stop := context.AfterFunc(ctx, func() { p.s.stopped.Store(true) })
	defer stop()
	f, skip := p.check(path)
	if skip.Reason != "" {
		return skip
	}
	data, _, err := r.Read(f.Path)
	if err != nil {
		skip = Skipped{Path: f.Path, Reason: code.Unreadable, Detail: err.Error()}
		if re := (*ReadError)(nil); errors.As(err, &re) {
			skip.Reason, skip.Detail = re.Reason, re.Err.Error()
		}
		return skip
	}
	if _, skip, err = f.ContentWithin(ctx, data); err != nil {
		return Skipped{Path: f.Path, Reason: code.Unreadable, Detail: err.Error()}
	}
	return skip
}
