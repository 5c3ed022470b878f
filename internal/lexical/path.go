package lexical

import (
	"path"
	"strings"

	"github.com/contextd/contextd/internal/code"
)

// genericStems stems say nothing of a file: its nearest telling directory does.
var genericStems = map[string]bool{"mod": true, "index": true, "init": true, "__init__": true, "main": true,
	"__main__": true,
	"lib":      true, "package": true, "prelude": true}

// genericDirs directories do not name what is in them.
var genericDirs = map[string]bool{"src": true, "lib": true, "main": true}

// FileStem is the telling part of a file's name: its base without extensions or, where that is a name such as
// "index" or "__init__", the nearest directory that is not "src", "lib" or "main".
func FileStem(p code.Path) string {
	base := path.Base(p)
	stem := base
	if i := strings.IndexByte(base[min(1, len(base)):], '.'); i >= 0 { // a leading dot is no extension
		stem = base[:i+1]
	}
	if !genericStems[strings.ToLower(stem)] {
		return stem
	}
	for dir := path.Dir(p); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if b := path.Base(dir); !genericDirs[strings.ToLower(b)] {
			return b
		}
	}
	return stem
}

// Dirs are the names of the directories above a file, outermost first.
func Dirs(p code.Path) []string {
	dir := path.Dir(p)
	if dir == "." || dir == "/" {
		return nil
	}
	return strings.Split(dir, "/")
}
