package chunker

import (
	"strings"

	"github.com/contextd/contextd/internal/code"
)

// zigTable is the table of Zig.
func zigTable() *language {
	zig := &language{
		lineComments: slashes, strings: `"'`, extra: `\`, special: func(s *scan, i int, c byte) int {
			if c == '\\' && i+1 < len(s.src) && s.src[i+1] == '\\' {
				return s.inString(i, stringRule{close: "\n"}) // a line of a long string; stops before the line end
			}
			return i
		},
		define: byWords, continues: bracketContinues, noBody: func(s *scan, d def, p int) bool {
			return d.kind == code.KindFunc && (s.endsWith(p, "error") || s.endsWith(p, "struct"))
		},
		words: table("pub export extern inline noinline threadlocal comptime",
			"if for while switch return usingnamespace", kinds{code.KindFunc: "fn"}),
	}
	for _, w := range []string{"const", "var"} {
		zig.words[w] = word{act: defines, kind: code.KindValue, value: true, name: nameZig}
	}
	zig.words["test"] = word{act: defines, kind: code.KindFunc, name: nameQuoted}
	return zig
}

func nameZig(s *scan, d def, p int) {
	e := s.word(p)
	q := s.skip(e)
	if e == p || s.inFunc() {
		return
	}
	d.name, d.at, d.after = s.src[p:e], p, e
	if s.code[q] == '=' {
		v := s.skip(q + 1)
		for _, w := range []string{"packed", "extern"} {
			if s.wordAt(v, w) {
				v = s.skip(v + len(w))
			}
		}
		switch string(s.code[v:s.word(v)]) {
		case "struct", "enum", "union", "opaque", "error":
			d.kind, d.value, d.after = code.KindType, false, v
		}
		if strings.HasPrefix(s.src[v:], "@import") {
			return
		}
		if s.isReimport(v, d.name) {
			return
		}
	}
	s.add(d)
}

func (s *scan) isReimport(p int, name string) bool {
	e := s.word(p)
	dotted := false
	for e > p && s.code[e] == '.' {
		dotted = true
		p = e + 1
		e = s.word(p)
	}
	return dotted && s.code[e] == ';' && s.src[p:e] == name
}
