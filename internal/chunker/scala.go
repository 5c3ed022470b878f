package chunker

import (
	"strings"

	"github.com/contextd/contextd/internal/code"
)

// scalaTable is the table of Scala.
func scalaTable() *language {
	scala := &language{
		lineComments: slashes, blockComments: nestedBlock,
		quoted: map[byte]stringRule{'"': {escapes: true, triple: true}, '\'': {}}, rawTriple: true,
		special: scalaSpecial, define: byWords, continues: scalaContinues, annotations: '@', newlines: true,
		equalsBody: true, colonBody: true, modGroups: true,
		words: table("private protected implicit lazy override final sealed abstract inline opaque transparent infix open erased extension package", controls, kinds{
			code.KindType: "class trait enum", code.KindModule: "object",
		}),
	}
	scala.words["case"] = word{act: modifier, when: func(s *scan, _, p int) bool {
		q := s.skip(p)
		return s.wordAt(q, "class") || s.wordAt(q, "object")
	}}
	scala.words["package"] = word{act: modifier, when: func(s *scan, _, p int) bool {
		return s.wordAt(s.skip(p), "object")
	}}
	scala.words["type"] = word{act: defines, kind: code.KindType, value: true}
	scala.words["def"] = word{act: defines, kind: code.KindFunc, name: nameOrOperator}
	for _, w := range []string{"val", "var", "given"} {
		scala.words[w] = word{act: defines, kind: code.KindValue, value: true, when: outsideFunc}
	}
	scala.words["given"] = word{act: defines, kind: code.KindImpl, when: nameFollows}
	return scala
}

func scalaSpecial(s *scan, i int, c byte) int {
	switch {
	case c == '\'':
		return s.charOrMark(i)
	case c == '"' && i > 0 && isWord(s.src[i-1]) && !strings.HasPrefix(s.src[i:], `"""`):
		return s.inString(i+1, stringRule{close: `"`, escapes: true, interp: "${"})
	}
	return i
}

func scalaContinues(s *scan, p int) continuation {
	if s.wordAt(p, "end") {
		return lastLine
	}
	return bracketContinues(s, p)
}
