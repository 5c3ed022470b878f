package chunker

import (
	"github.com/contextd/contextd/internal/code"
)

// jvmLanguages are those that look like Kotlin, C# or Swift.
func jvmLanguages() map[string]*language {
	kotlin := &language{
		lineComments: slashes, blockComments: nestedBlock, strings: "'", quoted: map[byte]str{'"': {escapes: true, triple: true, interp: "${"}}, rawTriple: true,
		define: byWords, continues: bracketContinues, annotations: '@', newlines: true, equalsBody: true, modGroups: true,
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

	csharp := &language{
		lineComments: slashes, blockComments: cBlock, strings: `'`, quoted: map[byte]str{'"': {escapes: true, triple: true}}, longQuotes: true, rawTriple: true,
		extra: "#", special: csharpSpecial,
		define: byWords, other: callable, continues: bracketContinues, annotations: '[', dotted: true, fields: true, properties: true, splitHeads: true, localTypes: true,
		words: table("public private protected internal static readonly sealed abstract virtual override async extern unsafe partial new volatile const event required file implicit explicit ref", controls+" lock fixed checked get set add init remove", kinds{
			code.KindType: "class struct interface enum", code.KindModule: "namespace",
		}),
	}
	for _, w := range []string{"new", "this", "async", "await", "add", "remove", "get", "set", "init", "file", "required"} {
		delete(csharp.words, w)
	}
	for _, w := range []string{"new", "async", "file", "required", "ref"} {
		csharp.words[w] = word{act: modifier, when: nameFollows}
	}
	csharp.words["record"] = word{act: defines, kind: code.KindType, when: nameFollows, name: func(s *scan, d def, p int) {
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

	swift := &language{
		lineComments: slashes, blockComments: nestedBlock, quoted: map[byte]str{'"': {escapes: true, triple: true, interp: `\(`}}, special: swiftSpecial,
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

	scala := &language{
		lineComments: slashes, blockComments: nestedBlock, quoted: map[byte]str{'"': {escapes: true, triple: true}, '\'': {}}, rawTriple: true, special: scalaSpecial,
		define: byWords, continues: scalaContinues, annotations: '@', newlines: true, equalsBody: true, colonBody: true, modGroups: true,
		words: table("private protected implicit lazy override final sealed abstract inline opaque transparent infix open erased extension package", controls, kinds{
			code.KindType: "class trait enum", code.KindModule: "object",
		}),
	}
	scala.words["case"] = word{act: modifier, when: func(s *scan, _, p int) bool { q := s.skip(p); return s.wordAt(q, "class") || s.wordAt(q, "object") }}
	scala.words["package"] = word{act: modifier, when: func(s *scan, _, p int) bool { return s.wordAt(s.skip(p), "object") }}
	scala.words["type"] = word{act: defines, kind: code.KindType, value: true}
	scala.words["def"] = word{act: defines, kind: code.KindFunc, name: nameOrOperator}
	for _, w := range []string{"val", "var", "given"} {
		scala.words[w] = word{act: defines, kind: code.KindValue, value: true, when: outsideFunc}
	}
	scala.words["given"] = word{act: defines, kind: code.KindImpl, when: nameFollows}

	dart := &language{
		lineComments: slashes, blockComments: nestedBlock, quoted: map[byte]str{'"': {escapes: true, triple: true, interp: "${"}, '\'': {escapes: true, triple: true, interp: "${"}},
		define: byWords, other: callable, continues: bracketContinues, annotations: '@', dotted: true, fields: true, localTypes: true,
		words: table("abstract static final const late external factory covariant base sealed get set", controls+" export part library", kinds{
			code.KindType: "class mixin enum typedef", code.KindImpl: "extension",
		}),
	}
	dart.words["mixin"] = word{act: defines, kind: code.KindType, name: func(s *scan, d def, p int) {
		if s.wordAt(p, "class") {
			p = s.skip(p + 5)
		}
		s.named(d, p)
	}}

	php := &language{
		lineComments: []string{"//", "#"}, blockComments: cBlock, commentAt: func(s *scan, i, n int) bool { return n == 2 || i+1 >= len(s.src) || s.src[i+1] != '[' },
		quoted: map[byte]str{'"': {escapes: true, lines: true, loose: true, interp: "{$"}, '\'': {escapes: true, lines: true, loose: true}}, extra: "?<", special: phpSpecial,
		start:  func(s *scan) int { return s.phpText(0) },
		define: byWords, other: phpProperty, continues: bracketContinues, annotations: '#',
		words: table("public private protected static final abstract readonly var", "if else elseif for foreach while do switch case return echo throw new use try catch require include", kinds{
			code.KindType: "class interface trait enum", code.KindFunc: "function", code.KindModule: "namespace",
		}),
	}
	php.words["const"] = word{act: defines, kind: code.KindValue, value: true, name: func(s *scan, d def, p int) {
		if e := s.word(p); isWord(s.code[s.skip(e)]) { // const string NAME
			p = s.skip(e)
		}
		s.named(d, p)
	}}
	php.words["enum"] = word{act: defines, kind: code.KindType, when: nameFollows}
	return map[string]*language{"kotlin": kotlin, "csharp": csharp, "swift": swift, "scala": scala, "dart": dart, "php": php, "groovy": groovy()}
}

func groovy() *language {
	return &language{
		lineComments: slashes, blockComments: cBlock, quoted: map[byte]str{'"': {escapes: true, triple: true, interp: "${"}, '\'': {escapes: true, triple: true}},
		define: byWords, other: callable, continues: bracketContinues, annotations: '@', newlines: true, dotted: true, fields: true, localTypes: true,
		words: table("public private protected static final abstract", controls, kinds{code.KindType: "class interface enum trait"}),
	}
}

// functionalLanguages are those whose definitions end by indent or a word, and Zig.
func functionalLanguages() map[string]*language {
	elixir := &language{
		lineComments: hash, quoted: map[byte]str{'"': {escapes: true, lines: true, loose: true, triple: true, interp: "#{"}, '\'': {escapes: true, lines: true, loose: true, triple: true}},
		docStrings: true, extra: "~", special: elixirSpecial,
		define: defineElixir, continues: rubyContinues, indented: true,
		words: table("", "", kinds{
			code.KindFunc: "def defp defmacro defmacrop defguard defguardp defdelegate defn defnp", code.KindModule: "defmodule", code.KindType: "defprotocol", code.KindImpl: "defimpl",
		}),
	}
	haskell := &language{
		lineComments: []string{"--"}, blockComments: []blockComment{{open: "{-", close: "-}", nested: true}}, strings: `"`, quoted: map[byte]str{'\'': {}},
		commentAt: func(s *scan, i, n int) bool {
			j := i + n
			for j < len(s.src) && s.src[j] == '-' {
				j++
			}
			return j >= len(s.src) || !isHaskellSymbol(s.src[j])
		},
		special: func(s *scan, i int, c byte) int {
			if c == '\'' {
				if i > 0 && isWord(s.src[i-1]) {
					return i + 1
				}
				return s.charOrMark(i)
			}
			for c == '-' && i < len(s.src) && s.src[i] == '-' {
				i++ // an operator of many dashes, seen once
			}
			return i
		},
		define: defineHaskell, continues: pythonContinues, indented: true,
	}
	lua := &language{
		lineComments: []string{"--"}, strings: `"'`, extra: "[", special: luaSpecial,
		commentAt: func(s *scan, i, n int) bool { return longBracket(s.src, i+n) == 0 },
		define:    byWords, other: luaOther, continues: rubyContinues, indented: true,
		words: table("local", "if for while repeat until return end else elseif do goto break", nil),
	}
	lua.words["function"] = word{act: defines, kind: code.KindFunc, name: nameLua}
	zig := &language{
		lineComments: slashes, strings: `"'`, extra: `\`, special: func(s *scan, i int, c byte) int {
			if c == '\\' && i+1 < len(s.src) && s.src[i+1] == '\\' {
				return s.inString(i, str{close: "\n"}) // a line of a long string; stops before the line end
			}
			return i
		},
		define: byWords, continues: bracketContinues, noBody: func(s *scan, d def, p int) bool {
			return d.kind == code.KindFunc && (s.endsWith(p, "error") || s.endsWith(p, "struct"))
		},
		words: table("pub export extern inline noinline threadlocal comptime", "if for while switch return usingnamespace", kinds{code.KindFunc: "fn"}),
	}
	for _, w := range []string{"const", "var"} {
		zig.words[w] = word{act: defines, kind: code.KindValue, value: true, name: nameZig}
	}
	zig.words["test"] = word{act: defines, kind: code.KindFunc, name: nameQuoted}
	return map[string]*language{"elixir": elixir, "haskell": haskell, "lua": lua, "zig": zig}
}

// shellLanguages are Bash, Perl and R.
func shellLanguages() map[string]*language {
	spaced := func(s *scan, i, _ int) bool {
		return i == 0 || isSpace(s.src[i-1]) || s.src[i-1] == '\n' || s.src[i-1] == ';'
	}
	bash := &language{
		lineComments: hash, commentAt: spaced, quoted: map[byte]str{'"': {escapes: true, lines: true, loose: true, interp: "$("}, '\'': {lines: true, loose: true}},
		extra: `<\`, special: bashSpecial,
		noDecls: true, define: defineBash, continues: bracketContinues, newlines: true,
	}
	perl := &language{
		lineComments: hash, commentAt: spaced, quoted: map[byte]str{'"': {escapes: true, lines: true, loose: true}, '\'': {escapes: true, lines: true, loose: true}},
		extra: "<=", special: perlSpecial,
		define: byWords, continues: bracketContinues,
		words: table("", "if unless for foreach while my our local return use", kinds{code.KindFunc: "sub method", code.KindModule: "package", code.KindType: "class"}),
	}
	for _, w := range []string{"class", "method", "package"} {
		entry := perl.words[w]
		entry.when = nameFollows
		perl.words[w] = entry
	}
	r := &language{lineComments: hash, quoted: map[byte]str{'"': {escapes: true, lines: true, loose: true}, '\'': {escapes: true, lines: true, loose: true}},
		noDecls: true, define: defineR, continues: bracketContinues, newlines: true}
	plainHash := &language{lineComments: hash, commentAt: spaced}
	return map[string]*language{"bash": bash, "perl": perl, "r": r, "fish": plainHash, "cmake": plainHash, "nix": plainHash, "just": plainHash, "powershell": plainHash, "julia": plainHash, "nim": plainHash}
}
