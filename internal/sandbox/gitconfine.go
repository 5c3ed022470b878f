package sandbox

import (
	"path/filepath"
	"strings"
)

// gitFiles are what is read of a git directory and could be a link.
var gitFiles = []string{"HEAD", "index", "config", "info", "info/exclude", "refs", "packed-refs", "shallow", "objects", "objects/info", "objects/pack",
	"objects/info/alternates"}

// confine makes the repository's git directories real paths and reports whether they, what is read of them and the stores of objects
// that they borrow from lie in allowed folders. The folder .git of the working tree itself, whose top is the folder top, is a part of
// it: it is read as the ignore files above a root are.
func (r *repo) confine(top string, allowed *Allowed) bool {
	home := filepath.Join(top, ".git")
	inside := func(path string) (string, bool) {
		real, _, err := resolve(path)
		return real, err == nil && (allowed.holds(real) || within(home, real))
	}
	var ok, common bool
	r.gitDir, ok = inside(r.gitDir)
	r.commonDir, common = inside(r.commonDir)
	if !ok || !common {
		return false
	}
	for _, dir := range []string{r.gitDir, r.commonDir} {
		for _, name := range gitFiles {
			if _, ok := inside(filepath.Join(dir, filepath.FromSlash(name))); !ok {
				return false
			}
		}
	}
	return borrows(filepath.Join(r.commonDir, "objects"), inside, 5)
}

// borrows reports whether all stores that objects borrows from, and those that they do, are inside; git follows as many as depth.
func borrows(objects string, inside func(string) (string, bool), depth int) bool {
	data, err := readCapped(filepath.Join(objects, "info", "alternates"), maxSideFile)
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
		if to, ok = inside(to); !ok || !borrows(to, inside, depth-1) {
			return false
		}
	}
	return true
}
