package install

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// unchanged fails if the file is no longer the one that was read.
func (f *file) unchanged() error {
	now := &file{base: f.base, rel: f.rel}
	if err := now.read(); err != nil {
		return err
	}
	if (now.info == nil) != (f.info == nil) || !bytes.Equal(now.data, f.data) ||
		f.info != nil && !os.SameFile(now.info, f.info) {
		return errChanged
	}
	return nil
}

// write replaces the file at once by one with data and a mode, and returns the folders that it made, the outermost
// first, below base.
func (f *file) write(data []byte, mode fs.FileMode) (made []string, err error) {
	if f.info != nil && f.info.Mode().Perm()&0o200 == 0 {
		return nil, errors.New("it is read-only")
	}
	dir := filepath.Dir(f.rel)
	folders := fs.FileMode(0o700)
	if mode&0o044 != 0 {
		folders = 0o755 // of a project
	}
	for part := range parents(dir) {
		err := f.base.Mkdir(part, folders)
		if err == nil {
			made = append(made, part)
		} else if !errors.Is(err, fs.ErrExist) {
			return made, err
		}
	}
	folder, err := f.base.OpenRoot(dir)
	if err != nil {
		return made, err
	}
	defer folder.Close()
	name := ".contextd-" + rand.Text()[:10] + ".tmp"
	if err := writeNew(folder, name, data, mode); err != nil {
		_ = folder.Remove(name)
		return made, err
	}
	if err = f.unchanged(); err == nil {
		err = folder.Rename(name, filepath.Base(f.rel))
	}
	if err != nil {
		_ = folder.Remove(name)
		return made, err
	}
	f.info, f.data = nil, nil
	return made, f.read()
}

func writeNew(folder *os.Root, name string, data []byte, mode fs.FileMode) error {
	h, err := folder.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = h.Write(data)
	return errors.Join(err, h.Chmod(mode), h.Sync(), h.Close())
}

// mode is the file's mode; that of a new one is 0600 for a user, 0644 in a project.
func (f *file) mode(within string) fs.FileMode {
	switch {
	case f.info != nil:
		return f.info.Mode().Perm()
	case within != "":
		return 0o644
	}
	return 0o600
}

// missing are the folders that write will make, the outermost first.
func (f *file) missing() []string {
	var list []string
	for part := range parents(filepath.Dir(f.rel)) {
		if _, err := f.base.Lstat(part); errors.Is(err, fs.ErrNotExist) {
			list = append(list, filepath.Join(f.base.Name(), part))
		}
	}
	return list
}

// pruneDirs removes folders that an installation made, as far as they are empty.
func pruneDirs(dirs []string) {
	for i := len(dirs) - 1; i >= 0; i-- {
		above, err := os.OpenRoot(filepath.Dir(dirs[i]))
		if err != nil {
			continue
		}
		name := filepath.Base(dirs[i])
		if info, err := above.Lstat(name); err == nil && info.IsDir() {
			_ = above.Remove(name) // only if it is empty
		}
		_ = above.Close()
	}
}

// remove removes the file, if it is still the one that was read, and those folders of made that are empty then.
func (f *file) remove(made []string) error {
	if err := f.unchanged(); err != nil || f.info == nil {
		return err
	}
	if err := f.base.Remove(f.rel); err != nil {
		return err
	}
	f.info, f.data = nil, nil
	f.prune(made)
	return nil
}

// prune removes folders that were made, as far as they are empty.
func (f *file) prune(made []string) {
	for i := len(made) - 1; i >= 0; i-- {
		_ = f.base.Remove(made[i]) // only if it is empty
	}
}

// parents are the folders of a relative path, the outermost first, and the path itself.
func parents(dir string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		if dir == "." {
			return
		}
		parts := strings.Split(dir, string(filepath.Separator))
		for i := range parts {
			if !yield(filepath.Join(parts[:i+1]...)) {
				return
			}
		}
	}
}
