package sandbox

import (
	"runtime"
	"strings"
	"unicode"
)

// listed is a folder that was asked for a name.
type listed struct {
	dir   string // with "/" behind it; "" for the root
	asked bool   // folds is known
	folds bool   // it may find a file by another name than its own
	read  bool   // names holds what it lists
	names listing
}

// spelled reports whether the folder dir, depth steps below the root, has the file f under the very name that it was
// found by. Windows, macOS and some mounts of Linux find "src/main.go" as "SRC/Main.go" too, macOS in either form of
// an accent, Windows with dots behind it. Such a name would pass by rules that leave the file out, and would be
// indexed beside the right one. A folder that does not give all of its names is taken at the system's word.
func (p *prober) spelled(depth int, dir, name string, f File) bool {
	if name == "" {
		return true // the root
	}
	if depth == len(p.above) {
		p.above = append(p.above, listed{})
	}
	at := &p.above[depth]
	if at.dir != dir {
		*at = listed{dir: dir}
	}
	if !at.asked {
		at.folds, at.asked = p.folds(dir, name, f)
	}
	if !at.folds {
		return true
	}
	if !at.read {
		at.read, at.names = true, listing{limit: p.l.limit}
		if err := p.s.r.list(strings.TrimSuffix(dir, "/"), "", &at.names); err != nil {
			at.names = listing{cut: true}
		} else {
			at.names.done()
		}
	}
	_, ok := at.names.find(name)
	return ok || at.names.cut
}

// folds reports whether the folder dir may find its file f in other letters; known: the name has letters to ask with.
func (p *prober) folds(dir, name string, f File) (folds, known bool) {
	if runtime.GOOS != "linux" {
		return true, true
	}
	other := strings.Map(func(c rune) rune {
		if unicode.IsUpper(c) {
			return unicode.ToLower(c)
		}
		return unicode.ToUpper(c)
	}, name)
	if other == name {
		return false, false
	}
	same, _, err := p.lstat(dir + other)
	return err == nil && same.Inode == f.Inode, true
}

// forgetNames makes spelled list folders again: some time has passed.
func (p *prober) forgetNames() {
	for i := range p.above {
		p.above[i].read = false
	}
}
