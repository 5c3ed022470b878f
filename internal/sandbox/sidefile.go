package sandbox

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// maxPathText is the length of the longest path that is taken from a file, in bytes: no system opens a longer one.
const maxPathText = 4 << 10

// maxSideFile is the size of the largest ignore or configuration file that is read, in bytes.
const maxSideFile = 1 << 20

// readCapped reads a regular file outside of the walk's own door, links followed, of at most limit bytes. What is opened is
// what is judged: a file that is swapped for a pipe or grows while it is read neither holds the reader up nor fills its memory.
func readCapped(name string, limit int64) ([]byte, error) {
	if info, err := os.Stat(name); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() { // opening a device may already do something
		return nil, errSideFile(limit)
	}
	f, err := os.OpenFile(name, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > limit {
		return nil, errSideFile(limit)
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = errSideFile(limit)
	}
	return data, err
}

func errSideFile(limit int64) error {
	return fmt.Errorf("want a regular file of at most %d bytes", limit)
}

// joinAbs is the absolute path that a file in dir names by path. ok is false for a share of another machine, which merely
// to look at would send the user's name and a proof of the password there, unless dir lies on it; and for a path too long.
func joinAbs(dir, path string) (abs string, ok bool) {
	if len(path) > maxPathText {
		return "", false
	}
	if path = filepath.FromSlash(path); !filepath.IsAbs(path) && filepath.VolumeName(path) == "" {
		path = filepath.Join(dir, path)
	}
	path = filepath.Clean(path)
	volume := filepath.VolumeName(path)
	return path, !strings.HasPrefix(volume, `\\`) || strings.EqualFold(volume, filepath.VolumeName(dir))
}

// throughLink reports whether name, or the folder that holds it, is a link.
func throughLink(name string) bool { return isLink(name) || isLink(filepath.Dir(name)) }

func isLink(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && info.Mode()&os.ModeSymlink != 0
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}
