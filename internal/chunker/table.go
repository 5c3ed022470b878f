package chunker

import (
	"maps"
	"sync"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lang"
)

// languages holds every language that Split knows, by the names of lang.Of. It is made when first used: a process that
// asks an index that is up to date cuts no file.
var languages = sync.OnceValue(func() map[string]*language { return build(programs(), documentLanguages()) })

func build(tables ...map[string]*language) map[string]*language {
	all := make(map[string]*language)
	for _, t := range tables {
		maps.Copy(all, t)
	}
	for _, l := range all {
		l.fillTables()
	}
	for alias, name := range aliases {
		all[alias] = all[name]
	}
	return all
}

// aliases are languages read with the table of another.
var aliases = map[string]string{
	"vue": "typescript", "svelte": "typescript", "objectivec": "c", "glsl": "c", "starlark": "python",
	"crystal": "ruby",
}

type kinds = map[code.Kind]string

const controls = "if else for while do switch case default return break continue goto throw new delete try catch finally import package using yield await assert super this"

// programs are the programming languages.
func programs() map[string]*language {
	js := jsTable()
	hashOnly := &language{lineComments: hash, commentAt: afterBlank}
	return map[string]*language{
		"go": golangTable(), "rust": rustTable(), "c": cTable(), "cpp": cppTable(), "java": javaTable(),
		"python": pythonTable(), "javascript": js, "typescript": js,
		"ruby": rubyTable(), "kotlin": kotlinTable(), "csharp": csharpTable(), "swift": swiftTable(),
		"scala": scalaTable(), "dart": dartTable(), "php": phpTable(),
		"groovy": groovyTable(), "elixir": elixirTable(), "haskell": haskellTable(), "lua": luaTable(),
		"zig": zigTable(), "gleam": gleamTable(), "bash": bashTable(), "perl": perlTable(), "r": rTable(),
		"fish": hashOnly, "cmake": hashOnly, "nix": hashOnly, "just": hashOnly, "powershell": hashOnly,
		"julia": hashOnly, "nim": hashOnly, lang.Text: {},
	}
}

// afterBlank is for languages in which a comment mark inside a word is none.
func afterBlank(s *scan, i, _ int) bool {
	return i == 0 || isSpace(s.src[i-1]) || s.src[i-1] == '\n' || s.src[i-1] == ';'
}
