package sandbox

import (
	"bytes"
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

// firstLines is the whole lines within the first limit bytes of data.
func firstLines(data []byte, limit int) []byte {
	return data[:bytes.LastIndexByte(data[:limit], '\n')+1]
}

// longRules tells of a file of rules that is longer than maxSideFile.
func longRules(name string) string {
	return fmt.Sprintf("%q is longer than %d bytes: only the rules in its first %d hold", name, maxSideFile, maxSideFile)
}

// reader reads a regular file of at most limit bytes; with long it reads the first limit bytes of a longer one, and one
// more.
type reader func(name string, limit int64, long bool) ([]byte, error)

// readRules has a file of ignore rules read: of one longer than maxSideFile the first lines hold.
func (s *scan) readRules(name string, read reader) ([]byte, error) {
	data, err := read(name, maxSideFile, true)
	if err == nil && len(data) > maxSideFile {
		s.warn(longRules(s.shown(name)))
		data = firstLines(data, maxSideFile)
	}
	return data, err
}

// readReal reads the file at an absolute path of which no element is a link: where one is by now, nothing is read.
func readReal(path string, limit int64, long bool) ([]byte, error) {
	dir, err := openReal(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	data, f, kind, err := dir.readStart(filepath.Base(path), limit, long)
	if err == nil && (kind != formFile || !long && max(f.Size, int64(len(data))) > limit) {
		err = errSideFile(limit)
	}
	return data, err
}

// readStart reads a regular file outside of the walk's own door, links followed, of at most limit bytes, or with long
// the first limit bytes of a longer one, and one more. What is opened is what is checked: a file that is swapped for a
// pipe or grows while it is read neither holds the reader up nor fills its memory.
func readStart(name string, limit int64, long bool) ([]byte, error) {
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
	if !info.Mode().IsRegular() || info.Size() > limit && !long {
		return nil, errSideFile(limit)
	}
	return io.ReadAll(io.LimitReader(f, limit+1))
}

func errSideFile(limit int64) error {
	return fmt.Errorf("want a regular file of at most %d bytes", limit)
}

// joinAbs is the absolute path that a file in dir names by path. ok is false for a share of another machine, which
// merely to look at would send the user's name and a proof of the password there, unless dir lies on it; and for a path
// too long.
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
