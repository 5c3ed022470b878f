package sandbox

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/contextd/contextd/internal/code"
)

// maxLinks is how many links are followed to say where a link leads; a longer chain is a loop.
const maxLinks = 64

// notRegular is the verdict on an entry that is neither a file nor a folder.
func (r *Root) notRegular(rel string, f form) Skipped {
	if f != formLink {
		return Skipped{Path: rel, Reason: code.NotRegular, Detail: "a pipe, socket or device"}
	}
	if r.leaves(rel) {
		return Skipped{Path: rel, Reason: code.OutsideRoot, Detail: "a link that leads out of the root"}
	}
	return Skipped{Path: rel, Reason: code.NotRegular, Detail: "a link; links are not followed"}
}

// leaves reports whether the link rel, whose folder is no link, leads out of the root. It follows links only by reading
// what they say, and only inside of the root.
func (r *Root) leaves(rel string) bool {
	var at []string // the place reached, no element of it a link
	todo := strings.Split(rel, "/")
	for links := 0; len(todo) > 0; {
		name := todo[0]
		todo = todo[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			if len(at) == 0 {
				return true
			}
			at = at[:len(at)-1]
			continue
		}
		at = append(at, name)
		here := strings.Join(at, "/")
		if _, form, err := r.lstat(here); err != nil || form != formLink {
			continue
		}
		target, err := r.readlink(here)
		if err != nil {
			continue
		}
		if links++; links > maxLinks {
			return false
		}
		at = at[:len(at)-1]
		if filepath.IsAbs(target) || filepath.VolumeName(target) != "" {
			inside, ok := r.Rel(filepath.Clean(target))
			if !ok {
				return true
			}
			at, target = nil, inside
		}
		todo = append(strings.Split(filepath.ToSlash(target), "/"), todo...)
	}
	return false
}

// Rel is the path of the absolute path abs relative to the root, judged by its text alone.
func (r *Root) Rel(abs string) (rel string, ok bool) {
	for _, root := range []string{r.path, r.given} {
		if rel, err := filepath.Rel(root, abs); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel), true
		}
	}
	return "", false
}

// normal turns what a user or a message calls a path into a Path. ok is false where it leads out of the root.
func (r *Root) normal(path string) (rel code.Path, ok bool) {
	native := filepath.Clean(filepath.FromSlash(path))
	if filepath.IsAbs(native) {
		if rel, ok = r.Rel(native); !ok {
			rel, ok = r.belowByFile(native)
		}
	} else if ok = filepath.IsLocal(native); ok {
		rel = filepath.ToSlash(native)
	}
	if rel == "." {
		rel = ""
	}
	return rel, ok
}

// outside is the verdict on a path that leads out of the root by its text.
func outside(path string) Skipped {
	return Skipped{Path: path, Reason: code.OutsideRoot, Detail: fmt.Sprintf("%q is not inside of the root", path)}
}

// belowByFile is the path of abs relative to the root where a folder above abs is the root under another name.
func (r *Root) belowByFile(abs string) (rel string, ok bool) {
	self, err := os.Stat(r.path)
	if err != nil {
		return "", false
	}
	for dir, tail := abs, ""; ; {
		var info fs.FileInfo
		if info, err = os.Stat(dir); err == nil && os.SameFile(info, self) {
			return filepath.ToSlash(tail), true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", false
		}
		tail, dir = filepath.Join(filepath.Base(dir), tail), up
	}
}
