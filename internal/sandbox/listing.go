package sandbox

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"github.com/contextd/contextd/internal/syserr"
)

// form is what an entry of a folder is, links not followed.
type form uint8

const (
	formOther form = iota // pipe, socket, device
	formFile
	formDir
	formLink
)

// entry is one name in a folder. full is the full path of the folder and the name.
type entry struct {
	full, name string
	form       form
}

// listing is what one folder holds, sorted by name. Its buffers are used again for the next folder.
type listing struct {
	entries []entry
	names   []byte // the full paths, one behind the other
	dents   []byte // what the system gave
	limit   int    // bytes that a listing may take; 0: any number
	size    int    // bytes taken
	cut     bool   // more names were there than limit allows: they are missing
	sys     listingSys
}

// add notes a name; finish makes entries of what was noted.
func (l *listing) add(full, name string, f form) {
	if l.size += len(full) + len(name) + entryBytes; l.limit > 0 && l.size > l.limit {
		l.cut = true
		return
	}
	l.names = append(append(l.names, full...), name...)
	l.entries = append(l.entries, entry{name: name, form: f})
}

// finish turns the names noted into entries that share one string, sorted.
func (l *listing) finish(full string) {
	all, at := string(l.names), 0
	for i := range l.entries {
		e := &l.entries[i]
		end := at + len(full) + len(e.name)
		e.full = all[at:end]
		e.name = e.full[len(full):]
		at = end
	}
	slices.SortFunc(l.entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
}

func (l *listing) reset() {
	l.entries, l.names, l.size, l.cut = l.entries[:0], l.names[:0], 0, false
}

// find is the form of the entry called name.
func (l *listing) find(name string) (form, bool) {
	i, ok := slices.BinarySearchFunc(l.entries, name, func(e entry, name string) int { return strings.Compare(e.name, name) })
	if !ok {
		return 0, false
	}
	return l.entries[i].form, true
}

func (l *listing) has(name string, f form) bool {
	got, ok := l.find(name)
	return ok && got == f
}

// isMissing reports whether err says that nothing has that path.
func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || syserr.NoName(err)
}
