package chunker

import (
	"strings"

	"github.com/contextd/contextd/internal/code"
)

// rustTable is the table of Rust.
func rustTable() *language {
	rust := &language{
		lineComments: slashes, blockComments: nestedBlock,
		quoted: map[byte]stringRule{'"': {escapes: true, lines: true}, '\'': {}}, special: rustSpecial, define: byWords,
		continues: bracketContinues, annotations: '#', modGroups: true,
		words: table("pub async unsafe extern default const auto", "", kinds{
			code.KindFunc: "fn macro", code.KindType: "struct enum union trait", code.KindModule: "mod",
			code.KindValue: "static", code.KindImpl: "impl",
		}),
	}
	rust.words["type"] = word{act: defines, kind: code.KindType, value: true}
	rust.words["impl"] = word{act: defines, kind: code.KindImpl, name: nameRustImpl}
	rust.words["macro_rules"] = word{act: defines, kind: code.KindFunc, name: func(s *scan, d def, p int) {
		if s.code[p] == '!' {
			s.named(d, s.skip(p+1))
		}
	}}
	rust.words["static"] = word{act: defines, kind: code.KindValue, value: true, name: nameRustValue, when: outsideFunc}
	rust.words["const"] = word{act: defines, kind: code.KindValue, value: true, name: nameRustValue, when: outsideFunc}
	return rust
}

// rustSpecial tells a character from a lifetime and reads raw strings.
func rustSpecial(s *scan, i int, c byte) int {
	switch c {
	case '\'':
		return s.charOrMark(i)
	case '"':
		j := i
		for j > 0 && s.src[j-1] == '#' {
			j--
		}
		if j > 0 && s.src[j-1] == 'r' && (j < 2 || !isWord(s.src[j-2]) || s.src[j-2] == 'b' || s.src[j-2] == 'c') {
			return s.inString(i+1, stringRule{close: `"` + s.src[j:i], lines: true})
		}
	}
	return i
}

// charOrMark reads a character literal at i; a quote that is none (a lifetime, a prime) is passed over.
func (s *scan) charOrMark(i int) int {
	src := s.src[i+1 : min(i+14, len(s.src))]
	if src == "" {
		return i + 1
	}
	if src[0] == '\\' {
		if k := strings.IndexByte(src[min(2, len(src)):], '\''); k >= 0 {
			s.mask(i+1, i+3+k, hidString)
			return i + 4 + k
		}
		return i + 1
	}
	n := 1
	for n < len(src) && src[n]&0xC0 == 0x80 {
		n++
	}
	if n < len(src) && src[n] == '\'' && src[0] != '\n' {
		s.mask(i+1, i+1+n, hidString)
		return i + 2 + n
	}
	return i + 1
}

// nameRustImpl names an impl block by its type: "impl<T> Trait for Type<T>".
func nameRustImpl(s *scan, d def, p int) {
	if s.code[p] == '<' {
		p = s.skip(s.angles(p))
	}
	end := min(p+400, len(s.src))
	for q := p; q < end; q++ {
		switch c := s.code[q]; {
		case c == '{' || c == ';' || s.wordAt(q, "where"):
			end = q
		case s.wordAt(q, "for") && s.code[s.skip(q+3)] != '<':
			p = q + 3
		}
	}
	for p < end && !isWord(s.code[p]) || s.wordAt(p, "mut") || s.wordAt(p, "dyn") {
		if s.code[p] == '\'' { // a lifetime
			p++
		}
		p = max(p+1, s.word(p))
	}
	for {
		e := s.word(p)
		if e == p || e > end {
			return
		}
		if s.code[e] == ':' && s.code[e+1] == ':' {
			p = e + 2
			continue
		}
		d.name, d.after = s.src[p:e], e
		s.add(d)
		return
	}
}

// nameRustValue reads the name of a constant; "const fn" is a function.
func nameRustValue(s *scan, d def, p int) {
	for s.wordAt(p, "mut") || s.wordAt(p, "ref") {
		p = s.skip(p + 3)
	}
	for _, w := range []string{"fn", "unsafe", "async", "extern"} {
		if s.wordAt(p, w) {
			d.kind, d.value = "func", false
			for range 4 {
				e := s.word(p)
				if p = s.skip(e); s.code[p] == '"' {
					p = s.skip(p + 2 + max(0, strings.IndexByte(s.src[p+1:min(p+20, len(s.src))], '"')))
				}
				if e >= 2 && string(s.code[e-2:e]) == "fn" {
					break
				}
			}
			break
		}
	}
	if !s.wordAt(p, "_") {
		s.named(d, p)
	}
}

// wordAt reports whether the word w is at p.
func (s *scan) wordAt(p int, w string) bool {
	return p+len(w) <= len(s.src) && string(s.code[p:p+len(w)]) == w && !isWord(s.code[p+len(w)]) &&
		(p == 0 || !isWord(s.code[p-1]))
}
