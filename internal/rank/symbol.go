package rank

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contextd/contextd/internal/lexical"
)

// Symbol is an identifier or a qualified name such as "Server::run".
type Symbol struct {
	Name      string
	Qualifier string // what stands before the name, its last part; "" for none
}

// qualifiers join the names of a symbol, in the languages we know.
var qualifiers = []string{"::", "->", ".", `\`, "#", "/"}

// symbol reads a text that is nothing but a name, or names joined by qualifiers; "!", "?" or "=" and "()" may follow.
// nil for any other text.
func symbol(text string) *Symbol {
	if len(text) > 2*lexical.MaxIdent {
		return nil
	}
	s, rest := &Symbol{}, text
	for {
		n := nameLength(rest, s.Name == "")
		if n == 0 {
			return nil
		}
		s.Qualifier, s.Name, rest = s.Name, rest[:n], rest[n:]
		sign := qualifierOf(rest)
		if sign == 0 {
			break
		}
		rest = rest[sign:]
	}
	if rest != "" && strings.IndexByte("!?=", rest[0]) >= 0 {
		rest = rest[1:]
	}
	if rest != "" && rest != "()" {
		return nil
	}
	s.Name = strings.TrimLeft(s.Name, "@")
	if name := strings.TrimLeft(s.Name, "$@"); name != "" { // "$" alone is a name
		s.Name = name
	}
	return s
}

// nameLength is the length of the name that text begins with; 0 for none. A first one may begin with "@".
func nameLength(text string, first bool) int {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if !(unicode.IsLetter(r) || r == '_' || r == '$' || i > 0 && unicode.IsNumber(r) ||
			i == 0 && first && r == '@') {
			return i
		}
		i += n
	}
	return len(text)
}

// qualifierOf is the length of the qualifier that text begins with; 0 for none.
func qualifierOf(text string) int {
	for _, q := range qualifiers {
		if strings.HasPrefix(text, q) {
			return len(q)
		}
	}
	return 0
}
