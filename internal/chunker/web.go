package chunker

import (
	"html"
	"strings"

	"github.com/contextd/contextd/internal/code"
)

// defineHTML finds headings and elements with an id.
func defineHTML(s *scan, ln int) {
	text := s.lineText(ln)
	for i := 0; i+3 < len(text); i++ {
		k := strings.IndexByte(text[i:], '<')
		if k < 0 || i+k+3 >= len(text) {
			break
		}
		i += k
		if level := text[i+2]; (text[i+1] == 'h' || text[i+1] == 'H') && level >= '1' && level <= '6' {
			if gt := strings.IndexByte(text[i:], '>'); gt > 0 {
				s.section(ln, int(level-'0'), visible(text[i+gt+1:]))
				return
			}
		}
	}
	if k := strings.Index(text, " id=\""); k >= 0 {
		if end := strings.IndexByte(text[k+5:], '"'); end > 0 {
			s.section(ln, 7, text[k+5:k+5+end])
		}
	}
}

// visible is the text of a heading without its tags, up to the end of it or of the line.
func visible(text string) string {
	if end := strings.Index(text, "</h"); end >= 0 {
		text = text[:end]
	}
	var b strings.Builder
	for text != "" {
		plain, tag, _ := strings.Cut(text, "<")
		b.WriteString(plain)
		_, rest, closed := strings.Cut(tag, ">")
		if !closed {
			break
		}
		text = rest
	}
	return strings.TrimSpace(html.UnescapeString(b.String()))
}

// defineCSS finds rules.
func defineCSS(s *scan, ln int) {
	p := s.lines[ln].first
	for q := p; q < p+200 && s.code[q] != '\n' && s.code[q] != ';'; q++ {
		if s.code[q] == '{' {
			s.add(def{kind: code.KindSection, line: ln, name: strings.TrimSpace(s.src[p:q]), at: p, after: q})
			return
		}
	}
}
