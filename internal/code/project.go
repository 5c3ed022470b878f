package code

import (
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
		case r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_' || r == '-'):
			return r
		}
		return '-'
	}, filepath.Base(realRoot))
	base = strings.TrimLeft(base, "._-")
	if base == "" {
		base = "root"
	}
	if len(base) > 100 {
		base = base[:100]
	}
	sum := sha256.Sum256([]byte(realRoot))
	return base + "-" + hex.EncodeToString(sum[:4])
}
