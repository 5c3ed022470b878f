package search

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

// Limits of a path pattern.
const (
	maxGlob         = 1000 // bytes
	maxAlternatives = 1000 // ways to choose from all its braces
)

// CheckGlob tells what is wrong with a path pattern as of doublestar: its form, its length, or more alternatives than
// can be tried on each path of a large project, since each pair of braces multiplies them.
func CheckGlob(g string) error {
	switch {
	case len(g) > maxGlob:
		return fmt.Errorf("path %q…: want at most %d bytes", g[:40], maxGlob)
	case !utf8.ValidString(g): // all bytes that are no UTF-8 would match each other
		return fmt.Errorf("path %q: want UTF-8, as all paths in the index are", g)
	case !doublestar.ValidatePattern(g):
		return fmt.Errorf("path %q: want a glob such as \"src/**/*.go\"", g)
	case alternatives(g) > maxAlternatives:
		return fmt.Errorf("path %q: %w", g, errBraces)
	}
	return nil
}

// QuoteGlob returns the pattern that matches only path.
func QuoteGlob(path string) string { return quoteGlob.Replace(path) }

var quoteGlob = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`, "{", `\{`, "}", `\}`)

var errBraces = errors.New("its braces have too many alternatives; want several patterns instead")

// alternatives returns an upper bound of the number of patterns without braces that g expands to.
func alternatives(g string) int {
	product, open := 1, []int(nil)
	for i := 0; i < len(g) && product <= maxAlternatives; i++ {
		switch g[i] {
		case '\\':
			i++
		case '{':
			open = append(open, 1)
		case ',':
			if n := len(open); n > 0 {
				open[n-1]++
			}
		case '}':
			if n := len(open); n > 0 {
				product, open = product*open[n-1], open[:n-1]
			}
		}
	}
	return product
}
