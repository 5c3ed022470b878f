package asked

import (
	"slices"
	"strings"
)

// Segments are the parts of a path between slashes or backslashes, as far as they name files: without a drive, "." and
// what ".." takes back, and with the escapes of a URL resolved.
func Segments(path string) []string {
	if isDrive(path) {
		path = path[2:]
	}
	path = strings.TrimPrefix(strings.ReplaceAll(unescape(path), `\`, "/"), "~")
	var out []string
	for seg := range strings.SplitSeq(path, "/") {
		switch seg {
		case "", ".":
		case "..":
			out = out[:max(0, len(out)-1)]
		default:
			out = append(out, seg)
		}
	}
	return out
}

// IsAbs reports whether a path begins at the top of a file system.
func IsAbs(path string) bool {
	return path != "" && (path[0] == '/' || path[0] == '\\' || path[0] == '~') || isDrive(path)
}

func unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if c := s[i]; c == '%' && i+2 < len(s) {
			if hi, lo := hex(s[i+1]), hex(s[i+2]); hi >= 0 && lo >= 0 && hi<<4|lo >= ' ' {
				b.WriteByte(byte(hi<<4 | lo))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func hex(c byte) int { return strings.IndexByte("0123456789abcdef", c|0x20) }

// libraries are folders that hold what a project did not write.
var libraries = map[string]bool{"node_modules": true, "bower_components": true, "site-packages": true,
	"dist-packages": true, "vendor": true, "deps": true,
	"rustlib": true, "rustc": true, "Frameworks": true, "Xcode.app": true, "jre": true, "jdk": true, "gems": true,
	"hosted": true,
	".cargo": true, ".rustup": true, ".pyenv": true, ".rbenv": true, ".nvm": true, ".gem": true, ".m2": true,
	".gradle": true, ".npm": true, ".asdf": true,
	".pub-cache": true, ".venv": true}

// libraryPairs are such folders that take two names, in paths from the top.
var libraryPairs = [...][2]string{{"usr", "lib"}, {"usr", "lib64"}, {"usr", "include"}, {"usr", "share"},
	{"local", "go"}, {"pkg", "mod"}}

// Library reports whether a path as a trace has it lies in a library: in a folder of dependencies, of or of a
// language's own library.
func Library(path string) bool {
	segs := Segments(path)
	if len(segs) < 2 {
		return false
	}
	abs := IsAbs(path)
	for i, seg := range segs[:len(segs)-1] {
		switch {
		case libraries[seg], i == 0 && seg == "internal" && strings.HasPrefix(path, "node:"), seg == "lib" &&
			strings.HasPrefix(segs[i+1], "python"):
			return true
		}
		if slices.ContainsFunc(libraryPairs[:], func(p [2]string) bool {
			return abs && seg == p[0] && segs[i+1] == p[1]
		}) {
			return true
		}
	}
	return false
}
