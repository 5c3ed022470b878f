package redisearch

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
)

const (
	// maxFileTags is how many files a filter names at most; when more match, hits are filtered here and more are
	// fetched.
	maxFileTags = 256
	overFetch   = 5
)

// filter is what Query.Langs and Globs come to.
type filter struct {
	expr  string // query syntax that every match must meet; "" for all. It may let more through than keep
	over  int    // how many times more hits to fetch, since keep will refuse some
	none  bool   // nothing can match
	langs []string
	globs search.Globs
}

// keep reports whether a file meets the filter. language "" is not checked: the server has done it.
func (f *filter) keep(path code.Path, language string) bool {
	if language != "" && len(f.langs) > 0 && !slices.Contains(f.langs, language) {
		return false
	}
	return len(f.globs) == 0 || f.globs.Match(path)
}

// glob is a path pattern taken apart.
type glob struct {
	dir   code.Path // literal folder in front; "" if there is none
	exact bool      // no wildcard at all
	whole bool      // everything below dir
}

func parseGlob(g string) (glob, error) {
	if !doublestar.ValidatePattern(g) {
		return glob{}, fmt.Errorf("path pattern %q: its brackets or braces do not close", g)
	}
	i := strings.IndexAny(g, `*?[{\`)
	if i < 0 {
		return glob{exact: true}, nil
	}
	rest := g
	var p glob
	if slash := strings.LastIndexByte(g[:i], '/'); slash >= 0 {
		p.dir, rest = g[:slash], g[slash+1:]
	}
	// A pattern that begins with a slash matches nothing: the paths of a project do not.
	p.whole = g[0] != '/' && (rest == "**" || rest == "**/*")
	return p, nil
}

// newFilter reads langs and globs. paths lists the files of the project; it is called only for a pattern that no tag
// stands for.
func newFilter(ctx context.Context, langs, globs []string, paths func(context.Context) ([]code.Path, error)) (*filter, error) {
	f := &filter{over: 1, langs: langs}
	var files, dirs []string
	var free, pattern bool // free: one pattern has no literal folder
	for _, g := range globs {
		p, err := parseGlob(g)
		if err != nil {
			return nil, err
		}
		switch {
		case p.exact:
			files = append(files, fileTag(g))
		case p.dir != "":
			dirs = append(dirs, dirTag(p.dir))
			// In doublestar "dir/**" matches dir itself too, which may be a file.
			files = append(files, fileTag(p.dir))
		default:
			free = true
		}
		pattern = pattern || !p.exact && !p.whole
		if p.whole && p.dir == "" {
			globs, files, dirs, free, pattern = nil, nil, nil, false, false
			break
		}
	}
	f.globs = search.NewGlobs(globs)
	if pattern || len(files) > maxFileTags {
		all, err := paths(ctx)
		if err != nil {
			return nil, err
		}
		var match []string
		for _, p := range all {
			if f.keep(p, "") {
				match = append(match, fileTag(p))
			}
		}
		switch {
		case len(match) == 0:
			f.none = true
			return f, nil
		case len(match) <= maxFileTags:
			files, dirs, free = match, nil, false
		default:
			f.over = overFetch
		}
	}
	var parts []string
	if len(langs) > 0 {
		tags := make([]string, len(langs))
		for i, l := range langs {
			tags[i] = langTag(l)
		}
		parts = append(parts, "@lang:{"+strings.Join(tags, "|")+"}")
	}
	if len(globs) > 0 && !free && len(files) <= maxFileTags+len(dirs) {
		var alt []string
		if len(files) > 0 {
			alt = append(alt, "@fid:{"+strings.Join(files, "|")+"}")
		}
		if len(dirs) > 0 {
			alt = append(alt, "@dirs:{"+strings.Join(dirs, "|")+"}")
		}
		parts = append(parts, "("+strings.Join(alt, "|")+")")
	}
	f.expr = strings.Join(parts, " ")
	return f, nil
}
