package retrieve

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lang"
	"github.com/contextd/contextd/internal/search"
)

// FilterError says what is wrong with a path or a language that a question is narrowed to.
type FilterError struct {
	Field string   // "paths" or "langs"
	Known []string // what may stand there, where that is a list
	err   error
}

func (e *FilterError) Error() string { return e.err.Error() }
func (e *FilterError) Unwrap() error { return e.err }

// Languages are the languages that names mean; an error says which name means none.
func Languages(names []string) ([]string, error) {
	var langs []string
	for _, name := range names {
		l, ok := lang.Named(name)
		if !ok {
			known := lang.All()
			return nil, &FilterError{Field: "langs", Known: known,
				err: fmt.Errorf("language %.40q: not known; want one of %s", name, strings.Join(known, ", "))}
		}
		langs = append(langs, l)
	}
	return langs, nil
}

// checkContent says what is wrong with the kind of content that a request is narrowed to.
func (r Request) checkContent() error {
	switch {
	case r.Content != "" && !slices.Contains(lang.Contents, r.Content):
		known := make([]string, len(lang.Contents))
		for i, c := range lang.Contents {
			known[i] = string(c)
		}
		return &FilterError{Field: "content", Known: known,
			err: fmt.Errorf("content %.40q: want one of %s", r.Content, strings.Join(known, ", "))}
	case len(r.Langs) > 0 && lang.WithContent(r.Content) != nil && len(r.languages()) == 0:
		return &FilterError{Field: "content",
			err: fmt.Errorf("content %q: none of the languages %s is of it", r.Content, strings.Join(r.Langs, ", "))}
	}
	return nil
}

// languages are those that are searched, by Langs and Content; none: all.
func (r Request) languages() []string {
	of := lang.WithContent(r.Content)
	if of == nil || len(r.Langs) == 0 {
		return append(of, r.Langs...)
	}
	return slices.DeleteFunc(of, func(l string) bool {
		return !slices.ContainsFunc(r.Langs, func(name string) bool { known, _ := lang.Named(name); return known == l })
	})
}

// contentShown is what a reply tells of Content: nothing where it is all.
func (r Request) contentShown() lang.Content {
	if r.Content == lang.AllContent {
		return ""
	}
	return r.Content
}

// filter is one path pattern of a request, and what it is in the project.
type filter struct {
	given string
	glob  string
}

// Within is the request with its paths as the index has them: relative to the root, a folder standing for all below it.
// An absolute path may begin with the root's real path or with the one that the user gave.
func (r Request) Within(w access.Where) (Request, error) {
	bases := basesOf(r.Target.Root, w)
	r.filters = make([]filter, len(r.Globs))
	globs := make([]string, len(r.Globs))
	for i, g := range r.Globs {
		glob, err := within(bases, g)
		if err == nil {
			err = search.CheckGlob(glob)
		}
		if err != nil {
			return r, &FilterError{Field: "paths", err: err}
		}
		globs[i], r.filters[i] = glob, filter{g, glob}
	}
	if len(globs) > 0 {
		r.Globs = globs
	}
	if r.Like != nil {
		r.Like = &Place{Path: relative(r.Target.Root, w.Dir, r.Like.Path), Line: r.Like.Line}
	}
	return r, nil
}

// basesOf are the names of a root, with slashes: its real path, the one that was given, and the one by which the
// working directory reaches it.
func basesOf(root string, w access.Where) []string {
	bases := []string{filepath.ToSlash(root)}
	if w.Root != "" {
		if given, err := filepath.Abs(w.Root); err == nil {
			bases = append(bases, filepath.ToSlash(given))
		}
	} else if w.Dir != "" {
		if dir, err := access.RealDir(w.Dir); err == nil {
			if below, err := filepath.Rel(root, dir); err == nil {
				if base, ok := strings.CutSuffix(path.Clean(filepath.ToSlash(w.Dir)),
					path.Join("/", filepath.ToSlash(below))); ok {
					bases = append(bases, base)
				} else if below == "." {
					bases = append(bases, filepath.ToSlash(w.Dir))
				}
			}
		}
	}
	return bases
}

// within is a pattern as paths of the index are written.
func within(bases []string, g string) (string, error) {
	if !strings.ContainsAny(g, "*?[{") { // else a backslash quotes, on Windows too
		g = filepath.ToSlash(g)
	}
	out := g
	if path.IsAbs(g) || filepath.VolumeName(g) != "" {
		out = ""
		for _, base := range bases {
			base = strings.TrimSuffix(base, "/")
			if rest, ok := strings.CutPrefix(g, base); ok && (rest == "" || rest[0] == '/') {
				out = "." + rest
				break
			}
		}
		if out == "" {
			return "", fmt.Errorf("path %q: outside of the root %q; want one inside it, such as \"src/**\"",
				g, bases[0])
		}
	}
	plain, folder := !strings.ContainsAny(out, `*?[{\`), strings.HasSuffix(out, "/")
	if plain {
		if out = path.Clean(out); out == "." {
			return "**", nil
		}
	}
	for strings.HasPrefix(out, "./") {
		out = strings.TrimLeft(out[2:], "/")
	}
	switch {
	case out == ".." || strings.HasPrefix(out, "../"):
		return "", fmt.Errorf("path %q: outside of the root %q; want one inside it, such as \"src/**\"", g, bases[0])
	case out == "":
		return "**", nil
	case plain:
		return out + "/**", nil // the file itself, or all below the folder
	case folder:
		return strings.TrimRight(out, "/") + "/**/*", nil
	}
	return out, nil
}

// unmatched notes the filters that no searched file of the index matches. Where results show that a filter matches
// nothing is looked up for it. What cannot be told within ctx is not told.
func (r *Reply) unmatched(ctx context.Context, req Request, snap search.Snapshot) {
	filters := req.filters
	if filters == nil {
		for _, g := range req.Globs {
			filters = append(filters, filter{g, g})
		}
	}
	paths, langs := slices.Clone(filters), slices.Clone(req.Langs)
	globs := make(map[string]search.Globs, len(paths))
	for _, f := range paths {
		globs[f.glob] = search.NewGlobs([]string{f.glob})
	}
	meets := func(p code.Path, language string) {
		paths = slices.DeleteFunc(paths, func(f filter) bool { return globs[f.glob].Match(p) })
		langs = slices.DeleteFunc(langs, func(l string) bool { return l == language })
	}
	for i := range r.Results {
		meets(r.Results[i].Path, r.Results[i].Language)
	}
	// a file is known that passes all, or there is one kind of filter
	both := len(r.Results) > 0 || len(filters) == 0 || len(req.Langs) == 0
	if len(paths) == 0 && len(langs) == 0 && both {
		return
	}
	entries, err := snap.Entries(ctx)
	if err != nil {
		return
	}
	all := search.NewGlobs(req.Globs)
	for i := range entries {
		if i%256 == 0 && ctx.Err() != nil {
			return
		}
		e := &entries[i]
		if e.Skip != "" {
			continue
		}
		meets(e.Path, e.Language)
		both = both || slices.Contains(req.Langs, e.Language) && all.Match(e.Path)
		if len(paths) == 0 && len(langs) == 0 && both {
			return
		}
	}
	for _, f := range paths {
		r.UnmatchedPaths = append(r.UnmatchedPaths, f.given)
	}
	r.UnmatchedLangs = langs
	if len(paths) == 0 && len(langs) == 0 { // each matches some file, and no file matches both kinds
		for _, f := range filters {
			r.UnmatchedPaths = append(r.UnmatchedPaths, f.given)
		}
		r.UnmatchedLangs = slices.Clone(req.Langs)
	}
}
