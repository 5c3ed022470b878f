package chunker

import (
	"strings"

	"github.com/contextd/contextd/internal/code"
)

// defineDockerfile finds the stages of a build.
func defineDockerfile(s *scan, ln int) {
	text := s.lineText(ln)
	if len(text) < 5 || !strings.EqualFold(text[:5], "from ") {
		return
	}
	words := strings.Fields(text)
	for i, w := range words {
		if strings.EqualFold(w, "as") && i+1 < len(words) {
			s.section(ln, 1, words[i+1])
			return
		}
	}
	for _, w := range words[1:] {
		if !strings.HasPrefix(w, "--") {
			s.section(ln, 1, w)
			return
		}
	}
}

// defineMakefile finds targets and variables.
func defineMakefile(s *scan, ln int) {
	l := s.lines[ln]
	if l.indent > 0 {
		return
	}
	p := l.first
	for q := p; s.code[q] != '\n' && q < p+200; q++ {
		c := s.code[q]
		assign := c == '=' || (c == ':' || c == '?' || c == '+' || c == '!') &&
			(s.code[q+1] == '=' || s.code[q+1] == ':' && s.code[q+2] == '=')
		d := def{kind: code.KindSection, line: ln, name: strings.TrimSpace(s.src[p:q]), at: p, after: q}
		switch {
		case assign:
			name := strings.Fields(d.name)
			if len(name) == 0 {
				return
			}
			if d.kind, d.name = code.KindValue, name[len(name)-1]; c != '+' {
				s.add(d)
			}
			return
		case c == ':':
			if !strings.HasPrefix(d.name, ".") {
				s.add(d)
			}
			return
		case c == '(' || c == '{':
			if k := s.closeOf(q); k > q {
				q = k
			}
		}
	}
}
