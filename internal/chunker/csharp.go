package chunker

import (
	"strings"

	"github.com/contextd/contextd/internal/code"
)

// csharpTable is the table of C#.
func csharpTable() *language {
	csharp := &language{
		lineComments: slashes, blockComments: cBlock, strings: `'`,
		quoted: map[byte]stringRule{'"': {escapes: true, triple: true}}, longQuotes: true, rawTriple: true, extra: "#",
		special: csharpSpecial, define: byWords, other: callable, continues: bracketContinues, annotations: '[',
		dotted: true, fields: true, properties: true, splitHeads: true, localTypes: true,
		words: table("public private protected internal static readonly sealed abstract virtual override async extern unsafe partial new volatile const event required file implicit explicit ref", controls+" lock fixed checked get set add init remove", kinds{
			code.KindType: "class struct interface enum", code.KindModule: "namespace",
		}),
	}
	for _, w := range []string{
		"new", "this", "async", "await", "add", "remove", "get", "set", "init", "file", "required",
	} {
		delete(csharp.words, w)
	}
	for _, w := range []string{"new", "async", "file", "required", "ref"} {
		csharp.words[w] = word{act: modifier, when: nameFollows}
	}
	csharp.words["record"] = word{act: defines, kind: code.KindType, when: nameFollows, name: func(
		s *scan, d def, p int,
	) {
		if s.wordAt(p, "struct") || s.wordAt(p, "class") {
			p = s.skip(s.word(p))
		}
		s.named(d, p)
	}}
	csharp.words["delegate"] = word{act: defines, kind: code.KindType, value: true, name: func(s *scan, d def, p int) {
		for q, e := p, p; q < len(s.src) && s.code[q] != '\n' && s.code[q] != ';'; q++ {
			if isWord(s.code[q]) {
				e = s.word(q)
				if k := s.skip(e); s.code[k] == '(' || s.code[k] == '<' && s.code[s.skip(s.angles(k))] == '(' {
					d.name, d.at, d.after = s.src[q:e], q, e
					s.add(d)
					return
				}
				q = e - 1
			}
		}
	}}
	return csharp
}

func csharpSpecial(s *scan, i int, c byte) int {
	if c == '#' {
		if !s.atLineStart(i) {
			return i
		}
		s.conditional(s.skipSrc(i + 1))
		end := i + 1
		for end < len(s.src) && s.src[end] != '\n' {
			end++
		}
		s.mask(i, end, hidComment) // a directive may stand anywhere, like a comment
		return end
	}
	if c != '"' || i == 0 {
		return i
	}
	a, b := s.src[i-1], byte(0)
	if i > 1 {
		b = s.src[i-2]
	}
	switch {
	case a == '@' && b == '$' || a == '$' && b == '@':
		return s.inString(i+1, stringRule{close: `"`, doubled: true, lines: true, interp: "{"})
	case a == '@':
		return s.inString(i+1, stringRule{close: `"`, doubled: true, lines: true})
	case a == '$' && !strings.HasPrefix(s.src[i:], `"""`):
		return s.inString(i+1, stringRule{close: `"`, escapes: true, interp: "{"})
	}
	return i
}
