package chunker

import "github.com/contextd/contextd/internal/code"

// gleamTable is the table of Gleam. A string may span lines; there are no block comments and no characters.
func gleamTable() *language {
	gleam := &language{
		lineComments: slashes, quoted: map[byte]stringRule{'"': {escapes: true, lines: true}},
		define: byWords, continues: bracketContinues, annotations: '@', newlines: true,
		words: table("pub opaque", "import case let use assert panic todo echo", kinds{code.KindFunc: "fn"}),
	}
	gleam.words["type"] = word{act: defines, kind: code.KindType, when: nameFollows}
	gleam.words["const"] = word{act: defines, kind: code.KindValue, value: true, when: outsideFunc}
	return gleam
}
