package search

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/contextd/contextd/internal/code"
)

// Globs are compiled path patterns in the syntax of doublestar. They must be valid.
type Globs []glob

type glob struct {
	pattern string
	end     string // what a path that matches ends in
	whole   bool   // the pattern is "**/" and end: all paths match that are end, or end in it after a slash
}

// NewGlobs compiles patterns.
func NewGlobs(patterns []string) Globs {
	globs := make(Globs, len(patterns))
	for i, p := range patterns {
		end := strings.TrimLeft(p[strings.LastIndexAny(p, `*?[]{}\`)+1:], "/") // "**/x" matches x, too
		globs[i] = glob{p, end, end != "" && p == "**/"+end}
	}
	return globs
}

// Match reports whether a path matches one of the patterns.
func (gs Globs) Match(p code.Path) bool {
	for i := range gs {
		g := &gs[i]
		switch {
		case !strings.HasSuffix(p, g.end):
		case g.whole && (len(p) == len(g.end) || p[len(p)-len(g.end)-1] == '/'), !g.whole && doublestar.MatchUnvalidated(g.pattern, p):
			return true
		}
	}
	return false
}
