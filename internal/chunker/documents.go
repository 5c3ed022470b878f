package chunker

import (
	"html"
	"strings"

	"github.com/contextd/contextd/internal/code"
)

// documentLanguages are documents, data, configuration and build files.
func documentLanguages() map[string]*language {
	lineStart := func(s *scan, i, _ int) bool { return s.atLineStart(i) }
	spaced := func(s *scan, i, _ int) bool { return i == 0 || isSpace(s.src[i-1]) || s.src[i-1] == '\n' }
	angleComment := []blockComment{{open: "<!--", close: "-->"}}
	sql := &language{
		lineComments: []string{"--"}, blockComments: cBlock, quoted: map[byte]str{'\'': {doubled: true, lines: true, loose: true}}, extra: "$", special: sqlSpecial,
		define: defineSQL, continues: pythonContinues,
	}
	return map[string]*language{
		"markdown":   {blockComments: angleComment, define: defineMarkdown, sections: true, continues: pythonContinues},
		"rst":        {define: defineRST, sections: true, continues: pythonContinues},
		"yaml":       {lineComments: hash, commentAt: spaced, define: defineYAML, indented: true, continues: yamlContinues},
		"json":       {lineComments: slashes, blockComments: cBlock, strings: `"`, define: defineJSON, newlines: true, continues: bracketContinues},
		"toml":       {lineComments: hash, quoted: map[byte]str{'"': {escapes: true, triple: true}, '\'': {triple: true}}, define: defineTOML, sections: true, continues: pythonContinues},
		"ini":        {lineComments: []string{"#", ";"}, commentAt: lineStart, define: defineTOML, sections: true, continues: pythonContinues},
		"sql":        sql,
		"html":       {blockComments: angleComment, define: defineHTML, sections: true, continues: pythonContinues},
		"xml":        {blockComments: angleComment},
		"css":        {lineComments: slashes, commentAt: lineStart, blockComments: cBlock, strings: `"'`, define: defineCSS, continues: bracketContinues},
		"dockerfile": {lineComments: hash, commentAt: lineStart, define: defineDockerfile, sections: true, continues: pythonContinues},
		"makefile":   {lineComments: hash, commentAt: spaced, define: defineMakefile, indented: true, continues: pythonContinues},
		"proto":      schema("message enum service", "rpc", ""),
		"graphql":    schemaHash("type input enum interface union scalar", "directive", ""),
		"terraform":  {lineComments: []string{"#", "//"}, blockComments: cBlock, strings: `"`, define: defineTerraform, newlines: true, continues: bracketContinues},
		"solidity":   schema("contract interface library struct enum", "function modifier event error constructor", "abstract"),
	}
}

func schema(types, funcs, mods string) *language {
	return &language{
		lineComments: slashes, blockComments: cBlock, strings: `"'`, define: byWords, continues: bracketContinues,
		words: table(mods, "", kinds{code.KindType: types, code.KindFunc: funcs}),
	}
}

func schemaHash(types, funcs, mods string) *language {
	l := schema(types, funcs, mods)
	l.lineComments, l.blockComments = hash, nil
	l.quoted, l.strings, l.docStrings, l.newlines = map[byte]str{'"': {escapes: true, triple: true}}, "", true, true
	return l
}

// lineText is the source of line ln without its line end and blanks around it.
func (s *scan) lineText(ln int) string {
	end := len(s.src)
	if ln+1 < len(s.lines) {
		end = s.lines[ln+1].start
	}
	return strings.TrimSpace(s.src[s.lines[ln].start:end])
}

// defineMarkdown finds headings outside fenced code. s.group holds the fence.
func defineMarkdown(s *scan, ln int) {
	l := s.lines[ln]
	c := s.code[l.first]
	if c == '`' || c == '~' {
		n := 1
		for s.code[l.first+n] == c {
			n++
		}
		if n >= 3 {
			switch {
			case s.group.last == 0:
				s.group = group{last: n, mark: s.src[l.first : l.first+1]}
			case n >= s.group.last && s.group.mark == s.src[l.first:l.first+1]:
				s.group = group{}
			}
			return
		}
	}
	if s.group.last > 0 || l.indent > 3 {
		return
	}
	if c == '#' {
		n := 1
		for s.code[l.first+n] == '#' {
			n++
		}
		if n <= 6 && (isSpace(s.code[l.first+n])) {
			s.section(ln, n, strings.TrimSpace(strings.TrimRight(s.lineText(ln)[n:], "# ")))
		}
		return
	}
	if (c == '=' || c == '-') && ln > 0 && s.lines[ln-1].kind == codeLine && s.last == ln-1 {
		text := s.lineText(ln)
		if len(text) >= 2 && strings.Trim(text, text[:1]) == "" {
			above := s.lineText(ln - 1)
			level := 1
			if c == '-' {
				level = 2
			}
			if len(above) < 200 && strings.IndexByte("-#>|*`+", above[0]) < 0 && s.lines[ln-1].indent <= 3 && !s.headingAt(ln-1) {
				s.heading(ln-1, level, above)
			}
		}
	}
}

// heading adds the heading of line ln, the line before the current one.
func (s *scan) heading(ln, level int, name string) {
	last := s.last
	s.last = max(ln-1, 0)
	s.section(ln, level, name)
	s.last = last
}

// headingAt reports whether line ln is a heading already.
func (s *scan) headingAt(ln int) bool {
	n := len(s.syms)
	return n > 0 && s.syms[n-1].Line > ln
}

// defineRST finds titles with a line of punctuation below. s.group.mark holds the marks seen, in order of level.
func defineRST(s *scan, ln int) {
	l := s.lines[ln]
	c := s.code[l.first]
	if l.indent > 0 || ln == 0 || strings.IndexByte("=-~^\"'`#*+.:_", c) < 0 || s.lines[ln-1].kind != codeLine || s.lines[ln-1].indent > 0 {
		return
	}
	text, above := s.lineText(ln), s.lineText(ln-1)
	if len(text) < 3 || len(above) > len(text)+1 || strings.Trim(text, text[:1]) != "" || above[0] == c || s.headingAt(ln-1) {
		return
	}
	marks := s.group.mark
	level := strings.IndexByte(marks, c)
	if level < 0 {
		level = len(marks)
		s.group.mark = marks + string(c)
	}
	s.heading(ln-1, level+1, above)
}

func yamlContinues(s *scan, p int) continuation {
	if s.code[p] == '-' && s.code[p+1] != '-' || isCloser(s.code[p]) {
		return goesOn // an item of a list may stand under its key
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
		if name := strings.Trim(text[:max(end, 0)], "[] "); end > 0 && !strings.ContainsAny(name, ",{") && s.lines[ln].indent == 0 {
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

// sqlSpecial reads dollar-quoted bodies.
func sqlSpecial(s *scan, i int, c byte) int {
	if c != '$' || i > 0 && isWord(s.src[i-1]) {
		return i
	}
	e := i + 1
	for e < len(s.src) && isWord(s.src[e]) && e < i+40 {
		e++
	}
	if e >= len(s.src) || s.src[e] != '$' || s.noHere {
		return i
	}
	tag := s.src[i : e+1]
	k := strings.Index(s.src[e+1:], tag)
	if k < 0 {
		s.noHere = true
		return i
	}
	s.mask(e+1, e+1+k, hidString)
	return e + 1 + k + len(tag)
}

// defineSQL finds CREATE statements.
func defineSQL(s *scan, ln int) {
	p := s.lines[ln].first
	e := s.word(p)
	if e-p != 6 || !strings.EqualFold(s.src[p:e], "create") {
		return
	}
	d := def{line: ln, value: true}
	for range 10 {
		p = s.skip(e)
		if e = s.word(p); e == p {
			return
		}
		switch strings.ToLower(s.src[p:e]) {
		case "table", "view", "type", "domain":
			d.kind = code.KindType
		case "function", "procedure", "trigger", "aggregate":
			d.kind = code.KindFunc
		case "index", "sequence", "policy", "extension", "role", "user":
			d.kind = code.KindValue
		case "schema", "database":
			d.kind = code.KindModule
		}
		if d.kind != "" {
			break
		}
	}
	for range 4 {
		q := s.skip(e)
		k := s.word(q)
		switch strings.ToLower(s.src[q:k]) {
		case "if", "not", "exists", "concurrently":
			e = k
			continue
		}
		s.sqlName(d, q)
		return
	}
}

// sqlName reads schema.name, either part in quotes or not.
func (s *scan) sqlName(d def, p int) {
	quotes := "\"`[]"
	for range 3 {
		q := p
		for strings.IndexByte(quotes, s.code[q]) >= 0 {
			q++
		}
		e := s.word(q)
		if e == q {
			return
		}
		if q > p { // to the closing quote, blanks included
			if k := strings.IndexAny(s.src[e:min(e+100, len(s.src))], "\"`]\n"); k > 0 && s.src[e+k] != '\n' {
				e += k
			}
		}
		end := e
		for strings.IndexByte(quotes, s.code[end]) >= 0 {
			end++
		}
		if s.code[end] == '.' {
			d.parent, p = s.src[q:e], end+1
			continue
		}
		d.name, d.at, d.after = s.src[q:e], q, end
		n := len(s.syms)
		s.add(d)
		if len(s.syms) > n {
			s.syms[n].Kind = d.kind
		}
		return
	}
}

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
		plain, rest, found := strings.Cut(text, "<")
		b.WriteString(plain)
		if _, rest, found = strings.Cut(rest, ">"); !found {
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
		assign := c == '=' || (c == ':' || c == '?' || c == '+' || c == '!') && (s.code[q+1] == '=' || s.code[q+1] == ':' && s.code[q+2] == '=')
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
