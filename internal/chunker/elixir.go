package chunker

import (
	"strings"

	"github.com/contextd/contextd/internal/code"
)

// elixirTable is the table of Elixir.
func elixirTable() *language {
	elixir := &language{
		lineComments: hash, quoted: map[byte]stringRule{'"': {escapes: true, lines: true, bounded: true, triple: true,
			interp: "#{"}, '\'': {escapes: true, lines: true, bounded: true, triple: true}},
		docStrings: true, extra: "~", special: elixirSpecial,
		define: defineElixir, continues: rubyContinues, indented: true,
		words: table("", "", kinds{
			code.KindFunc:   "def defp defmacro defmacrop defguard defguardp defdelegate defn defnp",
			code.KindModule: "defmodule", code.KindType: "defprotocol", code.KindImpl: "defimpl",
		}),
	}
	return elixir
}

func elixirSpecial(s *scan, i int, c byte) int {
	switch c {
	case '~':
		j := i + 1
		for j < len(s.src) && (s.src[j] >= 'a' && s.src[j] <= 'z' || s.src[j] >= 'A' && s.src[j] <= 'Z') && j < i+12 {
			j++
		}
		if j == i+1 || j >= len(s.src) || strings.IndexByte("([{<|/\"'", s.src[j]) < 0 {
			return i
		}
		if q := s.src[j]; (q == '"' || q == '\'') && strings.HasPrefix(s.src[j+1:], s.src[j:j+1]+s.src[j:j+1]) {
			return s.tripleString(j, q)
		}
		return s.delimited(j, i+1)
	case '"', '\'':
		if i > 0 && s.src[i-1] == '?' && (i < 2 || !isWord(s.src[i-2])) {
			return i + 1
		}
	}
	return i
}

func defineElixir(s *scan, ln int) {
	l := s.lines[ln]
	p := l.first
	if s.code[p] == '@' {
		e := s.word(p + 1)
		name := s.src[p+1 : e]
		q := s.skip(e)
		d := def{line: ln, kind: code.KindValue}
		switch name {
		case "type", "typep", "opaque":
			d.kind = code.KindType
			s.named(d, q)
		case "callback", "macrocallback":
			d.kind = code.KindDecl
			s.named(d, q)
		case "doc", "spec", "impl", "deprecated", "typedoc", "since", "dialyzer", "tag":
			for last := ln; last+1 < len(s.lines) &&
				(s.lines[last+1].kind == codeLine && s.lines[last+1].indent > l.indent); {
				last++
				s.consumedTo = max(s.consumedTo, last)
			}
			s.onlyAnnotations = true
		case "moduledoc", "behaviour", "derive", "compile":
		default:
			if q > e && !s.inFunc() {
				d.name, d.at, d.after = name, p, e
				s.add(d)
			}
		}
		return
	}
	e := s.word(p)
	w, ok := s.lang.words[string(s.code[p:e])]
	if !ok || s.code[e] != ' ' {
		return
	}
	q := s.skip(e)
	d := def{kind: w.kind, line: ln}
	switch w.kind {
	case code.KindFunc:
		n := s.word(q)
		if c := s.code[n]; c == '?' || c == '!' {
			n++
		}
		if d.name = s.src[q:n]; d.name == "unquote" || s.merge(d.name, d.kind, ln) {
			return
		}
		d.at, d.after = q, n
		s.add(d)
	case code.KindImpl:
		for k := q; s.code[k] != '\n'; k++ {
			if s.wordAt(k, "for") && s.code[k+3] == ':' {
				if r := s.skip(k + 4); isWord(s.code[r]) {
					q = r
				}
				break
			}
		}
		s.named(d, q)
	default:
		s.named(d, q)
	}
}
