package chunker

import (
	"maps"

	"github.com/contextd/contextd/internal/code"
)

// languages holds every language that Split knows, by the names of code.LanguageOf.
var languages = build(map[string]*language{code.Text: {}}, braceLanguages(), scriptLanguages(), jvmLanguages(), functionalLanguages(), shellLanguages(), documentLanguages())

func build(tables ...map[string]*language) map[string]*language {
	all := make(map[string]*language)
	for _, t := range tables {
		maps.Copy(all, t)
	}
	for _, l := range all {
		l.ready()
	}
	for alias, name := range aliases {
		all[alias] = all[name]
	}
	return all
}

// aliases are languages read with the table of another.
var aliases = map[string]string{
	"vue": "typescript", "svelte": "typescript", "objectivec": "c", "glsl": "c", "starlark": "python", "crystal": "ruby",
}

type kinds = map[code.Kind]string

const controls = "if else for while do switch case default return break continue goto throw new delete try catch finally import package using yield await assert super this"

func braceLanguages() map[string]*language {
	golang := &language{
		lineComments: slashes, blockComments: cBlock, strings: `"'`, quoted: map[byte]str{'`': {lines: true}},
		define: defineGo, continues: bracketContinues, newlines: true,
		noBody: func(s *scan, d def, p int) bool {
			return d.kind == code.KindFunc && (s.endsWith(p, "struct") || s.endsWith(p, "interface"))
		},
	}
	rust := &language{
		lineComments: slashes, blockComments: nestedBlock, quoted: map[byte]str{'"': {escapes: true, lines: true}, '\'': {}}, special: rustSpecial,
		define: byWords, continues: bracketContinues, annotations: '#', modGroups: true,
		words: table("pub async unsafe extern default const auto", "", kinds{
			code.KindFunc: "fn macro", code.KindType: "struct enum union trait", code.KindModule: "mod", code.KindValue: "static", code.KindImpl: "impl",
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

	c := &language{
		lineComments: slashes, blockComments: cBlock, strings: `"'`, extra: "#", special: cSpecial,
		define: defineC, other: callable, continues: bracketContinues, splitHeads: true,
		words: table("static extern inline const volatile register _Noreturn __inline unsigned signed long short", controls+" sizeof", kinds{
			code.KindType: "struct union enum",
		}),
	}
	for _, w := range []string{"unsigned", "signed", "long", "short", "const", "volatile"} {
		delete(c.words, w)
	}
	for _, w := range []string{"struct", "union", "enum"} {
		c.words[w] = word{act: defines, kind: code.KindType, name: nameCType}
	}
	c.words["typedef"] = word{act: defines, kind: code.KindType, name: nameTypedef}

	cpp := &language{
		lineComments: slashes, blockComments: cBlock, strings: `"'`, extra: "#", special: cSpecial,
		define: defineC, other: callable, continues: bracketContinues, splitHeads: true, annotations: '[', noBody: cppInitializer,
		words: maps.Clone(c.words),
	}
	cpp.words["class"] = word{act: defines, kind: code.KindType, name: nameCType}
	cpp.words["namespace"] = word{act: defines, kind: code.KindModule}
	cpp.words["concept"] = word{act: defines, kind: code.KindType, value: true}
	cpp.words["using"] = word{act: defines, kind: code.KindType, value: true, name: nameUsing}
	for _, w := range []string{"virtual", "explicit", "friend", "constexpr", "consteval", "constinit", "mutable", "export", "typename"} {
		cpp.words[w] = word{act: modifier}
	}
	for _, w := range []string{"public", "private", "protected", "co_return", "co_await", "co_yield", "static_assert"} {
		cpp.words[w] = word{act: stops}
	}

	java := &language{
		lineComments: slashes, blockComments: cBlock, strings: `"'`, quoted: map[byte]str{'"': {escapes: true, triple: true}},
		define: byWords, other: callable, continues: bracketContinues, annotations: '@', dotted: true, fields: true, localTypes: true, dollars: true,
		words: table("public private protected static final abstract native synchronized transient volatile strictfp default sealed non", controls, kinds{
			code.KindType: "class interface enum record @interface",
		}),
	}
	java.words["default"] = word{act: modifier}
	java.words["record"] = word{act: defines, kind: code.KindType, when: nameFollows}
	return map[string]*language{"go": golang, "rust": rust, "c": c, "cpp": cpp, "java": java}
}

func scriptLanguages() map[string]*language {
	python := &language{
		lineComments: hash, strings: "", quoted: map[byte]str{'"': {escapes: true, triple: true}, '\'': {escapes: true, triple: true}}, docStrings: true,
		define: byWords, other: pythonValue, continues: pythonContinues, indented: true, annotations: '@',
		words: table("async", "if else elif for while return import from with try except finally raise pass del assert yield await global nonlocal lambda print", kinds{
			code.KindFunc: "def cdef cpdef", code.KindType: "class",
		}),
	}
	js := func() *language {
		return &language{
			lineComments: slashes, blockComments: cBlock, strings: `"'`, quoted: map[byte]str{'`': {escapes: true, lines: true, interp: "${"}}, special: jsSpecial,
			define: byWords, other: jsMember, continues: bracketContinues, annotations: '@', newlines: true, dollars: true, noBody: jsNoBody,
			words: table("export default async abstract declare static public private protected readonly override accessor", jsStops, kinds{
				code.KindType: "class interface", code.KindModule: "namespace",
			}),
		}
	}
	javascript, typescript := js(), js()
	for _, l := range []*language{javascript, typescript} {
		l.words["function"] = word{act: defines, kind: code.KindFunc}
		for _, w := range []string{"const", "let", "var"} {
			l.words[w] = word{act: defines, kind: code.KindValue, value: true, name: nameJSValue}
		}
		for _, w := range []string{"enum", "class", "interface", "namespace", "module"} {
			kind := code.KindType
			if w == "namespace" || w == "module" {
				kind = code.KindModule
			}
			l.words[w] = word{act: defines, kind: kind, when: nameFollows}
		}
		for _, w := range []string{"default", "async", "static", "readonly", "override", "accessor", "declare", "abstract", "public", "private", "protected"} {
			l.words[w] = word{act: modifier, when: wordFollows}
		}
		l.words["type"] = word{act: defines, kind: code.KindType, value: true, when: nameFollows}
		for name, w := range l.words {
			if w.act == stops && name != "if" && name != "for" && name != "while" && name != "switch" {
				w.when = noMethod
				l.words[name] = w
			}
		}
	}
	ruby := &language{
		lineComments: hash, blockComments: nil, extra: "=%/<_", special: rubySpecial, longRegexps: true,
		quoted: map[byte]str{'"': {escapes: true, lines: true, loose: true, interp: "#{"}, '\'': {escapes: true, lines: true, loose: true}, '`': {escapes: true, interp: "#{"}},
		define: byWords, other: rubyOther, continues: rubyContinues, indented: true,
		words: table("private protected public private_class_method module_function public_class_method memoize", "if else elsif for while until case when return unless begin rescue ensure end do yield raise", kinds{
			code.KindType: "class", code.KindModule: "module",
		}),
	}
	ruby.words["def"] = word{act: defines, kind: code.KindFunc, name: nameRubyDef}
	for _, w := range []string{"attr_accessor", "attr_reader", "attr_writer"} {
		ruby.words[w] = word{act: defines, kind: code.KindValue, name: nameRubySymbols}
	}
	for _, w := range []string{"alias_method", "define_method", "alias"} {
		ruby.words[w] = word{act: defines, kind: code.KindFunc, name: nameRubySymbols}
	}
	return map[string]*language{"python": python, "javascript": javascript, "typescript": typescript, "ruby": ruby}
}

// endsWith reports whether the code before p, blanks aside, ends with the word w.
func (s *scan) endsWith(p int, w string) bool {
	for p > 0 && isSpace(s.code[p-1]) {
		p--
	}
	return p >= len(w) && string(s.code[p-len(w):p]) == w && (p == len(w) || !isWord(s.code[p-len(w)-1]))
}

// nameFollows, for words that may be plain names too, wants an identifier on the same line.
func nameFollows(s *scan, _, p int) bool {
	q := s.skip(p)
	e := s.word(q)
	return q > p && e > q
}

// wordFollows wants anything that a statement may go on with after a modifier.
func wordFollows(s *scan, _, p int) bool {
	q := s.skip(p)
	switch c := s.code[q]; c {
	case '*', '#', '[', '{', '`', '"', '\'', '@':
		return true
	default:
		return q > p && isWord(c) || c == '$'
	}
}

func outsideFunc(s *scan, _, _ int) bool { return !s.inFunc() }
