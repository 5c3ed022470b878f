package chunker

import (
	"strings"

	"github.com/contextd/contextd/internal/code"
)

func yamlContinues(s *scan, p int) continuation {
	if s.code[p] == '-' && s.code[p+1] != '-' || isCloser(s.code[p]) {
		return continues // an item of a list may stand under its key
	}
	return ended
}

// defineYAML finds the keys at the top.
func defineYAML(s *scan, ln int) {
	l := s.lines[ln]
	if l.indent > 0 {
		return
	}
	p := l.first
	for q := p; s.code[q] != '\n' && q < p+200; q++ {
		if c := s.code[q]; c == ':' && (s.code[q+1] == '\n' || isSpace(s.code[q+1])) {
			s.add(def{kind: code.KindSection, line: ln, name: strings.Trim(s.src[p:q], "\"' ?-"), at: p, after: q})
			return
		} else if c == '{' || c == '[' || c == '-' && q == p {
			return
		}
	}
}

// defineJSON finds the keys of the outermost object. s.group.in is their indent.
func defineJSON(s *scan, ln int) {
	l := s.lines[ln]
	p := l.first
	if s.code[p] != '"' || s.group.last > 0 && l.indent != s.group.in || ln == 0 {
		return
	}
	e := strings.IndexAny(s.src[p+1:min(p+200, len(s.src))], "\"\\\n")
	if e <= 0 || s.code[s.skip(min(p+e+2, len(s.src)))] != ':' {
		return
	}
	s.group = group{last: 1, in: l.indent}
	s.add(def{kind: code.KindSection, line: ln, name: s.src[p+1 : p+1+e], at: p, after: s.skip(p+e+2) + 1, value: true})
}

// defineTOML finds tables, and keys before the first.
func defineTOML(s *scan, ln int) {
	p := s.lines[ln].first
	if s.code[p] == '[' {
		text := s.lineText(ln)
		end := strings.IndexByte(text, ']')
		if name := strings.Trim(text[:max(end, 0)], "[] "); end > 0 && !strings.ContainsAny(name, ",{") &&
			s.lines[ln].indent == 0 {
			s.section(ln, 1, name)
		}
		return
	}
	if len(s.open) > 0 && s.top().level == 1 || s.lines[ln].indent > 0 {
		return
	}
	e := p
	for isWord(s.code[e]) || s.code[e] == '-' || s.code[e] == '.' {
		e++
	}
	if e > p && s.code[s.skip(e)] == '=' {
		s.section(ln, 2, s.src[p:e])
	}
}

// defineTerraform finds blocks, named by their labels: resource "type" "name" {.
func defineTerraform(s *scan, ln int) {
	l := s.lines[ln]
	p := l.first
	e := s.word(p)
	if l.indent > 0 || e == p {
		return
	}
	d := def{kind: code.KindSection, line: ln, name: s.src[p:e], at: p}
	q := s.skip(e)
	for s.code[q] == '"' {
		k := strings.IndexAny(s.src[q+1:min(q+120, len(s.src))], "\"\n")
		if k <= 0 || s.src[q+1+k] != '"' {
			return
		}
		d.parent, d.name = d.name, s.src[q+1:q+1+k]
		q = s.skip(q + k + 2)
	}
	if d.after = q; s.code[q] == '{' {
		s.add(d)
	}
}
