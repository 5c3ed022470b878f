package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/contextd/contextd/internal/gitfile"
)

// sharedIndex is a git index that was read, and the file that it was read from.
type sharedIndex struct {
	info    fs.FileInfo
	hashLen int
	index   *gitfile.Index
	err     error
}

var errIndexMemory = errors.New("git index left out")

// tracked is what r tracks, read when it is first asked for; nil where it cannot be read.
func (s *scan) tracked(r *repo) *gitfile.Index {
	if r == nil {
		return nil
	}
	r.once.Do(func() { r.index, r.err = s.readIndex(r) })
	return r.index
}

// readIndex reads the index of r. One file is read once, whatever names lead to it; and one at a time, for the bytes of
// a file come on top of what is held.
func (s *scan) readIndex(r *repo) (*gitfile.Index, error) {
	s.indexMu.Lock()
	defer s.indexMu.Unlock()
	info, err := os.Stat(filepath.Join(r.gitDir, "index"))
	if err != nil {
		return readIndex(r)
	}
	for _, have := range s.indexes {
		if have.hashLen == r.hashLen && os.SameFile(have.info, info) {
			return have.index, have.err
		}
	}
	got := sharedIndex{info: info, hashLen: r.hashLen}
	if room := s.mem.limit - s.mem.used.Load(); s.mem.limit > 0 && info.Size() <= maxIndexBytes && info.Size() > room {
		s.mem.over.Store(true)
		got.err = fmt.Errorf("%w: %s", errIndexMemory, s.mem.detail())
	} else if got.index, got.err = readIndex(r); got.err == nil {
		if !s.mem.hold(got.index.Bytes()) {
			got.index, got.err = nil, fmt.Errorf("%w: %s", errIndexMemory, s.mem.detail())
		}
	}
	s.indexes = append(s.indexes, got)
	return got.index, got.err
}
