package lang_test

import (
	"testing"

	"github.com/contextd/contextd/internal/lang"
)

// TestOf holds the language of files by name, extension and first line.
func TestOf(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ path, head, want string }{
		{"a/b.go", "", "go"}, {"B.PY", "", "python"}, {"x.pyi", "", "python"}, {"x.mjs", "", "javascript"},
		{"x.tsx", "", "typescript"}, {"x.d.ts", "", "typescript"},
		{"x.rs", "", "rust"}, {"X.java", "", "java"}, {"x.kts", "", "kotlin"}, {"x.c", "", "c"}, {"x.cc", "", "cpp"},
		{"x.hpp", "", "cpp"}, {"x.cs", "", "csharp"},
		{"x.rb", "", "ruby"}, {"Rakefile", "", "ruby"}, {"x.gemspec", "", "ruby"}, {"x.php", "", "php"},
		{"x.swift", "", "swift"}, {"x.scala", "", "scala"},
		{"x.ex", "", "elixir"}, {"x.exs", "", "elixir"}, {"x.hs", "", "haskell"}, {"x.lua", "", "lua"},
		{"x.zig", "", "zig"}, {"x.gleam", "", "gleam"}, {"x.sh", "", "bash"}, {".bashrc", "", "bash"},
		{"README.md", "", "markdown"}, {"x.yml", "", "yaml"}, {"x.json", "", "json"}, {"x.toml", "", "toml"},
		{"Cargo.lock", "", "toml"}, {"x.sql", "", "sql"},
		{"x.html", "", "html"}, {"x.scss", "", "css"}, {"Dockerfile", "", "dockerfile"},
		{"Dockerfile.dev", "", "dockerfile"}, {"api.dockerfile", "", "dockerfile"},
		{"GNUmakefile", "", "makefile"}, {"x.mk", "", "makefile"}, {"CMakeLists.txt", "", "cmake"},
		{"go.mod", "", "gomod"},
		{"x.h", "", "c"}, {"x.h", "struct a;\nint f(void);\n", "c"}, {"x.h", "#pragma once\n\nnamespace a {\n", "cpp"},
		{"x.h", "  template<class T>\n", "cpp"},
		{"x.h", "void f(std::string s);", "cpp"}, {"x.h", "// a class of things\nint classify(void);\n", "c"},
		{"x.h", "int usings;\n", "c"}, {"x.h", "#import <a.h>\n", "objectivec"},
		{"x.m", "@implementation A\n", "objectivec"}, {"x.m", "function y = f(x)\n", "matlab"},
		{"run", "#!/bin/sh\n", "bash"}, {"run", "#!/usr/bin/env python3.12\nx", "python"},
		{"run", "#!/usr/bin/env -S A=1 node --x\n", "javascript"}, {"run", "#! /usr/bin/perl -w", "perl"},
		{"run", "#!/usr/bin/env", "text"}, {"run", "#!", "text"}, {"run", "#!/opt/thing\n", "text"},
		{"run", "", "text"}, {"", "", "text"},
		{"x.unknown", "", "text"}, {"x.unknown", "#!/bin/bash\n", "bash"}, {"x.", "", "text"}, {".go", "", "text"},
		{"LICENSE", "", "text"}, {"x.txt", "", "text"},
	} {
		if got := lang.Of(test.path, test.head); got != test.want {
			t.Errorf("LanguageOf(%q, %q) = %q, want %q", test.path, test.head, got, test.want)
		}
	}
}
