package ingest

import (
	"path"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/search"
)

// racy is how close to its reading a file's last change may lie for its times to prove nothing: a second write within the
// clock's grain would leave them as they are.
const racy = 2 * time.Second

// found is a file on disk beside what the manifest knows of it.
type found struct {
	sandbox.File
	old   *search.Entry // nil: new
	fresh bool          // its stat proves that it has not changed
	rules bool          // what leaves a file out for its content has changed for it: it must be judged again
}

// difference is the join of a walk and a manifest, both in path order.
type difference struct {
	files []found
	gone  []*search.Entry // in the manifest, not on disk
}

// diff joins entries and files. keep: what stands in for what the index should hold may stay.
func diff(entries []search.Entry, files []sandbox.File, keep bool) difference {
	d := difference{files: make([]found, 0, len(files))}
	i := 0
	for _, f := range files {
		for i < len(entries) && entries[i].Path < f.Path {
			d.gone = append(d.gone, &entries[i])
			i++
		}
		x := found{File: f}
		if i < len(entries) && entries[i].Path == f.Path {
			x.old = &entries[i]
			x.rules = rejudge(x.old, &f) || !keep && standsIn(x.old)
			x.fresh = unchanged(x.old, &f) && !x.rules
			i++
		}
		d.files = append(d.files, x)
	}
	for ; i < len(entries); i++ {
		d.gone = append(d.gone, &entries[i])
	}
	return d
}

func unchanged(e *search.Entry, f *sandbox.File) bool {
	return e.Size == f.Size && e.MTime == f.MTime && e.CTime == f.CTime && e.Inode == f.Inode &&
		e.SeenAt-max(e.MTime, e.CTime) > int64(racy)
}

// What stands in Entry.Detail of an indexed file.
const (
	lifted  = "lifted"   // only a "!" rule of a .contextdignore lets it in
	standIn = "stand-in" // it was made otherwise than the index: by words alone, or by another analyzer (see servedBy)
)

// detailOf is Entry.Detail of an indexed file.
func detailOf(isLifted, isStandIn bool) string {
	switch {
	case isLifted && isStandIn:
		return lifted + ", " + standIn
	case isLifted:
		return lifted
	case isStandIn:
		return standIn
	}
	return ""
}

func isLifted(e *search.Entry) bool {
	return e.Skip == "" && (e.Detail == lifted || e.Detail == detailOf(true, true))
}

func standsIn(e *search.Entry) bool {
	return e.Skip == "" && (e.Detail == standIn || e.Detail == detailOf(true, true))
}

// rejudge reports whether the verdict on a file's content may differ from the remembered one though the content does not.
func rejudge(e *search.Entry, f *sandbox.File) bool {
	if e.Skip == code.Unreadable {
		return triesOf(e) < maxTries // what could not be read may be readable now, though its stat is the same
	}
	return f.Lifted != isLifted(e) && (e.Skip == code.Generated || e.Skip == code.Minified || isLifted(e))
}

// below keeps of entries, which are in path order, those that paths name: a path itself, or all that is below it.
func below(entries []search.Entry, paths []code.Path) []search.Entry {
	keep := make([]bool, len(entries))
	for _, p := range paths {
		if p == "" || p == "." {
			return entries
		}
		at := func(p string) int { return sort.Search(len(entries), func(i int) bool { return entries[i].Path >= p }) }
		if i := at(p); i < len(entries) && entries[i].Path == p {
			keep[i] = true
		}
		for i := at(p + "/"); i < len(entries) && strings.HasPrefix(entries[i].Path, p+"/"); i++ {
			keep[i] = true
		}
	}
	var out []search.Entry
	for i, k := range keep {
		if k {
			out = append(out, entries[i])
		}
	}
	return out
}

// withParents is paths with each entry that is a file where one of them now needs a folder: it has changed too, whoever told of it.
// entries are in path order.
func withParents(entries []search.Entry, paths []code.Path) []code.Path {
	seen := map[code.Path]bool{}
	for _, p := range slices.Clip(paths) {
		for dir := path.Dir(p); dir != "." && dir != "/" && !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			i := sort.Search(len(entries), func(i int) bool { return entries[i].Path >= dir })
			if i < len(entries) && entries[i].Path == dir {
				paths = append(paths, dir)
			}
		}
	}
	return paths
}

// withLost is paths with each file of which the store has lost a part.
func withLost(entries []search.Entry, paths []code.Path) []code.Path {
	if paths == nil {
		return nil
	}
	paths = slices.Clip(paths)
	for i := range entries {
		if e := &entries[i]; e.Skip == "" && e.Hash == (code.Hash{}) {
			paths = append(paths, e.Path)
		}
	}
	return paths
}

// wantsRescan reports whether one of paths holds rules that decide over other files.
func wantsRescan(paths []code.Path) bool {
	for _, p := range paths {
		base := path.Base(p)
		if strings.HasSuffix(base, "ignore") && strings.HasPrefix(base, ".") || base == ".git" ||
			strings.HasPrefix(p, ".git/") || strings.Contains(p, "/.git/") {
			return true
		}
	}
	return false
}
