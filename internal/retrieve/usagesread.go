package retrieve

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contextd/contextd/internal/analyze"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/rank"
	"github.com/contextd/contextd/internal/render"
	"github.com/contextd/contextd/internal/safetext"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/search/blob"
)

// usageChars bounds the text of a line, in characters.
const usageChars = 200

// finding is one look for the usages of a name.
type finding struct {
	rt      *Retriever
	name    string
	limit   int // of lines
	out     *Usages
	root    *sandbox.Root
	rules   *sandbox.Checker // of root
	changed []code.Path      // files that are not as they were indexed
	others  []code.Symbol    // definitions of the files that were read, whatever they are called
}

// holder is a file that holds the word of the name.
type holder struct {
	entry   search.Entry
	symbols []code.Symbol
	defines bool
}

// holders are the nominated files that hold the term, those that define the name first: they are told even if time runs
// out. Where more chunks of the project hold it than were nominated, files were left out.
func (f *finding) holders(found *search.Nominees, term code.TermID, mode search.Mode) (list []holder) {
	chunks := 0
	for i := range found.Files {
		c := &found.Files[i]
		features, err := blob.LookupFeatures(c.Features, []code.TermID{term})
		if err != nil {
			f.rt.opts.Log.Warn("features not read", "path", c.Entry.Path, "error", err)
			features = &blob.Features{}
		}
		h := holder{entry: c.Entry}
		for k := range features.Chunks {
			if len(features.Chunks[k].Postings) > 0 {
				chunks++
			}
			h.symbols = append(h.symbols, features.Chunks[k].Symbols...)
		}
		h.defines = slices.ContainsFunc(h.symbols, func(s code.Symbol) bool { return s.Name == f.name })
		list = append(list, h)
	}
	if mode != search.Names && len(found.Stats.DF) > 0 && chunks < found.Stats.DF[0] {
		f.cut("files")
	}
	slices.SortFunc(list, func(a, b holder) int {
		if a.defines != b.defines {
			return cmp.Compare(b2i(b.defines), b2i(a.defines))
		}
		return strings.Compare(a.entry.Path, b.entry.Path)
	})
	return list
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// read looks for the name in a file as it stands on the disk. It returns false where the deadline came before its end.
func (f *finding) read(ctx context.Context, h *holder) bool {
	path := h.entry.Path
	data, _, err := f.root.Read(path)
	if err != nil {
		f.changed = append(f.changed, path)
		return true
	}
	// the index alone is not trusted: who writes to it could name any file of the root
	file, skip := f.rules.Check(path)
	if skip.Reason != "" {
		f.changed = append(f.changed, path)
		return true
	}
	text, skip, err := sandbox.File{Path: path}.ContentWithin(ctx, data)
	if err != nil {
		return false
	}
	class := ClassCode
	switch {
	case skip.Reason == "" && rank.IsTest(path):
		class = ClassTest
	case skip.Reason == "":
	case file.Lifted && (skip.Reason == code.Generated || skip.Reason == code.Minified):
		class = ClassGenerated
	default:
		f.changed = append(f.changed, path)
		return true
	}
	symbols, fresh := h.symbols, Indexed
	if code.HashOf(data) != h.entry.Hash {
		f.changed, fresh = append(f.changed, path), Overlay
		var done bool
		if symbols, done = f.symbolsOf(ctx, path, text); !done {
			return false
		}
	}
	numbers, done := linesNaming(ctx, text, f.name)
	if len(numbers) > 0 {
		f.tell(h, class, fresh, symbols, numbers, strings.Split(text, "\n"))
	}
	f.others = append(f.others, symbols...)
	return done
}

// symbolsOf are the definitions of a changed file; none of one that cannot be analyzed.
func (f *finding) symbolsOf(ctx context.Context, path code.Path, text string) (symbols []code.Symbol, done bool) {
	defer func() {
		if p := recover(); p != nil {
			f.rt.opts.Log.Error("file not analyzed", "path", path, "panic", p)
			symbols, done = nil, true
		}
	}()
	file, err := analyze.FileWithin(ctx, path, text)
	if err != nil {
		return nil, false
	}
	for i := range file.Chunks {
		symbols = append(symbols, file.Chunks[i].Symbols...)
	}
	return symbols, true
}

// tell adds the lines of a file that name the name.
func (f *finding) tell(h *holder, class Class, fresh Freshness, symbols []code.Symbol, numbers []int, lines []string) {
	file := UsageFile{Path: h.entry.Path, Language: h.entry.Language, Class: class, Freshness: fresh}
	f.out.FoundFiles++
	for _, n := range numbers {
		f.out.FoundLines++
		i := slices.IndexFunc(symbols, func(s code.Symbol) bool { return s.Name == f.name && s.Line == n })
		switch {
		case i >= 0 && len(f.out.Definitions) == maxDefinitions:
			f.cut("lines")
		case i >= 0:
			s := symbols[i]
			f.out.Definitions = append(f.out.Definitions, Definition{Path: file.Path, Line: n, EndLine: s.End,
				Kind: s.Kind, Parent: strings.Clone(s.Parent), Language: file.Language, Class: class, Freshness: fresh,
				Text: f.text(lines[n-1])})
		case len(file.Lines) == f.limit: // no more of one file can be told
			f.cut("lines")
		default:
			file.Lines = append(file.Lines, UsageLine{Line: n, Text: f.text(lines[n-1])})
		}
	}
	if len(file.Lines) > 0 {
		f.out.Files = append(f.out.Files, file)
	}
}

// text is a line as it is told: its part around the name, harmless to print.
func (f *finding) text(line string) string {
	focus := func(part string) float64 { return float64(b2i(strings.Contains(part, f.name))) }
	text, _, _ := render.Snippet([]string{strings.ReplaceAll(strings.TrimSpace(line), "\t", " ")}, 1, focus,
		render.Limits{Chars: usageChars, Bytes: utf8.UTFMax * usageChars, Lines: 1})
	return safetext.Line(text)
}

// sort puts code before tests and generated files, and leaves out the lines beyond the limit.
func (f *finding) sort() {
	slices.SortFunc(f.out.Definitions, func(a, b Definition) int {
		return cmp.Or(slices.Index(classes, a.Class)-slices.Index(classes, b.Class), strings.Compare(a.Path, b.Path),
			a.Line-b.Line)
	})
	slices.SortFunc(f.out.Files, func(a, b UsageFile) int {
		return cmp.Or(slices.Index(classes, a.Class)-slices.Index(classes, b.Class), strings.Compare(a.Path, b.Path))
	})
	left := f.limit
	for i := range f.out.Files {
		if len(f.out.Files[i].Lines) > left {
			f.cut("lines")
			f.out.Files[i].Lines = f.out.Files[i].Lines[:left]
		}
		if left -= len(f.out.Files[i].Lines); len(f.out.Files[i].Lines) == 0 {
			f.out.Files = f.out.Files[:i]
			return
		}
	}
}

// linesNaming are the numbers of the lines of text that hold name as a whole identifier, at most maxFoundLines. done is
// false where ctx ended before the text did.
func linesNaming(ctx context.Context, text, name string) (numbers []int, done bool) {
	line, counted := 1, 0 // the line that begins at or before counted
	for at, looks := 0, 0; len(numbers) < maxFoundLines; looks++ {
		if looks%1024 == 1023 && ctx.Err() != nil {
			return numbers, false
		}
		n := strings.Index(text[at:], name)
		if n < 0 {
			break
		}
		start, end := at+n, at+n+len(name)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if start > 0 && isIdent(before) || end < len(text) && isIdent(after) {
			for at = end; at < len(text); { // the rest of a longer identifier holds no whole one
				r, size := utf8.DecodeRuneInString(text[at:])
				if !isIdent(r) {
					break
				}
				at += size
			}
			continue
		}
		line += strings.Count(text[counted:start], "\n")
		counted = start
		numbers = append(numbers, line)
		if at = strings.IndexByte(text[end:], '\n'); at < 0 {
			break
		}
		at += end
	}
	return numbers, true
}

func isIdent(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}
