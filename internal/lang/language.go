package lang

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/notebook"
)

// Text is the language of what fits no other.
const Text = "text"

// Of names the language of the file at path, lower case ("go", "csharp", "dockerfile"), by its name, its
// extension or the interpreter named in the first line of head, the start of its text. It is Text where none fits.
func Of(p code.Path, head string) string {
	name := strings.ToLower(path.Base(p))
	if l, ok := languageOfName()[name]; ok {
		return l
	}
	for _, known := range namePrefixes {
		if strings.HasPrefix(name, known.prefix) {
			return known.language
		}
	}
	if ext := path.Ext(name); ext != "" && ext != name {
		switch ext {
		case ".h":
			return headerLanguage(head)
		case notebook.Ext:
			if l := notebook.Language(head); l != "" {
				return l
			}
		case ".m":
			if objectiveC(head) {
				return "objectivec"
			}
			return "matlab"
		}
		if l, ok := languageOfExt()[ext[1:]]; ok {
			return l
		}
	}
	return interpreter(head)
}

// headerLanguage tells a C++ header from a C one by words that no C header starts a line with.
func headerLanguage(head string) string {
	if objectiveC(head) {
		return "objectivec"
	}
	if strings.Contains(head, "std::") {
		return "cpp"
	}
	for len(head) > 0 {
		line, rest, _ := strings.Cut(head, "\n")
		head = rest
		line = strings.TrimLeft(line, " \t")
		for _, word := range cppLines {
			if after, ok := strings.CutPrefix(line, word); ok && (after == "" || !wordByte(after[0])) {
				return "cpp"
			}
		}
	}
	return "c"
}

var cppLines = []string{"class", "template", "namespace", "using", "public:", "private:", "protected:", "constexpr",
	"inline namespace"}

func objectiveC(head string) bool {
	return slices.ContainsFunc([]string{"@interface", "@implementation", "@protocol", "#import"}, func(word string) bool {
		return strings.HasPrefix(head, word) || strings.Contains(head, "\n"+word)
	})
}

func wordByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// interpreter names the language of a script by its "#!" line.
func interpreter(head string) string {
	line, ok := strings.CutPrefix(head, "#!")
	if !ok {
		return Text
	}
	line, _, _ = strings.Cut(line, "\n")
	words := strings.Fields(line)
	for i, word := range words {
		word = path.Base(word)
		if i > 0 && (strings.HasPrefix(word, "-") || strings.Contains(word, "=")) {
			continue // an option or setting of env
		}
		if l, ok := languageOfInterpreter()[strings.TrimRight(word, "0123456789.")]; ok {
			return l
		}
		if word != "env" {
			break
		}
	}
	return Text
}

var namePrefixes = []struct{ prefix, language string }{
	{"dockerfile.", "dockerfile"}, {"containerfile.", "dockerfile"}, {"makefile.", "makefile"},
	{"gnumakefile.", "makefile"}, {"jenkinsfile.", "groovy"},
}

var languageOfName = sync.OnceValue(func() map[string]string {
	return invert(map[string]string{
		"dockerfile": "dockerfile containerfile",
		"makefile":   "makefile gnumakefile bsdmakefile kbuild",
		"ruby":       "rakefile gemfile guardfile podfile fastfile vagrantfile brewfile capfile appraisals config.ru .irbrc .pryrc",
		"bash":       ".bashrc .bash_profile .bash_aliases .bash_logout .profile .zshrc .zshenv .zprofile pkgbuild .envrc bashrc zshrc apkbuild",
		"python":     "sconstruct sconscript wscript build.bazel workspace.bazel module.bazel .pythonrc",
		"groovy":     "jenkinsfile",
		"cmake":      "cmakelists.txt",
		"gomod":      "go.mod go.work",
		"json":       ".babelrc .eslintrc .prettierrc .swcrc composer.lock pipfile.lock flake.lock",
		"toml":       "pipfile cargo.lock poetry.lock uv.lock",
		"yaml":       ".clang-format .clang-tidy .gemrc",
		"ini":        ".gitconfig .editorconfig .npmrc .flake8 .pylintrc .coveragerc",
		"elixir":     "mix.lock",
		"perl":       "makefile.pl cpanfile",
		"starlark":   "build workspace tiltfile",
		"just":       "justfile .justfile",
	})
})

var languageOfExt = sync.OnceValue(func() map[string]string {
	return invert(map[string]string{
		"go":         "go",
		"python":     "py pyi pyw pyx pxd",
		"javascript": "js jsx mjs cjs es6",
		"typescript": "ts tsx mts cts",
		"rust":       "rs",
		"java":       "java",
		"kotlin":     "kt kts",
		"c":          "c",
		"cpp":        "cc cpp cxx c++ hh hpp hxx h++ ipp inl tpp tcc txx ixx cppm cu cuh ino",
		"csharp":     "cs csx",
		"ruby":       "rb rake gemspec ru rbi podspec jbuilder",
		"php":        "php php3 php4 php5 php7 phtml",
		"swift":      "swift",
		"scala":      "scala sc sbt",
		"elixir":     "ex exs",
		"haskell":    "hs lhs hsc",
		"lua":        "lua luau rockspec",
		"zig":        "zig zon",
		"bash":       "sh bash zsh ksh bats ebuild",
		"dart":       "dart",
		"perl":       "pl pm t pod",
		"r":          "r",
		"groovy":     "groovy gradle gvy",
		"objectivec": "mm",
		"julia":      "jl",
		"erlang":     "erl hrl",
		"gleam":      "gleam",
		"clojure":    "clj cljs cljc edn",
		"fsharp":     "fs fsi fsx",
		"ocaml":      "ml mli",
		"nim":        "nim nims",
		"powershell": "ps1 psm1 psd1",
		"fish":       "fish",
		"solidity":   "sol",
		"proto":      "proto",
		"graphql":    "graphql gql graphqls",
		"terraform":  "tf tfvars hcl",
		"starlark":   "bzl star",
		"cmake":      "cmake",
		"just":       "just",
		"nix":        "nix",
		"vue":        "vue",
		"svelte":     "svelte",
		"markdown":   "md markdown mdx mdown mkd",
		"rst":        "rst",
		"asciidoc":   "adoc asciidoc",
		"yaml":       "yaml yml",
		"json":       "json jsonc json5 geojson webmanifest ipynb",
		"toml":       "toml",
		"ini":        "ini cfg conf properties editorconfig service",
		"sql":        "sql psql pgsql mysql ddl dml",
		"html":       "html htm xhtml hbs ejs erb eex heex leex twig mustache jinja j2 tmpl",
		"xml":        "xml xsd xsl xslt svg csproj props targets plist wsdl storyboard xib",
		"css":        "css scss sass less pcss",
		"dockerfile": "dockerfile",
		"makefile":   "mk mak make",
		"csv":        "csv tsv",
		"vim":        "vim",
		"elisp":      "el",
		"assembly":   "s asm",
		"tex":        "tex sty",
		"crystal":    "cr",
		"d":          "d",
		"wgsl":       "wgsl",
		"glsl":       "glsl vert frag comp",
		"text":       "txt log",
	})
})

var languageOfInterpreter = sync.OnceValue(func() map[string]string {
	return invert(map[string]string{
		"bash": "sh bash zsh ksh dash ash bats", "python": "python pypy", "javascript": "node nodejs bun",
		"typescript": "deno ts-node tsx",
		"ruby":       "ruby jruby rake", "perl": "perl", "php": "php", "lua": "lua luajit", "elixir": "elixir",
		"haskell": "runhaskell runghc stack",
		"scala":   "scala", "kotlin": "kotlin", "groovy": "groovy", "swift": "swift", "dart": "dart", "r": "Rscript",
		"julia": "julia", "fish": "fish",
		"makefile": "make", "zig": "zig", "go": "gorun",
	})
})

// invert turns language → "key key" into key → language.
func invert(lists map[string]string) map[string]string {
	m := make(map[string]string, 4*len(lists))
	for language, keys := range lists {
		for key := range strings.FieldsSeq(keys) {
			m[key] = language
		}
	}
	return m
}
