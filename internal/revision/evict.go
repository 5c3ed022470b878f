package revision

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// kept is what evict knows of a tree.
type kept struct {
	dir   string
	bytes int64
	asked time.Time
}

// evict removes trees that are over the limits, the least recently asked first. In stays, and what others ask.
func (s *Store) evict(in string) {
	trees := s.trees()
	slices.SortFunc(trees, func(a, b kept) int { return cmp.Or(b.asked.Compare(a.asked), cmp.Compare(a.dir, b.dir)) })
	of, bytes := map[string]int{filepath.Dir(in): 1}, int64(0)
	for _, t := range trees {
		if t.dir == in {
			bytes += t.bytes
		}
	}
	for _, t := range trees {
		if t.dir == in {
			continue
		}
		if of[filepath.Dir(t.dir)]+1 > s.opts.Trees || bytes+t.bytes > s.opts.Bytes {
			if s.remove(t.dir) {
				continue
			}
		}
		of[filepath.Dir(t.dir)]++
		bytes += t.bytes
	}
}

// Clear removes all trees that nobody asks.
func (s *Store) Clear() {
	for _, dir := range s.folders() {
		s.remove(dir)
	}
}

// trees are all that are kept.
func (s *Store) trees() (out []kept) {
	for _, dir := range s.folders() {
		info, err := os.Lstat(dir)
		if err != nil {
			continue
		}
		t := kept{dir: dir, asked: info.ModTime(), bytes: -1}
		if info, err := os.Lstat(filepath.Join(dir, readyFile)); err == nil {
			t.asked = info.ModTime()
			if text, err := os.ReadFile(filepath.Join(dir, readyFile)); err == nil {
				if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
					t.bytes = n
				}
			}
		}
		if t.bytes < 0 {
			t.bytes = size(dir)
		}
		out = append(out, t)
	}
	return out
}

// folders are those of all trees.
func (s *Store) folders() (out []string) {
	repositories, _ := os.ReadDir(s.opts.Dir) // without it there are none
	for _, r := range repositories {
		above := filepath.Join(s.opts.Dir, r.Name())
		trees, _ := os.ReadDir(above)
		for _, e := range trees {
			if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
				out = append(out, filepath.Join(above, e.Name()))
			}
		}
	}
	return out
}

// remove removes a tree, unless somebody asks it.
func (s *Store) remove(dir string) bool {
	lock := flock.New(dir+".lock", flock.SetPermissions(0o600))
	defer lock.Close()
	if ok, err := lock.TryLock(); err != nil || !ok {
		return false
	}
	if !locks(lock) {
		return false // somebody else removes it
	}
	away, err := os.MkdirTemp(filepath.Dir(dir), removing)
	if err == nil {
		err = os.Rename(dir, filepath.Join(away, filesDir)) // at once: nobody finds half of it
	}
	if err == nil {
		_ = os.Remove(dir + ".lock")
	} else {
		s.opts.Log.Warn("revision not removed", "dir", dir, "error", err)
	}
	if rest := os.RemoveAll(away); rest != nil {
		s.opts.Log.Warn("parts of a revision not removed", "dir", away, "error", rest)
	}
	return err == nil
}
