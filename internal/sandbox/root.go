package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/syserr"
)

// Errors of Open and Confine that callers branch on.
var (
	ErrMissing      = errors.New("no such folder")
	ErrNotDirectory = errors.New("not a folder")
	ErrNotAllowed   = errors.New("not inside an allowed root")
)

// Options of a Root.
type Options struct {
	MaxFileBytes int64    // a larger file is too_large; 0 means 500,000
	MaxWalkBytes int64    // memory for all that one walk holds, in bytes; 0 means 256 MB
	Exclude      []string // folders that are never entered or watched: contextd's own state
	Allowed      *Allowed // a root, or a git directory that a file names, must lie in one of them; nil: any that is named
	NoLinks      bool     // a root's path must lead to it without a link
}

// WithDefaults is o with its zero values filled in.
func (o Options) WithDefaults() Options {
	o.MaxFileBytes = cmp.Or(o.MaxFileBytes, 500_000)
	o.MaxWalkBytes = cmp.Or(o.MaxWalkBytes, 256_000_000)
	return o
}

// Validate returns an error that names the first field out of range.
func (o Options) Validate() error {
	if o.MaxFileBytes < 0 {
		return fmt.Errorf("max file bytes: want a whole number from 1, got %d", o.MaxFileBytes)
	}
	if o.MaxWalkBytes < 0 {
		return fmt.Errorf("max walk bytes: want a whole number from 1, got %d", o.MaxWalkBytes)
	}
	return nil
}

// File is a file that counts, as it was when it was looked at.
type File struct {
	Path   code.Path
	Size   int64  // bytes
	MTime  int64  // ns since 1970
	CTime  int64  // ns since 1970; 0 where the system has none
	Inode  uint64 // 0 where the system has none
	Lifted bool   // a "!" rule of a .contextdignore lifts what can be lifted; see File.Content
}

// Skipped is a file, or a folder with all that is in it, that does not count.
type Skipped struct {
	Path   code.Path
	Dir    bool        // a folder: nothing below it counts
	Reason code.Reason // "" where nothing leaves the file out
	Detail string      // the rule, for people; never a secret's value
}

// Root is an open folder. It is safe for concurrent use.
type Root struct {
	opts    Options
	path    string   // absolute, links resolved
	given   string   // absolute, as the caller named it
	exclude []string // Options.Exclude, links resolved where they exist
	folder
}

// Open opens the folder dir, which may be a symbolic link to one. The error wraps ErrMissing or ErrNotDirectory where
// that is the cause.
func Open(dir string, o Options) (*Root, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	given, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open root %q: %w", dir, err)
	}
	real, r, err := openRoot(given, o)
	if err != nil {
		return nil, fmt.Errorf("open root %q: %w", dir, err)
	}
	r.opts, r.path, r.given = o.WithDefaults(), real, given
	for _, x := range o.Exclude {
		if x, err = filepath.Abs(x); err != nil {
			continue
		}
		r.exclude = append(r.exclude, x)
		if resolved, err := filepath.EvalSymlinks(x); err == nil && resolved != x {
			r.exclude = append(r.exclude, resolved)
		}
	}
	return r, nil
}

// swaps is how often a path is resolved again that has become another one before it was opened.
const swaps = 3

// openRoot opens the folder that dir leads to. The path is resolved, judged, and then opened as it was judged: each
// step without a link, so what was put in its place meanwhile is refused, not followed.
func openRoot(dir string, o Options) (real string, r *Root, err error) {
	for range swaps {
		if real, err = realDir(dir); err != nil {
			if o.Allowed != nil && !errors.Is(err, ErrMissing) && !errors.Is(err, ErrNotDirectory) {
				err = ErrNotAllowed
			}
			return "", nil, err
		}
		if o.Allowed != nil && !o.Allowed.holds(real) || o.NoLinks && real != filepath.Clean(dir) {
			return "", nil, ErrNotAllowed
		}
		if r, err = openReal(real); err == nil {
			return real, r, nil
		}
		if err = openCause(err); !errors.Is(err, ErrNotAllowed) {
			break
		}
	}
	return "", nil, err
}

// openCause is why the real path of a folder could not be opened. A link on it was put there since it was resolved.
func openCause(err error) error {
	switch {
	case errors.Is(err, syscall.ELOOP):
		return ErrNotAllowed
	case errors.Is(err, ErrNotDirectory), errors.Is(err, syscall.ENOTDIR) && !errors.Is(err, fs.ErrNotExist): // both: Windows
		return ErrNotDirectory
	case isMissing(err):
		return ErrMissing
	}
	return syserr.Cause(err)
}

// realDir resolves the links of dir.
func realDir(dir string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	switch {
	case err == nil:
		return real, nil
	case isMissing(err):
		return "", ErrMissing
	}
	return "", syserr.Cause(err)
}

// Path is the root's absolute path, links resolved.
func (r *Root) Path() string { return r.path }

// Abs is the absolute path of rel, for messages and for what lies beside the root.
func (r *Root) Abs(rel code.Path) string { return filepath.Join(r.path, filepath.FromSlash(rel)) }
