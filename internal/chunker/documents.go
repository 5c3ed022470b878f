package chunker

import (
	"strings"

	"github.com/contextd/contextd/internal/code"
)

// documentLanguages are documents, data, configuration and build files.
func documentLanguages() map[string]*language {
	lineStart := func(s *scan, i, _ int) bool { return s.atLineStart(i) }
	angleComment := []blockComment{{open: "<!--", close: "-->"}}
	sql := &language{
		lineComments: []string{"--"}, blockComments: cBlock,
		quoted: map[byte]stringRule{'\'': {doubled: true, lines: true, bounded: true}}, extra: "$", special: sqlSpecial,
		define: defineSQL, continues: pythonContinues,
	}
	return map[string]*language{
		"markdown": {blockComments: angleComment, define: defineMarkdown, sections: true, continues: pythonContinues},
		"rst":      {define: defineRST, sections: true, continues: pythonContinues},
		"yaml": {lineComments: hash, commentAt: afterBlank, define: defineYAML, indented: true,
			continues: yamlContinues},
		"json": {lineComments: slashes, blockComments: cBlock, strings: `"`, define: defineJSON, newlines: true,
			continues: bracketContinues},
		"toml": {lineComments: hash, quoted: map[byte]stringRule{'"': {escapes: true, triple: true},
			'\'': {triple: true}}, define: defineTOML, sections: true, continues: pythonContinues},
		"ini": {lineComments: []string{"#", ";"}, commentAt: lineStart, define: defineTOML, sections: true,
			continues: pythonContinues},
		"sql":  sql,
		"html": {blockComments: angleComment, define: defineHTML, sections: true, continues: pythonContinues},
		"xml":  {blockComments: angleComment},
		"css": {lineComments: slashes, commentAt: lineStart, blockComments: cBlock, strings: `"'`,
			define: defineCSS, continues: bracketContinues},
		"dockerfile": {lineComments: hash, commentAt: lineStart, define: defineDockerfile, sections: true,
			continues: pythonContinues},
		"makefile": {lineComments: hash, commentAt: afterBlank, define: defineMakefile, indented: true,
			continues: pythonContinues},
		"proto":   schema("message enum service", "rpc", ""),
		"graphql": schemaHash("type input enum interface union scalar", "directive", ""),
		"terraform": {lineComments: []string{"#", "//"}, blockComments: cBlock, strings: `"`, define: defineTerraform,
			newlines: true, continues: bracketContinues},
		"solidity": schema("contract interface library struct enum", "function modifier event error constructor",
			"abstract"),
	}
}

func schema(types, funcs, mods string) *language {
	return &language{
		lineComments: slashes, blockComments: cBlock, strings: `"'`, define: byWords, continues: bracketContinues,
		words: table(mods, "", kinds{code.KindType: types, code.KindFunc: funcs}),
	}
}

func schemaHash(types, funcs, mods string) *language {
	l := schema(types, funcs, mods)
	l.lineComments, l.blockComments = hash, nil
	l.quoted, l.strings, l.docStrings, l.newlines = map[byte]stringRule{'"': {escapes: true, triple: true}},
		"", true, true
	return l
}

// lineText is the source of line ln without its line end and blanks around it.
func (s *scan) lineText(ln int) string {
	end := len(s.src)
	if ln+1 < len(s.lines) {
		end = s.lines[ln+1].start
	}
	return strings.TrimSpace(s.src[s.lines[ln].start:end])
}
