package analyze

import (
	"strings"

	"github.com/contextd/contextd/internal/code"
)

// passing is how the lines begin by which files of a language pass on what is in others; " " stands for a space or a tab. of are words
// one of which such a line holds. aside are the lines that say nothing: guards, pragmas, annotations.
type passing struct {
	begin, of, aside []string
}

var (
	includes = passing{begin: []string{"#include", "#import", "@import "}, aside: []string{"#if", "#el", "#endif", "#pragma", "#define ", "extern \"C\""}}
	scripted = passing{begin: []string{"export *", "export {", "export{", "export type {", "import ", "import{", "import\"", "import'"}, of: []string{"require("}, aside: []string{"'use ", "\"use "}}
)

// passings are the languages that have such files.
var passings = map[string]passing{
	"c": includes, "cpp": includes, "objectivec": includes, "javascript": scripted, "typescript": scripted,
	"python": {begin: []string{"from ", "import ", "__all__"}},
	"rust":   {begin: []string{"mod ", "pub mod ", "pub(crate) mod ", "use ", "pub use ", "pub(crate) use ", "extern crate ", "pub extern crate "}, aside: []string{"#[", "#!["}},
	"go":     {begin: []string{"import "}, aside: []string{"package "}},
	"dart":   {begin: []string{"export ", "import ", "part "}, aside: []string{"library "}},
	"ruby":   {begin: []string{"require ", "require_relative ", "autoload "}, aside: []string{"module ", "end"}},
	"php":    {begin: []string{"require", "include", "use "}, aside: []string{"<?php", "namespace ", "declare("}},
	"swift":  {begin: []string{"import ", "@_exported import "}},
	"csharp": {begin: []string{"using ", "global using "}},
	"proto":  {begin: []string{"import "}, aside: []string{"syntax ", "package ", "option "}},
	"css":    {begin: []string{"@import ", "@use ", "@forward "}},
	"bash":   {begin: []string{"source ", ". "}, aside: []string{"set -"}},
	"zig":    {of: []string{"@import("}},
	"lua":    {of: []string{"require(", "require \"", "require '"}, aside: []string{"return"}},
	"r":      {begin: []string{"source(", "library("}},
}

// umbrellaShare is the share of a file's lines of code, in percent, from which it is an umbrella if they pass on other files.
const umbrellaShare = 80

// manyOthers is the number of other lines after which a file in which they prevail is no umbrella, however it goes on.
const manyOthers = 40

// umbrella reports whether a file does nothing but include or re-export others: an umbrella header, a barrel, a package's index.
func umbrella(language string, chunks []code.Chunk) bool {
	form, known := passings[language]
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
			case form.passes(text):
				passed++
				depth = max(openBrackets(text), 0)
			case !form.saysNothing(text):
				if others++; others > manyOthers && others*umbrellaShare > passed*(100-umbrellaShare) {
					return false
				}
			}
		}
	}
	return passed > 0 && 100*passed >= umbrellaShare*(passed+others)
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

func (p *passing) passes(line string) bool {
	if strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "#\t") { // a directive may stand apart from its mark
		line = "#" + strings.TrimLeft(line[1:], " \t")
	}
	for _, b := range p.begin {
		if begins(line, b) {
			return !strings.HasSuffix(b, "mod ") || !strings.HasSuffix(line, "{") // such a module has a body of its own
		}
	}
	for _, w := range p.of {
		if strings.Contains(line, w) {
			return begins(line, "const ") || begins(line, "let ") || begins(line, "var ") || begins(line, "local ") || begins(line, "pub ") ||
				strings.HasPrefix(line, "module.exports") || strings.HasPrefix(line, "exports.") || strings.HasPrefix(line, w) || strings.HasSuffix(line, ",")
		}
	}
	return false
}

func (p *passing) saysNothing(line string) bool {
	if strings.HasPrefix(line, "#define") || strings.HasPrefix(line, "# define") {
		return len(strings.Fields(strings.TrimPrefix(line, "# "))) <= 2 // a guard has no value
	}
	for _, b := range p.aside {
		if begins(line, b) {
			return true
		}
	}
	return false
}

// begins reports whether a line begins with s, a space at the end of which is a space or a tab.
func begins(line, s string) bool {
	if word, spaced := strings.CutSuffix(s, " "); spaced {
		return len(line) > len(word) && strings.HasPrefix(line, word) && isBlank(line[len(word)])
	}
	return strings.HasPrefix(line, s)
}
