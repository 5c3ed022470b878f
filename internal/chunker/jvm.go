package chunker

import "github.com/contextd/contextd/internal/code"

// javaTable is the table of Java.
func javaTable() *language {
	java := &language{
		lineComments: slashes, blockComments: cBlock, strings: `"'`,
		quoted: map[byte]stringRule{'"': {escapes: true, triple: true}}, define: byWords, other: callable,
		continues: bracketContinues, annotations: '@', dotted: true, fields: true, localTypes: true, dollars: true,
		words: table("public private protected static final abstract native synchronized transient volatile strictfp default sealed non", controls, kinds{
			code.KindType: "class interface enum record @interface",
		}),
	}
	java.words["default"] = word{act: modifier}
	java.words["record"] = word{act: defines, kind: code.KindType, when: nameFollows}
	return java
}

// groovyTable is the table of Groovy.
func groovyTable() *language {
	return &language{
		lineComments: slashes, blockComments: cBlock,
		quoted: map[byte]stringRule{'"': {escapes: true, triple: true, interp: "${"},
			'\'': {escapes: true, triple: true}}, define: byWords, other: callable, continues: bracketContinues,
		annotations: '@', newlines: true, dotted: true, fields: true, localTypes: true,
		words: table("public private protected static final abstract", controls,
			kinds{code.KindType: "class interface enum trait"}),
	}
}

// dartTable is the table of Dart.
func dartTable() *language {
	dart := &language{
		lineComments: slashes, blockComments: nestedBlock,
		quoted: map[byte]stringRule{'"': {escapes: true, triple: true, interp: "${"},
			'\'': {escapes: true, triple: true, interp: "${"}}, define: byWords, other: callable,
		continues: bracketContinues, annotations: '@', dotted: true, fields: true, localTypes: true,
		words: table("abstract static final const late external factory covariant base sealed get set",
			controls+" export part library", kinds{
				code.KindType: "class mixin enum typedef", code.KindImpl: "extension",
			}),
	}
	dart.words["mixin"] = word{act: defines, kind: code.KindType, name: func(s *scan, d def, p int) {
		if s.wordAt(p, "class") {
			p = s.skip(p + 5)
		}
		s.named(d, p)
	}}
	return dart
}
