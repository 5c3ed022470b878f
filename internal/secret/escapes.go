package secret

import (
	"context"
	"sort"
	"strings"
	"unicode/utf8"
)

// decoded is a text with its escapes read: %3D, \u003d, \x3d, &#61; and =3D are one character, and what only colours
// text or moves a terminal's cursor is left out. It knows where each byte stood before.
type decoded struct {
	text  string
	parts []part // nil: the text as it stood
}

// part says that the text from byte at on, up to the next part, is what stood from source on; if width is not 0, it is
// one character that was written in so many bytes.
type part struct{ at, source, width int }

func (v *decoded) scan(ctx context.Context) *scanner {
	return &scanner{ctx: ctx, text: v.text, view: v}
}

// joint reports whether an escape was read right before a place, or stood there: no word goes on over it.
func (v *decoded) joint(at int) bool {
	i := v.part(at)
	return i > 0 && v.parts[i].at == at
}

// part is the index of the part that holds a byte; -1 in a text as it stood.
func (v *decoded) part(at int) int {
	return sort.Search(len(v.parts), func(i int) bool { return v.parts[i].at > at }) - 1
}

// source is where text[start:end] stood, which is not empty.
func (v *decoded) source(start, end int) (from, to int) {
	if v.parts == nil {
		return start, end
	}
	first, last := v.parts[v.part(start)], v.parts[v.part(end-1)]
	if last.width > 0 {
		return first.source + start - first.at, last.source + last.width
	}
	return first.source + start - first.at, last.source + end - last.at
}

// unescape reads the escapes of a text; nil where it has none.
func unescape(text string) *decoded {
	var v *decoded
	var b strings.Builder
	done := 0 // text[:done] is in b
	for i := 0; i < len(text); {
		switch text[i] {
		case '%', '\\', '&', '=', '^', 0x1b, 0xc2, 0xe2, 0xef:
		default:
			i++
			continue
		}
		c, width := escape(text[i:])
		if width == 0 {
			i++
			continue
		}
		if v == nil {
			v = &decoded{parts: []part{{}}}
			b.Grow(len(text))
		}
		b.WriteString(text[done:i])
		if c != 0 {
			v.parts = append(v.parts, part{b.Len(), i, width})
			b.WriteByte(c)
		}
		i += width
		done = i
		if last := &v.parts[len(v.parts)-1]; last.at == b.Len() {
			*last = part{b.Len(), i, 0} // several escapes in a row that say nothing
		} else {
			v.parts = append(v.parts, part{b.Len(), i, 0})
		}
	}
	if v == nil {
		return nil
	}
	b.WriteString(text[done:])
	v.text = b.String()
	return v
}

// escape reads the escape that s begins with: the character and the bytes it takes. The character is 0 for what shows
// nothing; width is 0 where there is no escape.
func escape(s string) (c byte, width int) {
	switch s[0] {
	case '%':
		i := 1
		for strings.HasPrefix(s[i:], "25") && len(s) > i+3 && hexValue(s[i+2:i+4]) > 0 { // %253D
			i += 2
		}
		return plain(s, i, "")
	case '=':
		return plain(s, 1, "")
	case '&':
		if strings.HasPrefix(s, "&#x") || strings.HasPrefix(s, "&#X") {
			return plain(s, 3, ";")
		}
		if strings.HasPrefix(s, "&#") {
			n, i := 0, 2
			for i < min(len(s), 7) && '0' <= s[i] && s[i] <= '9' {
				n, i = n*10+int(s[i]-'0'), i+1
			}
			if i < len(s) && s[i] == ';' && printed(n) {
				return byte(n), i + 1
			}
		}
		return 0, 0
	case '\\':
		return backslash(s)
	case '^':
		if n := control(s, "^["); n > 0 {
			return 0, n
		}
		return 0, 0
	case 0x1b:
		return 0, control(s, "\x1b")
	}
	if r, n := utf8.DecodeRuneInString(s); r == 0xad || 0x200b <= r && r <= 0x200d || r == 0x2060 || r == 0xfeff {
		return 0, n // nobody sees it
	}
	return 0, 0
}

func backslash(s string) (c byte, width int) {
	for _, start := range []string{`\x1b`, `\x1B`, `\u001b`, `\u001B`, `\033`, `\e`} {
		if n := control(s, start); n > 0 {
			return 0, n
		}
	}
	if len(s) < 4 {
		return 0, 0
	}
	switch s[1] {
	case 'x':
		return plain(s, 2, "")
	case 'u':
		if strings.HasPrefix(s[2:], "00") {
			return plain(s, 4, "")
		}
		if s[2] == '{' {
			return plain(s, 3, "}")
		}
	case 'U':
		if strings.HasPrefix(s[2:], "000000") {
			return plain(s, 8, "")
		}
	}
	return 0, 0
}

// control is the length of a terminal's control sequence that begins with start and "["; 0 if there is none.
func control(s, start string) int {
	rest, ok := strings.CutPrefix(s, start+"[")
	if !ok {
		return 0
	}
	for i := range min(len(rest), maxEscape) {
		if c := rest[i]; c >= '@' && c <= '~' {
			return len(start) + 1 + i + 1
		} else if c < ' ' || c > '?' {
			return 0
		}
	}
	return 0
}

// plain reads the two hexadecimal digits at s[at], with end behind them.
func plain(s string, at int, end string) (c byte, width int) {
	if len(s) < at+2 || !strings.HasPrefix(s[at+2:], end) {
		return 0, 0
	}
	if v := hexValue(s[at : at+2]); printed(v) {
		return byte(v), at + 2 + len(end)
	}
	return 0, 0
}

// printed reports whether a character may stand in a secret or between its lines.
func printed(c int) bool { return c == '\n' || c == '\r' || c == '\t' || ' ' <= c && c < 0x7f }

// hexValue is what two hexadecimal digits are; -1 if they are none.
func hexValue(s string) (v int) {
	for i := range len(s) {
		at := strings.IndexByte(hexDigits, s[i])
		if at < 0 {
			return -1
		}
		if at > 15 {
			at -= 6
		}
		v = v<<4 | at
	}
	return v
}
