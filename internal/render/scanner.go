package render

import (
	"slices"
	"strings"
)

// scanner follows brackets, comments and strings from line to line, as most languages write them.
type scanner struct {
	open   []bracket
	opened bracket  // the last one that the last line opened and left open
	until  string   // ends the comment or the string that is open; "": none is
	remark bool     // until ends a comment
	ended  bool     // the last line ended what until ended
	never  []string // what until may be that does not stand below
	scalar bool     // a block of text in YAML is open, with more indentation than indent
	indent int
}

// bracket is an open bracket; without a kind: none.
type bracket struct {
	kind    byte // ( [ {
	literal bool // of a brace: it holds values and no statements
	indent  int  // of the line that it stands in
}

// list reports whether the lines in a bracket are no statements.
func (b bracket) list() bool { return b.kind == '(' || b.kind == '[' || b.literal }

// maxOpen bounds the brackets that are followed.
const maxOpen = 256

func (sc *scanner) top() bracket {
	if n := len(sc.open); n > 0 {
		return sc.open[n-1]
	}
	return bracket{}
}

// closeByIndent closes brackets that the indentation of a line shows to be closed, whatever they were taken for. It
// returns false for a line that begins inside a comment or a string.
func (sc *scanner) closeByIndent(s *shape) bool {
	if s.text == "" {
		return true
	}
	if sc.scalar && s.indent > sc.indent {
		return false
	}
	sc.scalar = false
	if sc.until != "" {
		return false
	}
	if s.kind == remark || strings.ContainsRune(")]}{#", rune(s.text[0])) {
		return true
	}
	for n := len(sc.open); n > 0 && sc.open[n-1].indent >= s.indent; n-- {
		sc.open = sc.open[:n-1]
	}
	return true
}

// scan reads a line and returns its code without a comment behind it.
func (sc *scanner) scan(lines []string, at int, k kind) string {
	line := lines[at]
	line = line[:min(len(line), maxSearched)]
	indent, i := indentOf(line), 0
	sc.opened, sc.ended = bracket{}, false
	if sc.scalar {
		return ""
	}
	if sc.until != "" {
		n := strings.Index(lines[at], sc.until)
		if n < 0 {
			return ""
		}
		i = min(n+len(sc.until), len(line))
		sc.until, sc.ended = "", true
	}
	text := len(line) - len(strings.TrimLeft(line, " \t"))
	if k == remark && !strings.HasPrefix(line[text:], "/*") && !strings.HasPrefix(line[text:], "<!--") {
		return ""
	}
	depth, stop, odd := len(sc.open), len(line), byte(0)
scan:
	for i = max(i, text); i < len(line); {
		c := line[i]
		if open, closing := multiline(line[i:]); open != "" && !slices.Contains(sc.never, closing) {
			n := strings.Index(line[i+len(open):], closing)
			switch {
			case n >= 0:
				i += len(open) + n + len(closing)
				continue
			case sc.closes(lines[at+1:], closing):
				sc.until, sc.remark = closing, open == "/*" || open == "<!--"
				break scan
			}
			i += len(open)
			continue
		}
		switch {
		case c != odd &&
			(c == '"' || c == '\'' && (i == 0 || !isWord(line[i-1]) && line[i-1] != '<' && line[i-1] != '&')):
			n := quoted(line[i:])
			if n == 1 {
				odd = c // no more of them has a partner
			}
			i += n
			continue
		case c == '/' && strings.HasPrefix(line[i:], "//") && (i == 0 || line[i-1] != ':'), c == '#' && i > 0 &&
			line[i-1] == ' ' && strings.HasPrefix(line[i:], "# "):
			stop = i
			break scan
		case strings.IndexByte("([{", c) >= 0 && len(sc.open) < maxOpen:
			sc.open = append(sc.open, bracket{c, c == '{' && literal(lines, at, line[text:i]), indent})
		case strings.IndexByte(")]}", c) >= 0:
			if n := len(sc.open); n > 0 && sc.open[n-1].kind == opener(c) {
				sc.open = sc.open[:n-1]
				depth = min(depth, n-1)
			}
		}
		i++
	}
	if len(sc.open) > depth {
		sc.opened = sc.top()
	}
	end := strings.TrimSpace(line[:stop])
	if scalar(end) {
		sc.scalar, sc.indent = true, indent
	}
	return end
}

// closes reports whether what is open ends in one of lines. Once it does not, it never does.
func (sc *scanner) closes(lines []string, closing string) bool {
	for _, line := range lines {
		if strings.Contains(line, closing) {
			return true
		}
	}
	sc.never = append(sc.never, closing)
	return false
}

// multiline is what opens a comment or a string of several lines at the start of text, and what closes it.
func multiline(text string) (open, closing string) {
	switch text[0] {
	case '/':
		if strings.HasPrefix(text, "/*") {
			return "/*", "*/"
		}
	case '<':
		if strings.HasPrefix(text, "<!--") {
			return "<!--", "-->"
		}
	case '"', '\'', '`':
		if len(text) > 2 && text[1] == text[0] && text[2] == text[0] {
			return text[:3], text[:3]
		}
		if text[0] == '`' {
			return "`", "`"
		}
	}
	return "", ""
}

// quoted is the length of a string that begins text, 1 if it does not end.
func quoted(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[0]:
			return i + 1
		}
	}
	return 1
}

func opener(closer byte) byte {
	switch closer {
	case ')':
		return '('
	case ']':
		return '['
	}
	return '{'
}

// literal reports whether a brace behind before opens a literal and no block.
func literal(lines []string, at int, before string) bool {
	text := strings.TrimSpace(before)
	for i := at - 1; text == "" && i >= 0 && i > at-4; i-- { // it stands alone
		text = strings.TrimSpace(lines[i])
		before = text + " "
	}
	if text == "" {
		return true // a document in JSON
	}
	switch last := text[len(text)-1]; {
	case strings.HasSuffix(text, "=>"), strings.HasSuffix(text, "->"):
		return false
	case strings.IndexByte("=(,:[{}?&|", last) >= 0:
		return true
	case isWord(last):
		word := text[strings.LastIndexFunc(text, func(r rune) bool { return r < 0x80 && !isWord(byte(r)) })+1:]
		return word == "return" || before == text && !typeWords[word]
	case last == ']', last == '>':
		return before == text
	}
	return false
}

// typeWords stand before the body of a type.
var typeWords = words("struct interface enum class union else do try finally")

// scalar reports whether a line of YAML begins a block of text.
func scalar(line string) bool {
	line = strings.TrimRight(line, "+-0123456789")
	return strings.HasSuffix(line, ": |") || strings.HasSuffix(line, ": >") || strings.HasSuffix(line, "- |") ||
		strings.HasSuffix(line, "- >")
}

// kindOf tells comments and decorators from code, by how a line begins.
func kindOf(text string) kind {
	switch {
	case text == "":
		return empty
	case strings.HasPrefix(text, "#["), text[0] == '@' && len(text) > 1 && isWord(text[1]) &&
		!strings.HasSuffix(text, "{"),
		text[0] == '[' && text[len(text)-1] == ']' && len(text) > 2 && (isWord(text[1]) || text[1] == '['):
		return decorator
	case text[0] == '#' && (len(text) == 1 || text[1] == ' ' || text[1] == '#' || text[1] == '!'):
		return remark
	}
	for _, mark := range []string{"//", "/*", "-- ", ";", "<!--", "%%"} {
		if strings.HasPrefix(text, mark) {
			return remark
		}
	}
	return plain
}
