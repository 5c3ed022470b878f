package chunker

import "github.com/contextd/contextd/internal/code"

// kotlinTable is the table of Kotlin.
func kotlinTable() *language {
	kotlin := &language{
		lineComments: slashes, blockComments: nestedBlock, strings: "'",
		quoted: map[byte]stringRule{'"': {escapes: true, triple: true, interp: "${"}}, rawTriple: true, define: byWords,
		continues: bracketContinues, annotations: '@', newlines: true, equalsBody: true, modGroups: true,
		words: table("public private protected internal open abstract final sealed data inner override suspend inline noinline crossinline operator infix tailrec external expect actual const lateinit companion annotation", controls, kinds{
			code.KindType: "class interface", code.KindModule: "object",
		}),
	}
	for _, w := range []string{"enum", "value"} {
		kotlin.words[w] = word{act: modifier, when: wordFollows}
	}
	kotlin.words["object"] = word{act: defines, kind: code.KindModule, name: func(s *scan, d def, p int) {
		if s.code[p] == '{' || s.code[p] == ':' { // a companion without a name
			d.name, d.after = "Companion", p
			s.add(d)
			return
		}
		s.named(d, p)
	}}
	kotlin.words["fun"] = word{act: defines, kind: code.KindFunc, name: nameKotlin}
	kotlin.words["constructor"] = word{act: defines, kind: code.KindFunc, name: nameItself("constructor")}
	for _, w := range []string{"val", "var"} {
		kotlin.words[w] = word{act: defines, kind: code.KindValue, value: true, name: nameKotlin, when: outsideFunc}
	}
	kotlin.words["typealias"] = word{act: defines, kind: code.KindType, value: true}
	return kotlin
}

func nameKotlin(s *scan, d def, p int) {
	if s.wordAt(p, "interface") { // fun interface
		d.kind = code.KindType
		s.named(d, s.skip(p+len("interface")))
		return
	}
	if s.code[p] == '<' {
		p = s.skip(s.angles(p))
	}
	receiver := ""
	for range 8 {
		e := s.word(p)
		if s.code[p] == '`' {
			d.parent = receiver
			s.named(d, p)
			return
		}
		if e == p {
			return
		}
		name := s.src[p:e]
		q := e
		if s.code[q] == '<' {
			q = s.angles(q)
		}
		if s.code[q] == '?' {
			q++
		}
		if s.code[q] != '.' {
			d.name, d.parent, d.at, d.after = name, receiver, p, q
			s.add(d)
			return
		}
		receiver, p = name, q+1
	}
}
