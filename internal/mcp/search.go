package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/render"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/safetext"
)

const (
	defaultK      = 3    // results, as of the command line
	maxK          = 20   //
	snippetBytes  = 1000 // of a snippet
	overheadBytes = 900  // of an answer for all but its snippets
	maxShown      = 200  // bytes of a path in a heading
)

// searchLimits are the limits of an answer with k results.
func searchLimits(k int) (all, snippets int) {
	snippets = max(MaxText-overheadBytes, k*snippetBytes)
	return snippets + overheadBytes, snippets
}

func searchCode(ctx context.Context, e Engine, args json.RawMessage) (string, error) {
	var a struct {
		Query string `json:"query"`
		Root  string `json:"root"`
		Path  string `json:"path"`
		K     *int   `json:"k"`
	}
	if err := decode(args, &a); err != nil {
		return "", err
	}
	k, err := number("k", a.K, defaultK, 1, maxK)
	if err := cmp.Or(text("query", a.Query, maxQuery), line("root", a.Root, maxPath), line("path", a.Path, maxPath),
		err); err != nil {
		return "", err
	}
	all, snippets := searchLimits(k)
	found, err := e.Search(ctx, Question{Text: a.Query, Root: a.Root, Path: a.Path, K: k, MaxChars: snippetBytes,
		MaxBytes: snippets})
	if err != nil {
		return "", err
	}
	return found.text(k, all), nil
}

// hit is one result with the name of its folder, to be put before its path.
type hit struct {
	*retrieve.Result
	folder string
}

// hits are the results of all folders, the best first, at most k.
func (f *Found) hits(k int) []hit {
	var all []hit
	for _, r := range f.Replies {
		for i := range r.Results {
			all = append(all, hit{&r.Results[i], f.folder(r.Root)})
		}
	}
	if len(f.Replies) > 1 {
		slices.SortStableFunc(all, func(a, b hit) int { return cmp.Compare(b.Relevance, a.Relevance) })
	}
	return all[:min(len(all), k)]
}

// folder is what stands before the paths of a root: nothing where it is the only one.
func (f *Found) folder(root string) string {
	if len(f.Replies) == 1 {
		return ""
	}
	if rel, err := filepath.Rel(f.Base, root); f.Base != "" && err == nil {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(root)
}

// text is the answer for the model.
func (f *Found) text(k, limit int) string {
	p := &page{limit: limit - overheadBytes*2/3} // the rest is for what ends it
	hits := f.hits(k)
	p.add(f.head(len(hits)))
	shown := 0
	for _, h := range hits {
		piece := fmt.Sprintf("\n%d. %s", shown+1, h.heading())
		if h.Grade != gates.Possible {
			piece += render.Fence(safetext.Text(h.Snippet), h.Language)
		}
		if !p.add(piece) {
			break
		}
		shown++
	}
	p.limit = limit
	for _, line := range f.closingLines(hits, shown, k) {
		p.add("\n" + safetext.Cut(line, overheadBytes/4) + "\n")
	}
	return strings.TrimRight(p.b.String(), "\n") + "\n"
}

// heading is the place of a hit, its grade and what is defined there; of a guess its first line, too.
func (h hit) heading() string {
	at := safetext.Cut(safetext.Line(path.Join(h.folder, h.Path)), maxShown)
	if h.Grade == gates.Possible {
		return fmt.Sprintf("%s:%d-%d (%s) %s\n", at, h.StartLine, h.EndLine, h.Grade,
			safetext.Cut(safetext.Line(strings.TrimSpace(h.Snippet)), maxShown))
	}
	shown := h.Shown()
	line := fmt.Sprintf("%s:%d-%d (%s)", at, shown.Start, shown.End, h.Grade)
	if h.StartLine < shown.Start || h.EndLine > shown.End {
		line += fmt.Sprintf(" of %d-%d", h.StartLine, h.EndLine)
	}
	return line + "\n"
}

// head is the first line: what was asked, and how much came.
func (f *Found) head(n int) string {
	if len(f.Replies) == 1 {
		r := f.Replies[0]
		return fmt.Sprintf("Root: %s (%s searched, %s)\n", place(r.Root), render.Plural(r.Searched.Files, "file"),
			render.Plural(n, "result"))
	}
	files := 0
	var names []string
	for _, r := range f.Replies {
		files += r.Searched.Files
		names = append(names, place(f.folder(r.Root)))
	}
	asked, base := safetext.Cut(strings.Join(names, ", "), 400), place(f.Base)
	if f.Base == "" {
		base = asked
	}
	line := fmt.Sprintf("Root: %s (%s searched, %s)\nRepositories asked: %s", base, render.Plural(files, "file"),
		render.Plural(n, "result"), asked)
	if f.Omitted > 0 {
		line += fmt.Sprintf("; %d more were not, name one by root", f.Omitted)
	}
	return line + "\n"
}

// place is a path that stands on its own.
func place(p string) string { return safetext.Cut(safetext.Line(filepath.ToSlash(p)), 2*maxShown) }
