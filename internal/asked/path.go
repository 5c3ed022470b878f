package asked

import (
	"strings"
	"unicode/utf8"
)

// isStop reports whether c stands in no path outside of quotes.
func isStop(c byte) bool {
	return c <= ' ' || c == 0x7f || strings.IndexByte("\"'`<>|;,", c) >= 0
}

// quotes are those that close a path in quotes, each with what opens it.
var quotes = [...][2]string{{`"`, `"`}, {"`", "`"}, {"'", "'"}, {"”", "“"}, {"’", "‘"}, {"»", "«"}}

// pathBefore is the path that ends at line[end], and the folder that a frame names beside it; "" if none does. It begins behind floor
// and may hold spaces in quotes, as what follows "in" (sharp), and in quotes or brackets that close behind the number, in rest.
func pathBefore(line string, floor, end int, rest string, sharp bool) (path, folder string) {
	low := max(floor, end-maxPath)
	text := line[low:end]
	for _, q := range quotes {
		if body, ok := strings.CutSuffix(text, q[0]); ok {
			k := strings.LastIndex(body, q[1])
			if k < 0 {
				return "", ""
			}
			return clean(body[k+len(q[1]):], true), ""
		}
	}
	k := len(text)
	for k > 0 && !isStop(text[k-1]) {
		k--
	}
	token := text[k:]
	if sharp {
		in := strings.LastIndex(" "+text, " in ")
		if in >= 0 {
			if path = clean(text[in+len("in "):], true); path != "" {
				return path, ""
			}
		}
	}
	for _, q := range quotes {
		if k == 0 || !strings.HasPrefix(rest, q[0]) {
			continue
		}
		if at := strings.LastIndex(text, q[1]); at >= 0 {
			if path = clean(text[at+len(q[1]):], true); path != "" {
				return path, ""
			}
		}
	}
	open := opening(token)
	if open < 0 && k > 0 && strings.HasPrefix(rest, ")") {
		if b := strings.LastIndexByte(text, '('); b >= 0 &&
			(text[b+1] == '/' || isDrive(text[b+1:]) || strings.HasPrefix(text[b+1:], "file:")) {
			return clean(text[b+1:], true), ""
		}
	}
	if open >= 0 {
		if path = clean(token[open+1:], false); path != "" && token[open] == '(' {
			folder = folderOf(token[:open])
		}
		return path, folder
	}
	return clean(token, false), ""
}

// opening is the last bracket of a token that nothing closes, or one that closes where no path goes on; -1 for none.
func opening(token string) int {
	depth := 0
	for i := len(token) - 1; i >= 0; i-- {
		switch c := token[i]; c {
		case ')', ']', '}':
			if i+1 < len(token) && token[i+1] != '/' && token[i+1] != '\\' && token[i+1] != '.' && c == ']' {
				return i
			}
			depth++
		case '(', '[', '{':
			if depth--; depth < 0 {
				return i
			}
		}
	}
	return -1
}

// folderOf is the package of a qualified name, "com.acme.Foo.bar", as a folder.
func folderOf(name string) string {
	name = name[strings.LastIndexByte(name, '/')+1:]
	parts := strings.Split(name, ".")
	for i, p := range parts {
		if p == "" || strings.ContainsAny(p, "$<") || p[0] >= 'A' && p[0] <= 'Z' || i == len(parts)-1 {
			return strings.Join(parts[:i], "/")
		}
	}
	return ""
}

// pathAfter is the path that stands behind a number: "line 12 of a.go"; and where it ends.
func pathAfter(line string, at int) (path string, end int) {
	rest := line[at:min(len(line), at+maxPath+16)]
	s := strings.TrimLeft(rest, " ,")
	if len(s) == len(rest) {
		return "", at
	}
	for _, word := range [...]string{"of ", "in ", "at ", "from "} {
		if t, ok := strings.CutPrefix(s, word); ok {
			t = strings.TrimPrefix(strings.TrimPrefix(t, "the "), "file ")
			at += len(rest) - len(t)
			for _, q := range quotes {
				if body, ok := strings.CutPrefix(t, q[1]); ok {
					n := strings.Index(body, q[0])
					if n < 0 {
						return "", at
					}
					return clean(body[:n], true), at + len(q[1]) + n + len(q[0])
				}
			}
			n := 0
			for n < len(t) && !isStop(t[n]) {
				n++
			}
			if token := strings.TrimRight(t[:n], ".:!?)]}*_"); strings.IndexByte(token, ':') < 2 {
				// with a line of its own it is another place
				return clean(token, false), at + len(token)
			}
			return "", at
		}
	}
	return "", at
}

// clean is the path in what was found where one may stand, "" if there is none.
func clean(s string, quoted bool) string {
	if k := strings.Index(s, "://"); k >= 0 {
		rest := s[k+3:]
		isFile := k >= 4 && strings.EqualFold(s[k-4:k], "file")
		if !(isFile && isDrive(rest)) {
			slash := strings.IndexByte(rest, '/')
			if slash < 0 { // nothing but a host
				return ""
			}
			rest = rest[slash:]
		}
		rest, _, _ = strings.Cut(rest, "?")
		if len(rest) > 1 && isDrive(rest[1:]) {
			rest = rest[1:]
		}
		if s = rest; !named(s) {
			return ""
		}
	}
	if !quoted {
		if k := strings.IndexByte(s, '?'); k > 0 {
			s = s[:k]
		}
		s = strings.TrimPrefix(strings.TrimLeft(s, "([{"), "**")
		if k := strings.IndexByte(s, '='); k >= 0 && !strings.ContainsAny(s[:k], `/\`) {
			s = s[k+1:]
		}
		if len(s) > 1 && s[0] == '@' && s[1] != '/' && strings.Count(s, "/") < 2 {
			s = s[1:]
		}
	}
	if k := strings.LastIndexByte(s, ':'); k >= 0 && !(isDrive(s[k-min(k, 1):]) && (k < 2 || !isLetter(s[k-2]))) {
		s = s[k+1:]
	} else if k > 1 {
		s = s[k-1:]
	}
	return validPath(s, quoted)
}

// validPath returns s as a path if it may be that of a file, else "".
func validPath(s string, quoted bool) string {
	if s == "" || len(s) > maxPath || !utf8.ValidString(s) || !named(s) {
		return ""
	}
	for i := range len(s) {
		if s[i] < ' ' || s[i] == 0x7f || !quoted && strings.IndexByte("*?", s[i]) >= 0 {
			return ""
		}
	}
	return s
}

// named reports whether the last part of a path is the name of a file: with an extension, well known, or in a folder.
func named(s string) bool {
	k := strings.LastIndexAny(s, `/\`)
	base := s[k+1:]
	if base == "" || len(base) > 255 {
		return false
	}
	dot := strings.LastIndexByte(base, '.')
	if dot < 0 {
		return wellKnown[strings.ToLower(base)] || k > 0 && letterIn(base) && !isHost(s[:k])
	}
	stem, ext := base[:dot], base[dot+1:]
	if ext == "" || len(ext) > 12 || !isLetter(ext[0]) {
		return false
	}
	for i := range len(ext) {
		if !isLetter(ext[i]) && !isDigit(ext[i]) && ext[i] != '_' && ext[i] != '-' {
			return false
		}
	}
	return stem == "" || !isVersion(stem, ext) && !(k < 0 && domains[strings.ToLower(ext)])
}

var wellKnown = map[string]bool{"makefile": true, "dockerfile": true, "rakefile": true, "gemfile": true,
	"jenkinsfile": true, "vagrantfile": true,
	"procfile": true, "justfile": true, "podfile": true, "brewfile": true, "fastfile": true, "containerfile": true,
	"build": true, "workspace": true}

// domains end the names of hosts, and of no files of code.
var domains = map[string]bool{"com": true, "net": true, "org": true, "io": true, "dev": true, "local": true,
	"internal": true, "edu": true, "gov": true,
	"ai": true, "cloud": true, "app": true, "lan": true, "home": true, "corp": true, "localhost": true,
	"localdomain": true, "svc": true}

func isHost(s string) bool {
	first, _, _ := strings.Cut(s, "/")
	return domains[strings.ToLower(first[strings.LastIndexByte(first, '.')+1:])]
}

// isVersion reports whether stem and extension are a version such as "1.2.3-rc" and no name: digits alone, and an extension that
// says nothing, or several numbers.
func isVersion(stem, ext string) bool {
	if len(stem) > 1 && (stem[0] == 'v' || stem[0] == 'V') && isDigit(stem[1]) {
		stem = stem[1:]
	}
	if !isDigit(stem[0]) || letterIn(stem) {
		return false
	}
	return len(ext) < 2 || strings.IndexByte(stem, '.') >= 0
}

func letterIn(s string) bool {
	for i := range len(s) {
		if isLetter(s[i]) || s[i] >= utf8.RuneSelf {
			return true
		}
	}
	return false
}
