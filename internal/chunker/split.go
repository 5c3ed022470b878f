package chunker

import (
	"context"
	"sync"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lang"
)

// Sizes of a chunk in bytes, line ends included.
const (
	MaxBytes = 1500 // at most; a longer line is a chunk of its own
	MinBytes = 300  // at least, where lines and neighbours allow it
)

// Split cuts src, UTF-8 text with "\n" line ends, into chunks of whole lines. Every line is in exactly one chunk, in
// order: the chunks' texts joined are src. An empty src has no chunks. language is a name that [lang.Of] gives;
// one that is not known here is cut along blank lines and has no symbols, and "" asks LanguageOf for that of path.
// Names and texts of the result are parts of src.
func Split(path code.Path, language, src string) []code.Chunk {
	chunks, _ := SplitWithin(context.Background(), path, language, src)
	return chunks
}

// SplitWithin is Split until its context is over: then there are no chunks and the error says so.
func SplitWithin(ctx context.Context, path code.Path, language, src string) ([]code.Chunk, error) {
	if src == "" {
		return nil, nil
	}
	if language == "" {
		language = lang.Of(path, src)
	}
	s := scans.Get().(*scan)
	defer s.release()
	if err := s.read(ctx, languageNamed(language), src); err != nil {
		return nil, err
	}
	chunks := s.chunks(s.cut())
	return chunks, ctx.Err()
}

// read runs the passes that find what src holds. Each of them is linear; the one that costs most looks at the context
// as it goes.
func (s *scan) read(ctx context.Context, lang *language, src string) error {
	s.reset(lang, src)
	for _, pass := range []func(){s.lex, s.layout} {
		if pass(); ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return s.defs(ctx)
}

var scans = sync.Pool{New: func() any { return new(scan) }}

// scan is the state of one Split. Its slices are kept for the next one; nothing that Split returns points into them.
type scan struct {
	lang *language
	src  string
	code []byte // src with comments and the insides of strings masked, same line ends; then one more line end

	// filled by lex
	comments        [][2]int
	opens           []bracket // opening brackets in order
	stack           []pending // brackets not closed yet, strings waiting for the end of an interpolation
	base            int       // height that a close may not go below (see conditional)
	conds           []int     // bases saved at each #else
	heredocs        []heredoc
	heredocUnclosed bool // a heredoc had no end: take no more
	strayQuotes     int  // quotes that closed nothing

	lines []line

	// filled by defs
	syms            []symbol
	open            []int // indexes of syms that enclose the current line, outermost first
	last            int   // index of the last line before the current one that holds code
	pendingFrom     int   // index of the first of the comment and annotation lines right above; -1 for none
	consumedTo      int   // the lines up to this one belong to what an earlier line began
	onlyAnnotations bool  // the current line holds nothing but annotations
	steps           int   // bytes that were looked at more than the once that lex and layout take; see TestLinear
	group           group // the parenthesis of declarations that the current line is in
}

// A bracket is an opening bracket.
type bracket struct {
	pos   int
	close int // offset of the closing one, -1 when there is none
}

// A line is one line of the masked text.
type line struct {
	start  int
	first  int // offset of the first visible byte; that of the line end where there is none
	indent int // columns before first, a tab counts 4
	kind   lineKind
}

type lineKind uint8

const (
	blankLine   lineKind = iota
	commentLine          // nothing but comment
	stringLine           // starts inside a string
	codeLine
)

// A symbol is a code.Symbol in the making.
type symbol struct {
	code.Symbol
	from     int  // index of the first line of the definition, its comments and annotations included
	byIndent bool // ends before the next line that is not indented more; End is then the furthest that may be
	level    int  // of a section
}

func (s *scan) reset(lang *language, src string) {
	s.lang, s.src, s.code = lang, src, append(append(s.code[:0], src...), '\n')
	s.comments, s.opens, s.stack, s.base, s.conds = s.comments[:0], s.opens[:0], s.stack[:0], 0, s.conds[:0]
	s.heredocs, s.heredocUnclosed, s.strayQuotes, s.lines = s.heredocs[:0], false, 0, s.lines[:0]
	s.syms, s.open, s.last, s.consumedTo, s.onlyAnnotations, s.group, s.steps = s.syms[:0], s.open[:0], 0, -1,
		false, group{}, 0
}

// release puts s back without the text that it held.
func (s *scan) release() {
	s.src = ""
	clear(s.syms)
	clear(s.stack[:cap(s.stack)])
	scans.Put(s)
}

// chunks makes the chunks whose first lines are starts.
func (s *scan) chunks(starts []int) []code.Chunk {
	out := make([]code.Chunk, len(starts))
	comments := make([][2]int, 0, len(s.comments)+8)
	symbols := make([]code.Symbol, len(s.syms))
	for i := range s.syms {
		symbols[i] = s.syms[i].Symbol
	}
	var scope []int
	sym, com := 0, 0
	for i, first := range starts {
		last := len(s.lines)
		if i+1 < len(starts) {
			last = starts[i+1]
		}
		from, to := s.lines[first].start, len(s.src)
		if last < len(s.lines) {
			to = s.lines[last].start
		}
		c := &out[i]
		c.Span = code.Span{Start: first + 1, End: last}
		c.Text = s.src[from:to]

		begin := len(comments)
		for com < len(s.comments) && s.comments[com][0] < to {
			a, b := max(s.comments[com][0], from), min(s.comments[com][1], to)
			if a < b {
				comments = append(comments, [2]int{a - from, b - from})
			}
			if s.comments[com][1] > to {
				break // goes on in the next chunk
			}
			com++
		}
		if len(comments) > begin {
			c.Comments = comments[begin:len(comments):len(comments)]
		}

		for len(scope) > 0 && s.syms[scope[len(scope)-1]].End <= first {
			scope = scope[:len(scope)-1]
		}
		c.Scope = s.names(scope, first+1)
		k := sym
		for ; k < len(symbols) && symbols[k].Line <= last; k++ {
			for len(scope) > 0 && symbols[scope[len(scope)-1]].End < symbols[k].Line {
				scope = scope[:len(scope)-1]
			}
			scope = append(scope, k)
		}
		if k > sym {
			c.Symbols = symbols[sym:k:k]
		}
		sym = k
	}
	return out
}

// maxScope bounds the names in a chunk's scope; hostile input nests deeper.
const maxScope = 16

// names are the names of the symbols in scope that reach line, with the qualifier of the outermost in front.
func (s *scan) names(scope []int, line int) []string {
	var out []string
	for _, k := range scope {
		sym := &s.syms[k]
		if sym.End < line {
			continue
		}
		if out == nil && sym.Parent != "" {
			out = append(out, sym.Parent)
		}
		if out = append(out, sym.Name); len(out) >= maxScope {
			break
		}
	}
	return out
}
