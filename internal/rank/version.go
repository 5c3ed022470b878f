package rank

import (
	"path"
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/code"
)

// copyOf is a path read as one of several copies: the version that it names, and what all copies have in common.
type copyOf struct {
	version int
	rest    string // the path with the version blanked or, where a directory is nothing but the version, without it
}

const (
	// unversioned is the version of a path beside copies in directories "vN": it is the current one.
	unversioned = 1000
	// versionDigits bounds the digits of a version: longer numbers are dates and counts.
	versionDigits = 3
	// maxCopies bounds the versions that are read of one path, the last ones.
	maxCopies = 4
	// blank stands for a version that was cut out of a name, so that parser_v2 is no copy of parser.
	blank = "\x00"
)

// copies are the ways in which a path may be a copy of another: "api/v2/types.go", "parser_v3.go", "ClientV3.java".
func copies(p code.Path) (out []copyOf) {
	for end := len(p); end > 0 && len(out) < maxCopies; {
		start := strings.LastIndexByte(p[:end], '/') + 1
		name := p[start:end]
		from, to, n := versionIn(name)
		directory := end < len(p)
		switch {
		case n < 0:
		case from > 0 || to < len(name) && (directory || name[to] != '.'):
			out = append(out, copyOf{n, p[:start+from] + blank + p[start+to:]})
		case directory: // nothing but "vN"; a file "v4.go" is no copy, it is one of several
			out = append(out, copyOf{n, p[:start] + p[end+1:]})
		}
		end = start - 1
	}
	return out
}

// versionIn finds the last version in a name: name[from:to] is "v" and a number n of at most versionDigits digits, with
// no letter or digit before and behind it that would make it part of a word: "_v3", "V3" behind a small letter, not the
// "v6" of "ipv6". n is -1 where there is none.
func versionIn(name string) (from, to, n int) {
	for from = len(name) - 2; from >= 0; from-- {
		if name[from]|0x20 != 'v' {
			continue
		}
		for to, n = from+1, 0; to < len(name) && to <= from+versionDigits && isDigit(name[to]); to++ {
			n = 10*n + int(name[to]-'0')
		}
		if to > from+1 && startsWord(name, from) &&
			(to == len(name) || !isDigit(name[to]) && !isLetter(name[to], 'a')) {
			return from, to, n
		}
	}
	return 0, 0, -1
}

// startsWord reports whether the letter at i begins a word of a name.
func startsWord(name string, i int) bool {
	if i == 0 {
		return true
	}
	before := name[i-1]
	return before < 0x80 && !isDigit(before) && !isLetter(before, 'a') && !isLetter(before, 'A') ||
		name[i] == 'V' && (isDigit(before) || isLetter(before, 'a'))
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isLetter reports whether c is one of the 26 letters from a, which is 'a' or 'A'.
func isLetter(c, a byte) bool { return c >= a && c < a+26 }

// readVersions notes the versions that a question names: "v3", "ClientV3", "version 3".
func (q *Query) readVersions(parts []string) {
	for i := range parts[:max(len(parts)-1, 0)] {
		if parts[i] != "v" && parts[i] != "version" || len(q.versions) == maxCopies {
			continue
		}
		if _, to, n := versionIn("v" + parts[i+1]); n >= 0 && to == len(parts[i+1])+1 {
			q.versions = append(q.versions, n)
		}
	}
}

// markOutdated marks candidates of which a copy with a higher version or, where the version is a directory, without one
// is among the candidates, unless the question names their version. 4 and 6 without 5 are versions of a protocol:
// neither is the older copy.
func (s *scorer) markOutdated(files []File, rows []row) {
	if s.q.asked[outdated] {
		return
	}
	type met struct {
		newest int
		five   bool
	}
	groups := make(map[string]met)
	of := make([][]copyOf, len(files))
	for i := range files {
		of[i] = copies(files[i].Path)
		for _, c := range of[i] {
			g := groups[c.rest]
			groups[c.rest] = met{max(g.newest, c.version), g.five || c.version == 5}
		}
	}
	if len(groups) == 0 {
		return
	}
	for i := range files {
		if g, ok := groups[files[i].Path]; ok {
			groups[files[i].Path] = met{unversioned, g.five}
		}
	}
	for i := range files {
		for _, c := range of[i] {
			g := groups[c.rest]
			if c.version < g.newest && !(c.version == 4 && g.newest == 6 && !g.five) &&
				!slices.Contains(s.q.versions, c.version) {
				rows[i].v[outdated] = 1
			}
		}
	}
}

// markParts halves stem_exact of a candidate that is one part of another: the question names both Dock.cs and
// Dock.Async.cs, and the plain one is what it means unless it says async.
func (s *scorer) markParts(files []File, rows []row) {
	plain := make(map[string]bool)
	for i := range files {
		if rows[i].v[stemExact] > 0 {
			plain[files[i].Path] = true
		}
	}
	for i := range files {
		if rows[i].v[stemExact] == 0 {
			continue
		}
		dir, base := path.Split(files[i].Path)
		first, last := strings.IndexByte(base[min(1, len(base)):], '.')+1, strings.LastIndexByte(base, '.')
		if first == 0 || first == last || !plain[dir+base[:first]+base[last:]] {
			continue
		}
		var room [8]int32
		asked := func(part int32) bool { return s.form(part).word >= 0 }
		if !slices.ContainsFunc(s.voc.split(base[first:last], room[:0]), asked) {
			rows[i].v[stemExact] *= .5
		}
	}
}
