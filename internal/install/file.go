package install

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/contextd/contextd/internal/confedit"
	"github.com/contextd/contextd/internal/syserr"
)

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// file is a settings file by the handle of a folder above it: what is checked and what is written is one file, though a
// link be put on the way.
type file struct {
	path string      // as it was named
	base *os.Root    // the project, or the nearest folder of the real path that exists
	rel  string      // below base, no link itself
	info fs.FileInfo // nil: there is none
	data []byte
}

// open reads a file and the file behind a link. within: no link may lead out of this folder; "": links of the user are
// followed.
func open(path, within string) (*file, error) {
	f, err := locate(path, within)
	if err == nil {
		if err = f.read(); err != nil {
			f.close()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", path, syserr.Cause(err))
	}
	return f, nil
}

func locate(path, within string) (*file, error) {
	f := &file{path: path}
	if within == "" {
		dir, rest := path, ""
		for !exists(dir) && dir != filepath.Dir(dir) {
			dir, rest = filepath.Dir(dir), filepath.Join(filepath.Base(dir), rest)
		}
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return nil, fmt.Errorf("%q leads nowhere: %w", dir, syserr.Cause(err))
		}
		if rest == "" {
			real, rest = filepath.Dir(real), filepath.Base(real)
		}
		f.rel = rest
		f.base, err = os.OpenRoot(real)
		return f, err
	}
	rel, err := filepath.Rel(within, path)
	if err != nil || !filepath.IsLocal(rel) {
		return nil, fmt.Errorf("it lies outside of %q", within)
	}
	if f.base, err = os.OpenRoot(within); err != nil {
		return nil, err
	}
	if f.rel, err = f.behindLinks(rel); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// behindLinks is the file that rel leads to, inside of base.
func (f *file) behindLinks(rel string) (string, error) {
	for range 8 {
		info, err := f.base.Lstat(rel)
		if errors.Is(err, fs.ErrNotExist) {
			return rel, nil
		}
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return rel, err
		}
		to, err := f.base.Readlink(rel)
		if err != nil {
			return "", err
		}
		if rel = filepath.Join(filepath.Dir(rel), to); filepath.IsAbs(to) || !filepath.IsLocal(rel) {
			return "", errors.New("a link leads out of the project")
		}
	}
	return "", errors.New("a link leads to links without end")
}

func (f *file) close() { _ = f.base.Close() }

// read takes the file's bytes, if there is one.
func (f *file) read() error {
	info, err := f.base.Lstat(f.rel)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("it is no regular file")
	}
	h, err := f.base.OpenFile(f.rel, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer h.Close()
	opened, err := h.Stat()
	switch {
	case err != nil:
		return err
	case !os.SameFile(info, opened):
		return errChanged
	}
	f.info = opened
	f.data, err = io.ReadAll(io.LimitReader(h, confedit.MaxBytes+1))
	if err == nil && len(f.data) > confedit.MaxBytes {
		err = fmt.Errorf("it has over %d MB", confedit.MaxBytes>>20)
	}
	return err
}

var errChanged = errors.New("it has changed meanwhile: try again")
