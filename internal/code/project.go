package code

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"
)

// CheckProjectID returns an error that names id and what is wanted unless id may name a project.
func CheckProjectID(id string) error {
	if isProjectID(id) {
		return nil
	}
	shown := id
	if len(shown) > 80 {
		shown = shown[:80] + "…"
	}
	return fmt.Errorf("project %q: want a letter or digit, then at most 127 letters, digits, '.', '_' or '-'", shown)
}

func isProjectID(id string) bool {
	if len(id) > 128 {
		return false
	}
	for i, c := range []byte(id) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case i > 0 && (c == '.' || c == '_' || c == '-'):
		default:
			return false
		}
	}
	return id != ""
}

// DefaultProjectID is the id of the project of a root when none is given: the root's base name made fit, then 8 hex
// digits of a hash of its real path. realRoot: absolute, links resolved.
func DefaultProjectID(realRoot string) string {
	base := strings.Map(func(r rune) rune {
		switch {
		case r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' ||
			r == '_' || r == '-'):
			return r
		}
		return '-'
	}, filepath.Base(realRoot))
	base = strings.TrimLeft(base, "._-")
	base = cmp.Or(base, "root")
	if len(base) > 100 {
		base = base[:100]
	}
	sum := sha256.Sum256([]byte(realRoot))
	return base + "-" + hex.EncodeToString(sum[:4])
}

// rootMark stands in the id of an index between its project and the hash of its root. No project's id holds it.
const rootMark = "@"

// RootIndexID is the id of the index of a further root of a project: the first one's index has the project's own id.
// realRoot: absolute, links resolved. Of an id that is an index's already, its project counts.
func RootIndexID(project, realRoot string) string {
	sum := sha256.Sum256([]byte(realRoot))
	return ProjectOf(project) + rootMark + hex.EncodeToString(sum[:8])
}

// ProjectOf is the project that an index belongs to.
func ProjectOf(index string) string {
	project, _, _ := strings.Cut(index, rootMark)
	return project
}

// IsFurther reports whether an index is that of a further root of its project.
func IsFurther(index string) bool { return strings.Contains(index, rootMark) }

// CheckIndexID is CheckProjectID for the id of an index.
func CheckIndexID(id string) error {
	project, hash, further := strings.Cut(id, rootMark)
	if b, err := hex.DecodeString(hash); further && (err != nil || len(b) != 8 || !isProjectID(project)) ||
		!further && !isProjectID(id) {
		return CheckProjectID(id)
	}
	return nil
}
