package asked

import (
	"strconv"
	"strings"
)

// diff is where in a unified diff the scanner is.
type diff struct {
	old, new string // paths as the headers have them
	minus    string // of a "--- " line, as long as no "+++ " has followed
	// Of the hunk that is read:
	open        bool
	olds, news  int // lines that are still to come
	line        int // number of the next line of the new side
	first, last int // changed lines, 0 for none so far
	hunk        Place
}

// inDiff takes a line that is part of a diff.
func (s *scanner) inDiff(line string) bool {
	d := &s.diff
	if d.open && d.body(line) {
		return true
	}
	s.endHunk()
	minus := d.minus
	d.minus = ""
	switch {
	case strings.HasPrefix(line, "diff --git "):
		d.old, d.new = gitPaths(line[len("diff --git "):])
		return true
	case strings.HasPrefix(line, "--- ") && len(line) > 4:
		d.minus = headerPath(line[4:])
		return d.minus != ""
	case strings.HasPrefix(line, "+++ ") && minus != "":
		if path := headerPath(line[4:]); path != "" {
			d.old, d.new = stripPrefixes(minus, path)
			return true
		}
	case strings.HasPrefix(line, "@@ -"):
		return d.begin(line[len("@@ -"):])
	}
	return false
}

// begin reads what follows "@@ -".
func (d *diff) begin(s string) bool {
	oldFirst, olds, s, ok := extent(s)
	if !ok || !strings.HasPrefix(s, " +") {
		return false
	}
	newFirst, news, s, ok := extent(s[2:])
	if !ok || !strings.HasPrefix(s, " @@") {
		return false
	}
	path, first, n := d.new, newFirst, news
	if d.new == "/dev/null" {
		path, first, n = d.old, oldFirst, olds
	}
	if path = validPath(path, false); path == "" {
		return true
	}
	first = max(first, 1)
	d.open, d.olds, d.news, d.line, d.first, d.last = true, olds, news, first, 0, 0
	d.hunk = Place{Path: path, First: first, Last: first + max(n, 1) - 1, Kind: Hunk}
	return true
}

// extent reads "12,3" or "12".
func extent(s string) (first, n int, rest string, ok bool) {
	number := func() int {
		k := 0
		for k < len(s) && k < 8 && isDigit(s[k]) {
			k++
		}
		v, err := strconv.Atoi(s[:k])
		ok, s = err == nil && v <= maxLine, s[k:]
		return v
	}
	if first, n = number(), 1; ok && strings.HasPrefix(s, ",") {
		s = s[1:]
		n = number()
	}
	return first, n, s, ok
}

// body takes a line of the hunk that is open; false if it is none.
func (d *diff) body(line string) bool {
	if d.olds <= 0 && d.news <= 0 && !strings.HasPrefix(line, `\`) {
		return false
	}
	mark := byte(' ')
	if line != "" {
		mark = line[0]
	}
	switch mark {
	case '+':
		d.news--
		d.change()
		d.line++
	case '-':
		d.olds--
		d.change()
		if d.new == "/dev/null" {
			d.line++
		}
	case ' ', '\t':
		d.olds, d.news, d.line = d.olds-1, d.news-1, d.line+1
	case '\\':
	default:
		return false
	}
	return true
}

func (d *diff) change() {
	if d.first == 0 {
		d.first = d.line
	}
	d.last = d.line
}

// endHunk notes the hunk that was read: the lines that it changes, else all of it.
func (s *scanner) endHunk() {
	d := &s.diff
	if !d.open {
		return
	}
	d.open = false
	if d.first > 0 {
		d.hunk.First, d.hunk.Last = min(d.first, d.hunk.Last), min(d.last, d.hunk.Last)
	}
	s.hunks = append(s.hunks, d.hunk)
}

// gitPaths are the paths of a line of git, "a/x b/x".
func gitPaths(s string) (old, new string) {
	if n := len(s) / 2; len(s)%2 == 1 && s[n] == ' ' && !strings.HasPrefix(s, `"`) {
		// as long as nothing is renamed, both are of one length
		return stripPrefixes(s[:n], s[n+1:])
	}
	a, b, _ := strings.Cut(s, " b/")
	return stripPrefixes(a, "b/"+b)
}

// headerPath is the path of a "--- " or "+++ " line.
func headerPath(s string) string {
	s, _, _ = strings.Cut(s, "\t")
	if strings.HasPrefix(s, `"`) {
		if u, err := strconv.Unquote(s); err == nil {
			s = u
		}
	}
	return strings.TrimRight(s, " ")
}

// stripPrefixes removes from two paths the letters that git puts in front of the sides.
func stripPrefixes(old, new string) (string, string) {
	marked := func(p string) bool {
		return p == "/dev/null" || len(p) > 2 && p[1] == '/' && strings.IndexByte("abciow12", p[0]) >= 0
	}
	if !marked(old) || !marked(new) || old == new {
		return old, new
	}
	cut := func(p string) string {
		if p == "/dev/null" {
			return p
		}
		return p[2:]
	}
	return cut(old), cut(new)
}
