package rank

import (
	"path"
	"strings"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
)

// prior is what a path alone tells of a file, and the words by which a question asks for such files all the same.
type prior struct {
	feature int
	asked   map[string]bool
	is      func(p *pathParts) bool
}

var priors = []prior{
	{testFile, lexical.WordSet(`test tests testing tester unittest mock mocks stub fixture fixtures spec specs assert asserts assertion assertions
		benchmark benchmarks bench fuzz`), isTest},
	{example, lexical.WordSet(`example examples sample samples demo demos docs documentation tutorial script scripts playground`),
		func(p *pathParts) bool {
			return p.inDir(exampleDirs) || p.scripts() || len(p.dirs) > 0 && exampleTops[p.dirs[0]]
		}},
	{outdated, lexical.WordSet(
		`compat compatibility legacy deprecated deprecate deprecates deprecation backward backwards vendor vendored`),
		func(p *pathParts) bool {
			return p.inDir(outdatedDirs) || p.stemHas(outdatedStems)
		}},
	{platform, lexical.WordSet(`windows win32 wasm wasi android plan9 iocp haiku aix solaris sunos cygwin mingw`), func(
		p *pathParts,
	) bool {
		return p.inDir(platforms) || p.stemHas(platforms)
	}},
	{prose, lexical.WordSet(`readme changelog documentation docs doc guide manual license contributing release notes markdown
		translation translations translate translated translator locale locales i18n l10n gettext`), func(p *pathParts) bool {
		return proseTypes[p.ext] || p.ext == "" && len(p.stem) > 0 && proseNames[p.stem[0]] || p.translation()
	}},
	{data, lexical.WordSet(`json yaml yml toml xml ini config configuration settings manifest dependency dependencies package workflow ci build makefile
		dockerfile rakefile gemfile csv html css scss sql schema`), func(p *pathParts) bool {
		return dataTypes[p.ext] || p.ext == "" && len(p.stem) == 1 && dataNames[p.stem[0]] || p.hidden
	}},
}

var (
	exampleDirs = lexical.WordSet(`example examples _example _examples doc docs docs_src documentation website demo demos sample samples
		playground playgrounds tutorial tutorials`)
	scriptDirs = lexical.WordSet(`script scripts`)
	sourceDirs = lexical.WordSet(`src lib source sources internal pkg`)
	// These are so at the top; deeper they may be the product.
	exampleTops  = lexical.WordSet(`tools contrib man sandbox misc hack toys`)
	outdatedDirs = lexical.WordSet(`compat _compat legacy deprecated vendor vendors vendored third_party third-party thirdparty 3rdparty
		bower_components`)
	outdatedStems = lexical.WordSet(`compat deprecated legacy`)
	platforms     = lexical.WordSet(
		`win win32 win64 windows wasm wasm32 wasi android plan9 os390 haiku aix sunos ibmi cygwin mingw`)
	proseTypes = lexical.WordSet(
		`.md .mdx .markdown .livemd .rst .txt .adoc .asciidoc .org .tex .texi .texinfo .info .pod .rdoc .ronn .1 .3 .5 .7 .8`)
	proseNames = lexical.WordSet(`readme changes changelog news authors contributors maintainers codeowners thanks license licence copying copyright notice todo`)
	dataNames  = lexical.WordSet(`makefile gnumakefile emakefile justfile dockerfile rakefile gemfile pipfile procfile jenkinsfile vagrantfile gradlew`)
	dataTypes  = lexical.WordSet(`.json .jsonc .json5 .jsonl .ndjson .yaml .yml .toml .xml .ini .cfg .conf .properties .csv .tsv .html .htm .css .scss .less .svg
		.lock .plist .xcconfig .resx .csproj .vcxproj .props .targets .gradle .cabal .gemspec .snap .ui .xib .storyboard .glade`)

	// What a program says to people, in their languages.
	translationTypes = lexical.WordSet(`.po .pot .xlf .xliff .ftl .arb .strings .stringsdict .xcstrings`)
	translationDirs  = lexical.WordSet(`lang langs locale locales i18n l10n translation translations _locales`)
	textTypes        = lexical.WordSet(`.json .json5 .yaml .yml .toml .xml .ini .properties .csv .ts .php .resx .txt`)
)

// What of a prior stays when the question asks for such files. A task names the tests that will show it done, a
// question wants to see them. Where a word stands in more than commonWord of all chunks, as "test" does in a test
// runner, it asks for nothing.
var askedLeft = [numShapes]float64{Task: .5, Long: .5}

const commonWord = .5

// priors computes the features of a path that are priors.
func (s *scorer) priors(p *pathParts, r *row) {
	for i := range priors {
		x := &priors[i]
		if !x.is(p) {
			continue
		}
		r.v[x.feature] = 1
		if s.q.asked[x.feature] && !s.common[x.feature] {
			r.v[x.feature] = askedLeft[s.q.Shape]
		}
	}
}

// pathParts is a path taken apart.
type pathParts struct {
	dirs   []string // lower case
	place  []string // the same as they are
	stem   []string // the base without extensions, lower case, cut where it is no letter or digit
	camel  string   // the base without extensions, as it is
	ext    string   // lower case, with the dot
	hidden bool     // the base is a dot and one word, as settings of tools are called
}

func partsOf(p code.Path) *pathParts {
	dir, base := path.Split(p)
	parts := &pathParts{ext: strings.ToLower(path.Ext(base)), hidden: base != "" && path.Ext(base) == base}
	if dir != "" {
		parts.place = strings.Split(dir[:len(dir)-1], "/")
		parts.dirs = strings.Split(strings.ToLower(dir[:len(dir)-1]), "/")
	}
	if i := strings.IndexByte(base[min(1, len(base)):], '.'); i >= 0 && !strings.Contains(base[i+1:], ".") {
		base = base[:i+1]
	} else {
		base = strings.TrimSuffix(base, path.Ext(base)) // keeps the test of app.test.ts
	}
	parts.camel = base
	parts.stem = strings.FieldsFunc(strings.ToLower(base), func(r rune) bool {
		return r < '0' || r > '9' && r < 'a' || r > 'z' && r < 0x80
	})
	return parts
}

func (p *pathParts) inDir(names map[string]bool) bool {
	for _, d := range p.dirs {
		if names[d] {
			return true
		}
	}
	return false
}

// scripts reports whether a directory of scripts stands in the path. Within the source, "script" is what the product
// works on: packages/compiler/src/script.
func (p *pathParts) scripts() bool {
	for _, d := range p.dirs {
		if sourceDirs[d] {
			return false
		}
		if scriptDirs[d] {
			return true
		}
	}
	return false
}

// translation reports whether a path is that of a program's texts in one language: locales/de.json,
// values-fr/strings.xml, translations/messages.en.yml. They say in plain words what the code does, and beat it in
// questions asked so. Code that translates is none: a name that is no language, or a type of file that holds no texts.
func (p *pathParts) translation() bool {
	if translationTypes[p.ext] {
		return true
	}
	if !textTypes[p.ext] || len(p.stem) == 0 || len(p.dirs) == 0 {
		return false
	}
	if !p.inDir(translationDirs) {
		d := p.dirs[len(p.dirs)-1]
		return p.ext == ".xml" && (d == "values" || strings.HasPrefix(d, "values-")) && p.stem[0] == "strings"
	}
	return dataTypes[p.ext] || len(p.stem[0]) == 2 || len(p.stem[len(p.stem)-1]) == 2 // app_de.ts, pt-br.php
}

// stemHas reports whether one of words is a part of the stem.
func (p *pathParts) stemHas(words map[string]bool) bool {
	for _, w := range p.stem {
		if words[w] {
			return true
		}
	}
	return false
}
