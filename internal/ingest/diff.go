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

// racyWindow is the age below which the last change of a file proves nothing when it is read: a second write within the
// resolution of the file system's clock would leave its times as they are.
const racyWindow = 2 * time.Second

// diskFile is a file on disk with its manifest entry.
type diskFile struct {
	sandbox.File
	old       *search.Entry // nil: new
	unchanged bool          // its stat proves that it has not changed
	recheck   bool          // what leaves a file out for its content has changed for it: it must be judged again
}

// treeDiff is the difference of a walk and a manifest.
type treeDiff struct {
	files   []diskFile
	removed []*search.Entry // in the manifest, not on disk
}

// diff compares entries and files, both in path order. keep: stand-in documents may stay (see standIn).
func diff(entries []search.Entry, files []sandbox.File, keep bool) treeDiff {
	d := treeDiff{files: make([]diskFile, 0, len(files))}
	i := 0
	for _, f := range files {
		for i < len(entries) && entries[i].Path < f.Path {
			d.removed = append(d.removed, &entries[i])
			i++
		}
		x := diskFile{File: f}
		if i < len(entries) && entries[i].Path == f.Path {
			x.old = &entries[i]
			x.recheck = mustRecheck(x.old, &f) || !keep && isStandIn(x.old)
			x.unchanged = unchanged(x.old, &f) && !x.recheck
			i++
		}
		d.files = append(d.files, x)
	}
	for ; i < len(entries); i++ {
		d.removed = append(d.removed, &entries[i])
	}
	return d
}

func unchanged(e *search.Entry, f *sandbox.File) bool {
	return e.Size == f.Size && e.MTime == f.MTime && e.CTime == f.CTime && e.Inode == f.Inode &&
		e.SeenAt-max(e.MTime, e.CTime) > int64(racyWindow)
}

// What stands in Entry.Detail of an indexed file.
const (
	lifted  = "lifted"   // only a "!" rule of a .contextdignore lets it in
	standIn = "stand-in" // it was made otherwise than the index: by words alone, or by another analyzer (see embedderFor)
)

// detailOf returns the Entry.Detail of an indexed file.
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

func isStandIn(e *search.Entry) bool {
	return e.Skip == "" && (e.Detail == standIn || e.Detail == detailOf(true, true))
}

// mustRecheck reports whether an unchanged file may now be indexed or skipped differently than its entry says.
func mustRecheck(e *search.Entry, f *sandbox.File) bool {
	if e.Skip == code.Unreadable {
		return failedTries(e) < maxTries // what could not be read may be readable now, though its stat is the same
	}
	return f.Lifted != isLifted(e) && (e.Skip == code.Generated || e.Skip == code.Minified || isLifted(e))
}

// entriesUnder returns the entries that paths name: a path itself, or everything below it. Entries are in path order.
func entriesUnder(entries []search.Entry, paths []code.Path) []search.Entry {
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

// withParents adds to paths each entry that is a file where one of them now needs a folder: that file must have changed
// too. Entries are in path order.
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

// withDamaged adds to paths each file of which the store has lost a part.
func withDamaged(entries []search.Entry, paths []code.Path) []code.Path {
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
