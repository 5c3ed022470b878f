package analyze

import (
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/code"
)

// reexportRules is how the lines begin by which files of a language pass on what is in others; " " stands for a space
// or a tab. of are words one of which such a line holds. aside are the lines that say nothing: guards, pragmas,
// annotations.
type reexportRules struct {
	begin, of, neutral []string
}

var (
	includes = reexportRules{begin: []string{"#include", "#import", "@import "},
		neutral: []string{"#if", "#el", "#endif", "#pragma", "#define ", "extern \"C\""}}
	scriptImports = reexportRules{begin: []string{"export *", "export {", "export{", "export type {", "import ",
		"import{", "import\"", "import'"}, of: []string{"require("}, neutral: []string{"'use ", "\"use "}}
)

// reexportsByLanguage are the languages that have such files.
var reexportsByLanguage = map[string]reexportRules{
	"c": includes, "cpp": includes, "objectivec": includes, "javascript": scriptImports, "typescript": scriptImports,
	"python": {begin: []string{"from ", "import ", "__all__"}},
	"rust": {begin: []string{"mod ", "pub mod ", "pub(crate) mod ", "use ", "pub use ", "pub(crate) use ",
		"extern crate ", "pub extern crate "}, neutral: []string{"#[", "#!["}},
	"go":     {begin: []string{"import "}, neutral: []string{"package "}},
	"dart":   {begin: []string{"export ", "import ", "part "}, neutral: []string{"library "}},
	"ruby":   {begin: []string{"require ", "require_relative ", "autoload "}, neutral: []string{"module ", "end"}},
	"php":    {begin: []string{"require", "include", "use "}, neutral: []string{"<?php", "namespace ", "declare("}},
	"swift":  {begin: []string{"import ", "@_exported import "}},
	"csharp": {begin: []string{"using ", "global using "}},
	"proto":  {begin: []string{"import "}, neutral: []string{"syntax ", "package ", "option "}},
	"css":    {begin: []string{"@import ", "@use ", "@forward "}},
	"bash":   {begin: []string{"source ", ". "}, neutral: []string{"set -"}},
	"zig":    {of: []string{"@import("}},
	"lua":    {of: []string{"require(", "require \"", "require '"}, neutral: []string{"return"}},
	"r":      {begin: []string{"source(", "library("}},
}

// minReexportShare is the share of a file's lines of code, in percent, from which it is an umbrella if they pass on
// other files.
const minReexportShare = 80

// maxOtherLines is the number of other lines after which a file in which they prevail is no umbrella, however it goes
// on.
const maxOtherLines = 40

// isUmbrella reports whether a file only includes or re-exports others: an umbrella header, a barrel, a package's
// index.
func isUmbrella(language string, chunks []code.Chunk) bool {
	form, known := reexportsByLanguage[language]
	if !known {
		return false
	}
	passed, others := 0, 0
	depth := 0 // brackets of a passing statement that are open: its lines belong to it
	for i := range chunks {
		c := &chunks[i]
		at, comments := 0, c.Comments
		for line := range strings.Lines(c.Text) {
			start, end := at, at+len(line)
			at = end
			for start < end && isBlank(c.Text[start]) {
				start++
			}
			for len(comments) > 0 && comments[0][1] <= start {
				comments = comments[1:]
			}
			text := strings.TrimSpace(line)
			if len(comments) > 0 && comments[0][0] <= start || strings.Trim(text, "{}()[];,") == "" && depth == 0 {
				continue // a comment, or nothing but brackets
			}
			switch {
			case depth > 0:
				passed++
				depth += openBrackets(text)
			case form.reexports(text):
				passed++
				depth = max(openBrackets(text), 0)
			case !form.isNeutral(text):
				if others++; others > maxOtherLines && others*minReexportShare > passed*(100-minReexportShare) {
					return false
				}
			}
		}
	}
	return passed > 0 && 100*passed >= minReexportShare*(passed+others)
}

func isBlank(c byte) bool {
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v'
}

func openBrackets(text string) (n int) {
	for i := range len(text) {
		switch text[i] {
		case '(', '[', '{':
			n++
		case ')', ']', '}':
			n--
		}
	}
	return n
}

func (p *reexportRules) reexports(line string) bool {
	if strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "#\t") { // a directive may stand apart from its mark
		line = "#" + strings.TrimLeft(line[1:], " \t")
	}
	for _, b := range p.begin {
		if hasPrefixBlank(line, b) {
			return !strings.HasSuffix(b, "mod ") || !strings.HasSuffix(line, "{") // such a module has a body of its own
		}
	}
	for _, w := range p.of {
		if strings.Contains(line, w) {
			return hasPrefixBlank(line, "const ") || hasPrefixBlank(line, "let ") || hasPrefixBlank(line, "var ") ||
				hasPrefixBlank(line, "local ") || hasPrefixBlank(line, "pub ") ||
				strings.HasPrefix(line, "module.exports") || strings.HasPrefix(line, "exports.") ||
				strings.HasPrefix(line, w) || strings.HasSuffix(line, ",")
		}
	}
	return false
}

func (p *reexportRules) isNeutral(line string) bool {
	if strings.HasPrefix(line, "#define") || strings.HasPrefix(line, "# define") {
		return len(strings.Fields(strings.TrimPrefix(line, "# "))) <= 2 // a guard has no value
	}
	return slices.ContainsFunc(p.neutral, func(b string) bool { return hasPrefixBlank(line, b) })
}

// hasPrefixBlank reports whether a line begins with s, a space at the end of which is a space or a tab.
func hasPrefixBlank(line, s string) bool {
	if word, spaced := strings.CutSuffix(s, " "); spaced {
		return len(line) > len(word) && strings.HasPrefix(line, word) && isBlank(line[len(word)])
	}
	return strings.HasPrefix(line, s)
}
