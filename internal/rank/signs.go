package rank

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/contextd/contextd/internal/lexical"
)

// Bounds of what a text is searched for.
const (
	maxIdents = 32
	maxPaths  = 32
)

// A run that may be code or a path: no white space, no quotes.
var signForm = regexp.MustCompile(`[^\s"'<>()\[\]{},;|]+(?:\(\))?`)

// lazily compiles an expression when it is first used: most questions need few of them, and a command asks but one.
func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// A path or a file name: something, a dot, an extension; a stack frame's ":line" may follow.
var pathForm = lazily(
	`^(?:[A-Za-z]:)?[/\\]?(?:[\pL\pN_@.+~-]+[/\\])*[\pL\pN_@+-][\pL\pN_@.+-]*\.[A-Za-z][A-Za-z0-9]{0,7}(?::\d+.*)?$`)

var lineSuffix = lazily(`:\d+.*$`)

// readSigns finds what in a text is not prose: names in the shape of code, paths, and the words that lift a prior.
func (q *Query) readSigns(text string, parts []string) {
	for _, p := range parts {
		for i := range priors {
			if priors[i].asked[p] {
				q.asked[priors[i].feature] = true
			}
		}
	}
	for i := range parts { // initials of two or three adjacent words
		for n := 2; n <= 3 && i+n <= len(parts); n++ {
			run := parts[i : i+n]
			if stopwords[run[0]] || stopwords[run[n-1]] {
				continue
			}
			initials, words := "", []int(nil)
			for _, p := range run {
				initials += p[:1]
				if k, ok := q.byStem[lexical.Stem(p)]; ok {
					words = append(words, k)
				}
			}
			if len(words) > 0 && len(q.initials) < maxWords {
				q.initials[initials] = words
			}
		}
	}
	var words asideReader
	for _, sign := range signForm.FindAllString(text, 4*maxText) {
		quoted := strings.Contains(sign, "`")
		sign = strings.Trim(sign, "`*.:!?-#")
		if strings.Contains(sign, ".") && pathForm().MatchString(sign) && len(q.paths) < maxPaths {
			p := strings.ToLower(strings.ReplaceAll(lineSuffix().ReplaceAllString(sign, ""), `\`, "/"))
			q.paths = append(q.paths, strings.TrimPrefix(strings.TrimPrefix(p, "./"), "/"))
		}
		q.ident(sign, quoted, words.next(sign))
	}
}

// ident adds a sign that is a name in the shape of code, not a plain word. aside: it is named in passing here.
func (q *Query) ident(sign string, quoted, aside bool) {
	called := strings.HasSuffix(sign, "()")
	s := symbol(sign)
	if s == nil || q.Symbol != nil || len(q.idents) == maxIdents || strings.Contains(sign, "/") {
		return
	}
	name := strings.Trim(s.Name, "_")
	if !(quoted || called || s.Qualifier != "" || s.Name != name || strings.Contains(name, "_") || hasHump(name)) {
		return
	}
	if len(name) < 2 {
		return
	}
	if i := slices.Index(q.idents, *s); i >= 0 {
		q.asides[i] = q.asides[i] && aside
		return
	}
	q.idents, q.asides = append(q.idents, *s), append(q.asides, aside)
}

// hasHump reports whether a capital stands after a small letter or before one, inside: fooBar, HTTPServer.
func hasHump(name string) bool {
	upper := func(c byte) bool { return c >= 'A' && c <= 'Z' }
	lower := func(c byte) bool { return c >= 'a' && c <= 'z' }
	for i := 1; i < len(name); i++ {
		if upper(name[i]) && (lower(name[i-1]) || i+1 < len(name) && lower(name[i+1])) {
			return true
		}
	}
	return false
}
