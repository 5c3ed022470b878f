package textfile

import "strings"

// maxPointer is the size of the largest file that git LFS takes for one of its own, in bytes.
const maxPointer = 1024

// LFSPointer reports whether text stands for a file that git LFS keeps elsewhere: a version, a hash and a size, nothing
// else.
func LFSPointer(text string) bool {
	if len(text) > maxPointer || !strings.HasPrefix(text, "version https://git-lfs.github.com/spec/") &&
		!strings.HasPrefix(text, "version https://hawser.github.com/spec/") {
		return false
	}
	oid, size := false, false
	for line := range strings.Lines(text) {
		key, value, found := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case !found && key != "":
			return false
		case key == "oid":
			oid = strings.HasPrefix(value, "sha256:")
		case key == "size":
			size = value != "" && strings.Trim(value, "0123456789") == ""
		}
	}
	return oid && size
}
