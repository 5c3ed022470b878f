package lang

import (
	"strings"
	"sync"
)

// Named is the language that people mean by name: its own name, one of its usual ones ("golang", "c++"), or an
// extension of its files ("py", ".yml"), in either case. It is false where none is known.
func Named(name string) (string, bool) {
	l, ok := languageOfAlias()[strings.TrimPrefix(strings.ToLower(strings.TrimSpace(name)), ".")]
	return l, ok
}

// languageOfAlias holds all names, from the weakest kind to the strongest: a language's own name always means that
// language.
var languageOfAlias = sync.OnceValue(func() map[string]string {
	all := map[string]string{"h": "c"} // a header may be of either; C's is the usual meaning
	for _, table := range []map[string]string{
		languageOfInterpreter(), languageOfName(), languageOfExt(), invert(usualNames),
	} {
		for name, l := range table {
			all[strings.TrimPrefix(strings.ToLower(name), ".")] = l
		}
	}
	for _, l := range All() {
		all[l] = l
	}
	return all
})

// usualNames are names that are neither a language's own here nor an extension.
var usualNames = map[string]string{
	"go":         "golang go-lang",
	"gomod":      "go-mod gomodule go.mod",
	"python":     "python2 python3 py3 cython",
	"javascript": "ecmascript javascriptreact nodejs node.js",
	"typescript": "typescriptreact",
	"rust":       "rustlang rust-lang",
	"c":          "clang ansi-c",
	"cpp":        "c++ cplusplus c-plus-plus cuda arduino",
	"csharp":     "c# c-sharp",
	"fsharp":     "f# f-sharp",
	"objectivec": "objective-c obj-c objc objective-c++ objective-cpp objectivecpp objc++",
	"matlab":     "octave",
	"bash":       "shell shellscript shell-script",
	"perl":       "perl5",
	"r":          "rlang r-lang",
	"zig":        "ziglang",
	"nim":        "nimlang",
	"d":          "dlang d-lang",
	"clojure":    "clojurescript",
	"powershell": "pwsh ps posh",
	"proto":      "protobuf proto2 proto3 protocol-buffers",
	"graphql":    "graph-ql",
	"terraform":  "opentofu tofu",
	"starlark":   "bazel skylark",
	"groovy":     "jenkins",
	"dockerfile": "docker container",
	"makefile":   "gnumake",
	"vue":        "vuejs vue.js",
	"rst":        "restructuredtext",
	"asciidoc":   "asciidoctor",
	"ini":        "dosini",
	"sql":        "postgres postgresql mysql sqlite plsql tsql",
	"vim":        "viml vimscript vim-script",
	"elisp":      "emacs-lisp emacslisp",
	"assembly":   "assembler nasm",
	"tex":        "latex",
	"text":       "plain plaintext plain-text",
}
