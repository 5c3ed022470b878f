package retrieve

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/contextd/contextd/internal/asked"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
	"github.com/contextd/contextd/internal/search/blob"
)

// maxAskedName bounds a question that may be the name of a file, in bytes.
const maxAskedName = 4 << 10

// mayBeFile reports whether a question may be the name or the path of a file: it has no space, and a dot or a slash.
func mayBeFile(text string) bool {
	return len(text) <= maxAskedName && strings.ContainsAny(text, `./\`) && !strings.ContainsFunc(text, unicode.IsSpace)
}

// filesNamed are the files of the index that a question means that is nothing but a file's name or path: the one with
// that path below root; else those whose path ends with it, those nearest to the top first, whose capitals are as asked
// before others. A question such as "web.App" means a file only if there is one of that name.
func filesNamed(text string, paths []code.Path, root string) (found []askedPlace) {
	segs, below := asked.Segments(text), asked.Segments(root)
	if asked.IsAbs(text) {
		if len(segs) <= len(below) || !slices.Equal(segs[:len(below)], below) {
			return nil
		}
		segs = segs[len(below):]
	}
	want := strings.Join(segs, "/")
	if want == "" {
		return nil
	}
	var files []code.Path
	for _, p := range paths {
		at := len(p) - len(want)
		switch {
		case p == want:
			return []askedPlace{{path: p, file: true}}
		case asked.IsAbs(text):
		case at >= 0 && (at == 0 || p[at-1] == '/') && strings.EqualFold(p[at:], want):
			files = append(files, p)
		}
	}
	spelt := func(p code.Path) int {
		if strings.HasSuffix(p, want) {
			return 0
		}
		return 1
	}
	slices.SortFunc(files, func(a, b code.Path) int {
		return cmp.Or(cmp.Compare(spelt(a), spelt(b)), cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")),
			cmp.Compare(a, b))
	})
	for _, p := range files[:min(len(files), askedPointers+1)] {
		found = append(found, askedPlace{path: p, file: true})
	}
	return found
}

// mainLine is the line of a file to show where the whole file is asked for: that of the definition that it is named
// after; else of its first type or function; else of its first definition; else its first line.
func mainLine(path code.Path, chunks []blob.ChunkFeatures) int {
	stem, line, best := lexical.Join(lexical.FileStem(path)), 1, 0
	for i := range chunks {
		for _, s := range chunks[i].Symbols {
			worth := 1
			switch {
			case lexical.Join(s.Name) == stem:
				worth = 3
			case s.Kind == code.KindType || s.Kind == code.KindFunc || s.Kind == code.KindModule:
				worth = 2
			}
			if worth > best {
				best, line = worth, s.Line
			}
		}
	}
	return line
}
