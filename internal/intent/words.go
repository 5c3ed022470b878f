package intent

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// word is one word of the prose. Paths, URLs, code spans and identifiers are words too, which no phrase matches.
type word struct {
	text    string // lower case, no apostrophes
	id      int32  // number in data, typos forgiven; -1: no word of any phrase
	clause  int32
	start   bool // begins its clause
	opens   bool // begins its sentence
	capital bool
	ident   bool
}

// scan reads the words of r.text[at:end], a line of prose.
func (r *reader) scan(at, end int) {
	nameEnd := -1 // where the last word ended, if it was a name
	for i := at; i < end; {
		for r.next < len(r.paths) && r.paths[r.next].end <= i {
			r.next++
		}
		if r.next < len(r.paths) && r.paths[r.next].at <= i {
			i = r.paths[r.next].end
			r.addOpaqueWord()
			continue
		}
		c, size := utf8.DecodeRuneInString(r.text[i:end])
		if n := dateAt(r.text[i:end]); n > 0 && (i == at || !joins(r.text[i-1])) {
			r.entity(Date, r.text[i:i+n])
			r.addOpaqueWord()
			i += n
			continue
		}
		switch {
		case c == '`':
			span := r.text[i+1 : end]
			if k := strings.IndexByte(span, '`'); k >= 0 {
				r.idents(span[:k])
				r.addOpaqueWord()
				i += k + 2
				continue
			}
		case isWord(c) && c != '\'' && c != '’':
			stop := r.token(i, end, &nameEnd)
			i = max(stop, i+size)
			continue
		case c == '?' || c == '？' || c == '؟' || c == '¿' || c == '!' || c == '.' || c == '。' || c == '！':
			if c == '?' && r.isMark(i, at, end) || c == '？' || c == '؟' {
				r.asks = true
			}
			r.clause++
			r.start, r.opens = true, true
		case c == ',' || c == ';' || c == ':' || c == '(' || c == ')' || c == '"' || c == '—' || c == '–' ||
			c == '，' || c == '、':
			r.clause++
			r.start = true
		}
		i += size
	}
}

// isMark reports whether the question mark at i ends a question: not one of code (a ? b : c) or of a URL.
func (r *reader) isMark(i, at, end int) bool {
	rest := strings.TrimLeft(r.text[i:end], "?!")
	if strings.TrimSpace(rest) == "" {
		return true
	}
	return i > at && r.text[i-1] != ' ' && strings.ContainsAny(rest[:1], " \t\"')*_")
}

// joins reports whether a byte joins what stands behind it to a word before.
func joins(c byte) bool {
	return c == '_' || c == '-' || c == '/' || c == '.' || c == '\'' || c >= 0x80 || c >= '0' && c <= '9' ||
		c|0x20 >= 'a' && c|0x20 <= 'z'
}

func isWord(c rune) bool {
	return c == '_' || c == '\'' || c == '’' || unicode.IsLetter(c) || unicode.IsDigit(c) ||
		unicode.Is(unicode.Mn, c) || unicode.Is(unicode.Mc, c)
}

// token reads the word at i and gives where it ends.
func (r *reader) token(i, end int, nameEnd *int) int {
	at, dotted := i, false
	for i < end {
		c, size := utf8.DecodeRuneInString(r.text[i:end])
		if joint := jointAt(r.text[i:end]); joint > 0 && i > at {
			dotted = true
			size = joint
		} else if !isWord(c) || c == utf8.RuneError {
			break
		}
		i += size
	}
	if i == at {
		return at
	}
	raw := strings.TrimRight(r.text[at:i], "'’")
	rest := r.text[i:end]
	switch {
	case strings.HasPrefix(rest, "://") || strings.HasPrefix(raw, "www."), len(rest) > 1 && rest[0] == '@' &&
		rest[1] > ' ':
		r.addOpaqueWord()
		if k := strings.IndexAny(rest, " \t<>\"|"); k >= 0 {
			return i + k
		}
		return end
	case dotted && abbreviation(raw):
		return i
	case isTicket(raw, rest):
		n := 1
		for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
			n++
		}
		r.entity(Identifier, raw+rest[:n])
		r.addOpaqueWord()
		return i + n
	case dotted || isIdent(raw) || strings.HasPrefix(rest, "(") && !strings.HasPrefix(rest, "(s)"):
		r.entity(Identifier, raw)
		r.addOpaqueWord()
		return i + call(rest)
	}
	r.word(raw, at, nameEnd, i)
	return i
}

// jointAt is the length of what joins two parts of a dotted name at the beginning of s: "." or "::" before a letter.
func jointAt(s string) int {
	n := 0
	switch {
	case strings.HasPrefix(s, "::"):
		n = 2
	case s[0] == '.':
		n = 1
	default:
		return 0
	}
	if c, _ := utf8.DecodeRuneInString(s[n:]); unicode.IsLetter(c) || c == '_' {
		return n
	}
	return 0
}

// word adds a word of prose.
func (r *reader) word(raw string, at int, nameEnd *int, end int) {
	text := strings.ToLower(raw)
	if strings.ContainsAny(text, "'’") {
		text = strings.NewReplacer("'", "", "’", "").Replace(text)
	}
	d := r.data
	first, _ := utf8.DecodeRuneInString(raw)
	w := word{text: text, id: d.lookup(text), clause: r.clause, start: r.start, opens: r.opens,
		capital: unicode.IsUpper(first)}
	if w.capital && len(raw) > 1 && w.id < 0 && !d.stop[text] && (!r.opens || *nameEnd >= 0) {
		if *nameEnd == at-1 && r.text[at-1] == ' ' && len(r.entities) > 0 &&
			r.entities[len(r.entities)-1].Kind == Name {
			r.entities[len(r.entities)-1].Text += " " + raw
		} else {
			r.entity(Name, raw)
		}
		*nameEnd = end
	} else {
		*nameEnd = -1
	}
	r.words = append(r.words, w)
	through := d.lead[text] || d.greets[text]
	r.start, r.opens = r.start && through, r.opens && through
}

// addOpaqueWord adds a word that no phrase matches.
func (r *reader) addOpaqueWord() {
	r.words = append(r.words, word{id: -1, clause: r.clause, ident: true})
	r.start, r.opens = false, false
}
