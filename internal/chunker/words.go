package chunker

import (
	"strings"

	"github.com/contextd/contextd/internal/code"
)

// action says what a word at the start of a statement means.
type action uint8

const (
	modifier action = iota // look at the next word
	defines                // a name follows
	stops                  // the statement defines nothing
)

// A word is an entry of a language's table.
type word struct {
	act   action
	kind  code.Kind
	value bool                              // ends with its statement
	name  func(s *scan, d def, p int)       // reads the name at p in its own way
	when  func(s *scan, ln int, p int) bool // whether the word counts here
}

// table builds a table of words. kinds lists "kind: word word"; mods are modifiers, others stop.
func table(mods, others string, kinds map[code.Kind]string) map[string]word {
	m := make(map[string]word)
	for w := range strings.FieldsSeq(mods) {
		m[w] = word{act: modifier}
	}
	for w := range strings.FieldsSeq(others) {
		m[w] = word{act: stops}
	}
	for kind, list := range kinds {
		for w := range strings.FieldsSeq(list) {
			m[w] = word{act: defines, kind: kind, value: kind == code.KindValue}
		}
	}
	return m
}

// byWords is the define function of languages whose definitions begin with a word of their table, after modifiers and
// annotations. What begins otherwise goes to the language's other function.
func byWords(s *scan, ln int) { byWordsAt(s, ln, s.lines[ln].first) }

// byWordsAt is byWords for a statement that begins at p.
func byWordsAt(s *scan, ln, p int) {
	lang, mods := s.lang, 0
	for range 24 {
		c := s.code[p]
		if q := s.annotation(p, c); q > p {
			if q = s.skip(q); s.code[q] == '\n' {
				s.onlyAnnotations, s.consumedTo = true, max(s.consumedTo, s.lineAt(q))
				return
			}
			if s.lineAt(q) > ln {
				s.consumedTo = max(s.consumedTo, s.lineAt(q))
			}
			p = q
			mods++
			continue
		}
		e := s.word(p)
		if c == '@' {
			e = s.word(p + 1) // @interface
		}
		if e == p {
			break
		}
		w, ok := lang.words[string(s.code[p:e])]
		if ok && w.when != nil && !w.when(s, ln, e) {
			ok = false
		}
		if !ok {
			break
		}
		switch w.act {
		case stops:
			return
		case defines:
			d := def{kind: w.kind, line: ln, value: w.value}
			q := s.skip(e)
			if w.name != nil {
				w.name(s, d, q)
				return
			}
			s.named(d, q)
			return
		}
		mods++
		q := s.skip(e)
		if q == e && s.code[q] != '(' && s.code[q] != '[' && s.code[q] != '\n' {
			break
		}
		switch s.code[q] {
		case '(', '[': // pub(crate), private[this]
			if !lang.modGroups {
				break
			}
			if c := s.closeOf(q); c >= 0 {
				q = s.skip(c + 1)
			}
		case '"': // extern "C"
			if k := strings.IndexByte(s.src[q+1:min(q+20, len(s.src))], '"'); k >= 0 {
				q = s.skip(q + k + 2)
			}
		case '\n':
			if lang.newlines || q+1 >= len(s.src) {
				return
			}
		}
		p = q
	}
	if lang.other != nil {
		lang.other(s, ln, p, mods)
	}
}

// annotation is the offset after the annotation, attribute or decorator that begins with c at p; p where there is none.
func (s *scan) annotation(p int, c byte) int {
	switch {
	case c == '@' && s.lang.annotations == '@':
		q := p + 1
		for isWord(s.code[q]) || s.code[q] == '.' || s.code[q] == ':' {
			q++
		}
		if q == p+1 || string(s.code[p+1:q]) == "interface" {
			return p
		}
		if k := s.skip(q); s.code[k] == '(' {
			if c := s.closeOf(k); c >= 0 {
				return c + 1
			}
		}
		return q
	case c == '#' && s.lang.annotations == '#': // #[…], #![…]
		q := p + 1
		if s.code[q] == '!' {
			q++
		}
		if s.code[q] == '[' {
			if c := s.closeOf(q); c >= 0 {
				return c + 1
			}
		}
	case c == '[' && s.lang.annotations == '[':
		if c := s.closeOf(p); c >= 0 {
			return c + 1
		}
	}
	return p
}

// named reads a plain or qualified name at p and adds d with it.
func (s *scan) named(d def, p int) {
	if s.code[p] == ':' && s.code[p+1] == ':' {
		p += 2 // ::Name of Ruby
	}
	for s.code[p] == '*' || s.code[p] == '&' {
		p = s.skip(p + 1)
	}
	if s.code[p] == '\n' {
		return
	}
	if s.code[p] == '`' { // a quoted name
		q := p + 1
		for s.code[q] != '`' && s.code[q] != '\n' {
			q++
		}
		d.name, d.at, d.after = s.src[p+1:q], p, min(q+1, len(s.src))
		s.add(d)
		return
	}
	first := p
	for {
		e := s.word(p)
		if e == p {
			return
		}
		sep := s.separator(e)
		if sep > e && isWord(s.code[sep]) {
			p = sep
			continue
		}
		d.name, d.at, d.after = s.src[p:e], p, e
		if p > first {
			d.parent = strings.TrimRight(s.src[first:p], `.:\#`)
		}
		s.add(d)
		return
	}
}
