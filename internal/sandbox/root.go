package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/contextd/contextd/internal/code"
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
}

// WithDefaults is o with its zero values filled in.
func (o Options) WithDefaults() Options {
	if o.MaxFileBytes == 0 {
		o.MaxFileBytes = 500_000
	}
	if o.MaxWalkBytes == 0 {
		o.MaxWalkBytes = 256_000_000
	}
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
	root    *os.Root
	dir     *os.File // the folder itself
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
	real, err := realDir(given)
	if err != nil {
		return nil, fmt.Errorf("open root %q: %w", dir, err)
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return nil, fmt.Errorf("open root %q: %w", dir, bare(err))
	}
	self, err := root.Open(".")
	if err != nil {
		root.Close()
		return nil, fmt.Errorf("open root %q: %w", dir, bare(err))
	}
	r := &Root{opts: o.WithDefaults(), path: real, given: given, root: root, dir: self}
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

// realDir resolves the links of dir, which must be a folder.
func realDir(dir string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err == nil {
		var info fs.FileInfo
		if info, err = os.Stat(real); err == nil && !info.IsDir() {
			return "", ErrNotDirectory
		}
	}
	switch {
	case err == nil:
		return real, nil
	case isMissing(err):
		return "", ErrMissing
	}
	return "", bare(err)
}

// bare is the cause inside of an error of package os, whose text would name the path a second time.
func bare(err error) error {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// Path is the root's absolute path, links resolved.
func (r *Root) Path() string { return r.path }

// Close releases the root's handles.
func (r *Root) Close() error { return errors.Join(r.dir.Close(), r.root.Close()) }

// abs is the absolute path of rel, for messages and for what lies beside the root.
func (r *Root) abs(rel code.Path) string { return filepath.Join(r.path, filepath.FromSlash(rel)) }
