package sandbox

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// maxStores is how many stores of objects a confined repository may read from.
const maxStores = 64

// gitFiles are what is read of a git directory and could be a link.
var gitFiles = []string{"HEAD", "index", "config", "info", "info/exclude", "refs", "packed-refs", "shallow", "objects", "objects/info", "objects/pack",
	"objects/info/alternates"}

// confine makes the repository's git directories real paths and reports whether they, what is read of them and the
// stores of objects that they borrow from lie inside. All that is read of them later is checked again as it is opened,
// see readStart.
func (r *repo) confine() bool {
	var ok, common bool
	r.gitDir, ok = r.inside(r.gitDir)
	r.commonDir, common = r.inside(r.commonDir)
	if !ok || !common {
		return false
	}
	for _, dir := range []string{r.gitDir, r.commonDir} {
		for _, name := range gitFiles {
			if _, ok := r.inside(filepath.Join(dir, filepath.FromSlash(name))); !ok {
				return false
			}
		}
	}
	objects, ok := r.inside(filepath.Join(r.commonDir, "objects"))
	return ok && r.borrows(objects, 5)
}

// inside is the real path that path leads to; ok is false where it lies in no allowed folder. The folder .git of the
// working tree itself is a part of it: it is read as the ignore files above a root are.
func (r *repo) inside(path string) (real string, ok bool) {
	real, _, err := resolve(path)
	return real, err == nil && (r.allowed.holds(real) || Within(filepath.Join(r.top, ".git"), real))
}

// read reads a file of the git directories of at most limit bytes.
func (r *repo) read(name string, limit int64) ([]byte, error) {
	data, err := r.readStart(name, limit, false)
	if err == nil && int64(len(data)) > limit {
		err = errSideFile(limit)
	}
	return data, err
}

// readStart is readStart for a file of the git directories. In a confined repository it opens the real path that is
// inside without following a link: whoever swaps a folder of it for a link meanwhile gets nothing read.
func (r *repo) readStart(name string, limit int64, long bool) ([]byte, error) {
	if r.allowed == nil {
		return readStart(name, limit, long)
	}
	real, ok := r.inside(name)
	if !ok {
		return nil, fmt.Errorf("read %q: %w", name, ErrNotAllowed)
	}
	return readReal(real, limit, long)
}

// borrows notes the store objects, a real path, and those that it borrows from, and reports whether all are inside; git
// follows as many as depth.
func (r *repo) borrows(objects string, depth int) bool {
	if slices.Contains(r.stores, objects) {
		return true
	}
	if r.stores = append(r.stores, objects); len(r.stores) > maxStores {
		return false
	}
	data, err := r.read(filepath.Join(objects, "info", "alternates"), maxSideFile)
	if err != nil {
		return isMissing(err)
	}
	seen := 0
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		if seen++; seen > 8 || depth == 0 || line[0] == '"' {
			return false
		}
		to, ok := joinAbs(objects, line)
		if !ok {
			return false
		}
		if to, ok = r.inside(to); !ok || !r.borrows(to, depth-1) {
			return false
		}
	}
	return true
}
