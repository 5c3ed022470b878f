package render

import (
	"slices"
	"strings"
)

// rating says how well a snippet begins with a line. The four kinds of start below statement are taken only where there
// is no better one.
type rating uint8

const (
	inside      rating = iota // a comment or a string that began above
	element                   // goes on with what began above: an argument, an operand, a closing bracket
	item                      // a whole entry of a literal or of a list
	statement                 // begins a statement
	opening                   // the first statement of a block or of a paragraph
	declaration               // begins what has a body of its own, or the comment or decorator directly above it
)

// rate rates each line of a chunk up to peak by indentation, blank lines, brackets and comments, whatever the language,
// in time linear in the chunk's length.
func rate(lines []string, peak int) []rating {
	r := rater{lines: lines, shapes: make([]shape, len(lines)), ratings: make([]rating, len(lines)), prev: -1, base: -1}
	next := -1
	for i := len(lines) - 1; i >= 0; i-- {
		s := &r.shapes[i]
		s.text, s.indent, s.next = strings.TrimSpace(lines[i]), indentOf(lines[i]), next
		if s.text != "" {
			next = i
			if r.base < 0 || s.indent < r.base {
				r.base = s.indent
			}
		}
	}
	for i := range lines {
		r.line(i)
	}
	r.comments()
	r.enclose(peak)
	return r.ratings
}

// rater is the work of rate.
type rater struct {
	lines   []string
	shapes  []shape
	ratings []rating
	scanner scanner
	base    int // the least indentation of a line that is not blank
	prev    int // the last line of code above; -1: none
}

// shape is what is known of one line.
type shape struct {
	text   string // without space around it
	indent int    // columns, a tab counts four
	next   int    // the next line that is not blank; -1: none
	kind   kind
	end    string // the code without a comment behind it
	told   bool   // a comment ends here, or it is a decorator
}

// kind is what a line is.
type kind uint8

const (
	empty     kind = iota // blank
	plain                 // code
	remark                // begins with a comment
	decorator             // an annotation or attribute alone
	within                // begins inside a comment or a string
)

func indentOf(line string) (n int) {
	for i := range len(line) {
		switch line[i] {
		case ' ':
			n++
		case '\t':
			n += 4
		default:
			return n
		}
	}
	return n
}

// line takes the lines one after the other.
func (r *rater) line(i int) {
	s := &r.shapes[i]
	s.kind = kindOf(s.text)
	if !r.scanner.closeByIndent(s) || s.kind == empty && r.scanner.until != "" {
		s.kind = within
	}
	before := r.scanner.top()
	if s.end = s.text; s.kind != empty {
		s.end = r.scanner.scan(r.lines, i, s.kind)
		s.told = s.kind == remark || s.kind == decorator || s.kind == within && r.scanner.ended && r.scanner.remark
	}
	switch {
	case s.kind == within && !r.scanner.remark: // the end of a string may end a statement
		r.prev = i
	case s.kind == remark:
		r.ratings[i] = opening
		if before.list() {
			r.ratings[i] = item
		}
		if i > 0 && r.shapes[i-1].kind == remark {
			r.ratings[i] = inside
		}
	case s.kind == plain, s.kind == decorator:
		r.ratings[i] = r.code(i, before)
		r.prev = i
	}
}

// code rates a line of code that begins between the brackets of which the innermost is within.
func (r *rater) code(i int, around bracket) rating {
	s := &r.shapes[i]
	block := r.scanner.opened.kind == '{' && !r.scanner.opened.literal
	switch {
	case strings.ContainsRune(")]}", rune(s.text[0])), strings.HasPrefix(s.text, "</"), r.goesOn(s),
		continuing[firstWord(s.text)]:
		return element
	case s.text[0] == '{' && r.prev >= 0 && !around.list():
		return element
	case around.kind == '(' && !block:
		return element
	case r.follows("=", "+", "&&", "||", "?", "\\"):
		return element
	case block:
	case around.kind == 0 && r.follows(","), around.list() && !r.follows(",", "{", "[", "("):
		return element
	case around.list(), around.kind == '{' && (strings.HasSuffix(s.end, ",") && r.scanner.opened.kind == 0 ||
		r.follows(",")):
		return item
	}
	fresh := i == 0 || r.shapes[i-1].kind == empty
	first := r.prev >= 0 && (r.shapes[r.prev].indent < s.indent || strings.HasSuffix(r.shapes[r.prev].end, "{"))
	told := i > 0 && r.shapes[i-1].told
	deeper := s.next >= 0 && (r.shapes[s.next].indent > s.indent || r.shapes[s.next].text[0] == '{')
	parted := fresh || first || told || s.indent == r.base ||
		r.prev >= 0 && (r.shapes[r.prev].indent > s.indent || r.shapes[r.prev].text[0] == '}')
	switch {
	case deeper && parted && !control[firstWord(s.text)], s.indent == r.base && (fresh || told):
		return declaration
	case fresh, first:
		return opening
	}
	return statement
}

// follows reports whether the code above ends with one of ends.
func (r *rater) follows(ends ...string) bool {
	if r.prev < 0 {
		return false
	}
	return slices.ContainsFunc(ends, func(e string) bool { return strings.HasSuffix(r.shapes[r.prev].end, e) })
}

// goesOn reports whether a line begins with what nothing begins with.
func (r *rater) goesOn(s *shape) bool {
	for _, mark := range []string{"&&", "||", "?", "+ ", "= ", ": ", "=>"} {
		if strings.HasPrefix(s.text, mark) {
			return true
		}
	}
	return len(s.text) > 1 && s.text[0] == '.' && isWord(s.text[1]) && r.prev >= 0 && !r.follows("{", "}", ";")
}

// comments gives comments and decorators the rating of the code directly below them.
func (r *rater) comments() {
	below, known := inside, false
	for i := len(r.lines) - 1; i >= 0; i-- {
		switch k := r.shapes[i].kind; {
		case k == empty:
			known = false
		case k == plain:
			below, known = r.ratings[i], true
		case k == decorator, k == remark && r.ratings[i] != inside:
			if known && (below > r.ratings[i] || k == remark && below < statement) {
				r.ratings[i] = below
			}
			below, known = r.ratings[i], true
		}
	}
}

// enclose makes what lies deeper than a line between it and peak no start: its block ends before peak.
func (r *rater) enclose(peak int) {
	least := r.shapes[peak].indent
	for i := peak; i >= 0; i-- {
		switch s := &r.shapes[i]; {
		case s.kind == empty, s.kind == within, s.kind == plain && s.text[0] == '#':
			// C's preprocessor stands in the first column
		case s.indent > least:
			r.ratings[i] = min(r.ratings[i], element)
		default:
			least = s.indent
		}
	}
}

// continuing words go on with the statement above, control words begin one that declares nothing.
var (
	continuing = words(
		"else elif elsif elseif except catch finally ensure rescue end endif endfunction fi done esac then")
	control = words("if for foreach while until unless switch match when case default try with do loop select using lock synchronized return throw raise await yield go defer")
)

func words(list string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}

func firstWord(text string) string {
	for i := range len(text) {
		if !isWord(text[i]) {
			return text[:i]
		}
	}
	return text
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
