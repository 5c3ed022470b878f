package chunker

import (
	"strings"

	"github.com/contextd/contextd/internal/code"
)

// swiftTable is the table of Swift.
func swiftTable() *language {
	swift := &language{
		lineComments: slashes, blockComments: nestedBlock,
		quoted: map[byte]stringRule{'"': {escapes: true, triple: true, interp: `\(`}}, special: swiftSpecial,
		define: byWords, continues: bracketContinues, annotations: '@', newlines: true, modGroups: true,
		words: table("public private fileprivate internal open static final override mutating nonmutating lazy weak unowned required convenience indirect async nonisolated isolated prefix postfix infix dynamic optional consuming borrowing package distributed", controls+" guard defer repeat", kinds{
			code.KindType: "struct enum protocol actor", code.KindImpl: "extension",
		}),
	}
	swift.words["class"] = word{act: defines, kind: code.KindType, name: func(s *scan, d def, p int) {
		for w, kind := range map[string]code.Kind{"func": code.KindFunc, "var": code.KindValue, "let": code.KindValue} {
			if s.wordAt(p, w) {
				d.kind, d.value = kind, kind == code.KindValue
				nameOrOperator(s, d, s.skip(p+len(w)))
				return
			}
		}
		s.named(d, p)
	}}
	for _, w := range []string{"package", "actor", "prefix", "optional", "distributed"} {
		entry := swift.words[w]
		entry.when = nameFollows
		swift.words[w] = entry
	}
	swift.words["func"] = word{act: defines, kind: code.KindFunc, name: nameOrOperator}
	swift.words["macro"] = word{act: defines, kind: code.KindFunc, when: nameFollows}
	for _, w := range []string{"init", "deinit", "subscript"} {
		swift.words[w] = word{act: defines, kind: code.KindFunc, name: nameItself(w)}
	}
	for _, w := range []string{"let", "var"} {
		swift.words[w] = word{act: defines, kind: code.KindValue, value: true, when: outsideFunc}
	}
	for _, w := range []string{"typealias", "associatedtype"} {
		swift.words[w] = word{act: defines, kind: code.KindType, value: true}
	}
	return swift
}

func swiftSpecial(s *scan, i int, c byte) int {
	j := i
	for j > 0 && s.src[j-1] == '#' {
		j--
	}
	if c != '"' || j == i {
		return i
	}
	quotes := `"`
	if strings.HasPrefix(s.src[i:], `"""`) {
		quotes = `"""`
	}
	return s.inString(i+len(quotes), stringRule{close: quotes + s.src[j:i], lines: len(quotes) == 3})
}
