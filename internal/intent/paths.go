package intent

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Ref is a file that a text mentions.
type Ref struct {
	// separators are "/", no "./" before it; otherwise as written, so it may be a bare name, relative or absolute
	Path  string
	First int // first line, from 1; 0 means that none is named
	Last  int // last line, at least First

	at, end int // where it stands in the text, quotes and lines included
	col     int
}

const (
	maxPath = 512 // bytes over which nothing is a path
	maxTrim = 6   // marks of punctuation that may stand behind a path
)

// Paths finds the files that a text mentions, in order; one that stands there twice is given twice.
//
//	reference = [ quote ] path [ lines ] [ quote ] [ lines ]
//	quote     = ` " ' “” ‘’ «»           a path in quotes may hold spaces
//	path      = segments between "/" or "\", the last of which names a file; file:// URLs, percent escapes resolved;
//	            "./", "../", "~/", "C:\", "\\server\" or "/" may stand before it; so may the "@" of a mention
//	lines     = :L  :L:C  :L-L  :L-:L  #LL  #LL-LL  (L)  (L,C)  , line L  lines L-L
//
// A name is that of a file if it has the extension of one. Beside a directory any extension of small or capital letters
// will do and, after "./", "../", "~/" or before a line, none at all. A few names need neither (Makefile, .gitignore).
// No paths are URLs of other schemes, host names, e-mail addresses, versions, abbreviations, products (Node.js),
// patterns (*.go), ranges of revisions (main..a.go) and extensions alone (.go). Punctuation after a path is no part of
// it, nor are brackets around it; those of names such as app/[id]/page.tsx are.
func Paths(text string) []Ref {
	d := loaded()
	var refs []Ref
	for i := 0; i < len(text); {
		c, size := utf8.DecodeRuneInString(text[i:])
		if shut := closing(c); shut != 0 && !(c == '\'' && i > 0 && letterBefore(text, i)) {
			if ref, ok := d.quoted(text, i, size, shut); ok {
				refs = append(refs, ref)
				i = ref.end
				continue
			}
		}
		if unicode.IsSpace(c) || endsPath(c) {
			i += size
			continue
		}
		end := i
		for end < len(text) && (text[end]|0x20 >= 'a' && text[end]|0x20 <= 'z') { // most of a text
			end++
		}
		for end < len(text) {
			c, size := utf8.DecodeRuneInString(text[end:])
			if unicode.IsSpace(c) || endsPath(c) && !(c == ',' && inLines(text[i:end])) ||
				c == ':' && strings.HasPrefix(text[end:], "://") && !isFileURL(text[i:end]) {
				break
			}
			end += size
		}
		if strings.HasPrefix(text[end:], "://") { // a URL goes on to the next space or quote
			for end < len(text) && text[end] > ' ' && !strings.ContainsRune("\"'`<>", rune(text[end])) {
				end++
			}
			i = end
			continue
		}
		if ref, ok := d.bare(text, i, end); ok {
			refs = append(refs, ref)
			i = max(ref.end, i+size)
			continue
		}
		i = end
	}
	return refs
}

// closing is the quote that ends what c opens, 0 if c is no opening quote.
func closing(c rune) rune {
	switch c {
	case '`', '"', '\'':
		return c
	case '“':
		return '”'
	case '‘':
		return '’'
	case '«':
		return '»'
	}
	return 0
}

// endsPath reports whether c, which is no space, stands in no path outside of quotes.
func endsPath(c rune) bool {
	return strings.ContainsRune("\"'`“”‘’«»<>|,;，、。（）", c) || c == utf8.RuneError
}

// inLines reports whether a comma after s parts line and column: "a.ts(12".
func inLines(s string) bool {
	digits := strings.TrimRight(s, "0123456789")
	return len(digits) < len(s) && len(digits) > 1 && digits[len(digits)-1] == '('
}

func letterBefore(text string, i int) bool {
	c, _ := utf8.DecodeLastRuneInString(text[:i])
	return unicode.IsLetter(c) || unicode.IsDigit(c)
}

func isFileURL(scheme string) bool {
	return strings.EqualFold(strings.TrimLeft(scheme, "(["), "file")
}

// quoted reads the reference in the quotes that open at i.
func (d *data) quoted(text string, i, size int, shut rune) (Ref, bool) {
	body := text[i+size:]
	if len(body) > maxPath {
		body = body[:maxPath]
	}
	n := strings.IndexFunc(body, func(c rune) bool { return c == shut || c == '\n' })
	if n <= 0 || !strings.HasPrefix(body[n:], string(shut)) {
		return Ref{}, false
	}
	ref := Ref{at: i, end: i + size + n + utf8.RuneLen(shut)}
	name := strings.TrimSpace(body[:n])
	name = name[:ref.suffix(name)]
	if ref.Path = d.path(name, true, ref.First > 0); ref.Path == "" {
		return Ref{}, false
	}
	if ref.First == 0 {
		ref.follow(text)
	}
	return ref, true
}

// bare reads the reference in text[i:end], which holds no space and no quote.
func (d *data) bare(text string, i, end int) (Ref, bool) {
	token := text[i:end]
	if len(token) > maxPath || !mayBePath(token) {
		return Ref{}, false
	}
	if k := strings.LastIndex(token, "]("); k >= 0 { // a link of Markdown
		token, i = token[k+2:], i+k+2
	}
	for strings.HasPrefix(token, "**") {
		token, i = token[2:], i+2
	}
	for token != "" && strings.ContainsRune("([{", rune(token[0])) && !balancedStart(token) {
		token, i = token[1:], i+1
	}
	for range maxTrim {
		ref := Ref{at: i}
		n := ref.suffix(token)
		if ref.Path = d.path(token[:n], false, ref.First > 0); ref.Path != "" {
			ref.end = i + len(token)
			if ref.First == 0 {
				ref.follow(text)
			}
			return ref, true
		}
		last := len(token) - 1
		if last < 1 || !strings.ContainsRune(".:!?)]}*_", rune(token[last])) {
			return Ref{}, false
		}
		token = token[:last]
	}
	return Ref{}, false
}

// mayBePath rules out most words cheaply: a path has a dot or a separator, or is one of the names without.
func mayBePath(token string) bool {
	capital := false
	for i := range len(token) {
		switch c := token[i]; {
		case c == '.' || c == '/' || c == '\\':
			return true
		case c >= 'A' && c <= 'Z':
			capital = true
		}
	}
	return capital || strings.Contains(token, "makefile")
}

// balancedStart reports whether the bracket that opens a token is part of a path: "[id]/page.tsx", not "(a.go)".
func balancedStart(token string) bool {
	k := strings.IndexAny(token, ")]}")
	return k > 0 && k+1 < len(token) && token[k+1] == '/'
}
