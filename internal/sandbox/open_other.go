//go:build !linux

package sandbox

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// folder is the handle of a root.
type folder struct {
	root *os.Root
	dir  *os.File // the folder itself
}

// Close releases the root's handles.
func (f *folder) Close() error { return errors.Join(f.dir.Close(), f.root.Close()) }

// openReal opens the folder at an absolute path of which no element is a link: each step from the one before, and what
// was looked at is what is opened.
func openReal(path string) (*Root, error) {
	path = filepath.Clean(path)
	volume := filepath.VolumeName(path) + string(filepath.Separator)
	at, err := os.OpenRoot(volume)
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(strings.TrimPrefix(path, volume), string(filepath.Separator)) {
		if name == "" {
			continue
		}
		next, err := openStep(at, name)
		at.Close()
		if err != nil {
			return nil, err
		}
		at = next
	}
	self, err := at.Open(".")
	if err != nil {
		at.Close()
		return nil, err
	}
	return &Root{folder: folder{at, self}}, nil
}

// openStep opens the folder name of a folder.
func openStep(at *os.Root, name string) (*os.Root, error) {
	before, err := at.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case before.Mode().Type() == fs.ModeSymlink:
		return nil, syscall.ELOOP
	case !before.IsDir():
		return nil, ErrNotDirectory
	}
	next, err := at.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if now, err := next.Stat("."); err != nil || !os.SameFile(before, now) {
		next.Close()
		return nil, syscall.ELOOP
	}
	return next, nil
}

// readlink is what the link rel says, whose folder is no link.
func (r *Root) readlink(rel string) (string, error) { return r.root.Readlink(filepath.FromSlash(rel)) }

// listingSys is the root and the folder of a listing.
type listingSys struct {
	root *os.Root
	rel  string
}

// noLinks returns an error if an element of rel is a link. os.Root keeps what is opened inside of the root whatever
// is swapped meanwhile.
func (r *Root) noLinks(rel string) error {
	for i := 0; i <= len(rel); i++ {
		if i < len(rel) && rel[i] != '/' || i == 0 {
			continue
		}
		info, err := r.root.Lstat(filepath.FromSlash(rel[:i]))
		if err != nil {
			return err
		}
		if info.Mode().Type() == fs.ModeSymlink {
			return &fs.PathError{Op: "open", Path: rel, Err: syscall.ELOOP}
		}
	}
	return nil
}

// lstat looks at rel without following a link at its end.
func (r *Root) lstat(rel string) (File, form, error) {
	name := filepath.FromSlash(rel)
	if rel == "" {
		name = "."
	}
	info, err := r.root.Lstat(name)
	if err != nil {
		return File{}, 0, err
	}
	return fileOf(rel, info), formOf(info.Mode()), nil
}

// list reads the folder rel; full is put before each name.
func (r *Root) list(rel, full string, l *listing) error {
	l.reset()
	l.sys = listingSys{root: r.root, rel: rel}
	if err := r.noLinks(rel); err != nil {
		return err
	}
	name := filepath.FromSlash(rel)
	if rel == "" {
		name = "."
	}
	dir, err := r.root.Open(name)
	if err != nil {
		return err
	}
	defer dir.Close()
	found, err := dir.ReadDir(-1)
	if err != nil {
		return err
	}
	for _, e := range found {
		l.add(full, e.Name(), formOf(e.Type()))
	}
	l.finish(full)
	return nil
}

// stat looks at an entry of the listing.
func (l *listing) stat(e entry, rel string) (File, form, error) {
	info, err := l.sys.root.Lstat(filepath.Join(filepath.FromSlash(l.sys.rel), e.name))
	if err != nil {
		return File{}, 0, err
	}
	return fileOf(rel, info), formOf(info.Mode()), nil
}

// done ends the use of a listing.
func (l *listing) done() {}

// readFile opens rel, looks at it and, if it is a regular file of at most limit bytes, reads it. f.Size above limit
// comes with no data; more than limit bytes of data come where the file grew meanwhile.
func (r *Root) readFile(rel string, limit int64) (data []byte, f File, kind form, err error) {
	return r.readStart(rel, limit, false)
}

// readStart is readFile, and with long it reads the first limit bytes of a longer file, and one more.
func (r *Root) readStart(rel string, limit int64, long bool) (data []byte, f File, kind form, err error) {
	if err := r.noLinks(rel); err != nil {
		return nil, f, 0, err
	}
	name := filepath.FromSlash(rel)
	before, err := r.root.Lstat(name)
	if err != nil {
		return nil, f, 0, err
	}
	if kind = formOf(before.Mode()); kind != formFile {
		return nil, f, kind, nil
	}
	file, err := r.root.OpenFile(name, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, f, 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, f, 0, err
	}
	if !os.SameFile(before, info) { // swapped since it was looked at, perhaps for a link
		return nil, f, formOther, nil
	}
	if f = fileOf(rel, info); f.Size > limit && !long {
		return nil, f, kind, nil
	}
	var b strings.Builder
	b.Grow(int(min(f.Size, limit)))
	if _, err := io.Copy(&b, io.LimitReader(file, limit+1)); err != nil {
		return nil, f, kind, err
	}
	return []byte(b.String()), f, kind, nil
}

func formOf(mode fs.FileMode) form {
	switch mode.Type() {
	case 0:
		return formFile
	case fs.ModeDir:
		return formDir
	case fs.ModeSymlink:
		return formLink
	}
	return formOther
}
