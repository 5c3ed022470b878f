package intent

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// path is the path that s spells, "" if it spells none. lined says that a line follows it.
func (d *data) path(s string, quoted, lined bool) string {
	if len(s) >= 7 && strings.EqualFold(s[:7], "file://") {
		u, ok := unescape(strings.TrimPrefix(s[7:], "localhost"))
		if !ok || !strings.HasPrefix(u, "/") || !utf8.ValidString(u) || strings.ContainsFunc(u, unicode.IsControl) {
			return ""
		}
		if len(u) > 2 && u[2] == ':' {
			u = u[1:]
		}
		s, quoted = u, true // it may hold what was escaped
	}
	s = strings.ReplaceAll(s, `\`, "/")
	root := ""
	switch {
	case len(s) > 2 && s[1] == ':' && s[2] == '/' && (s[0]|0x20) >= 'a' && (s[0]|0x20) <= 'z':
		root, s = s[:3], s[3:]
	case strings.HasPrefix(s, "//"):
		root, s = "//", s[2:]
	case strings.HasPrefix(s, "/"):
		root, s = "/", s[1:]
	case strings.HasPrefix(s, "~/"):
		root, s = "~/", s[2:]
	case strings.HasPrefix(s, "@") && len(s) > 1 && s[1] != '/':
		s = s[1:]
	}
	near := root == "~/" // it is a path by how it begins
	for strings.HasPrefix(s, "./") {
		s, near = s[2:], true
	}
	up := 0
	for strings.HasPrefix(s[up:], "../") {
		up, near = up+3, true
	}
	if !segments(s[up:], quoted) {
		return ""
	}
	segs := strings.Split(s[up:], "/")
	base := segs[len(segs)-1]
	alone := len(segs) == 1 && root == "" && !near
	if !d.isFile(base, alone, (near || root != "//" && lined) && !(alone && !near), quoted) || !alone && root == "" &&
		up == 0 && d.isHost(segs) {
		return ""
	}
	return root + s
}

// segments reports whether s is segments between slashes that a file's path may have.
func segments(s string, quoted bool) bool {
	for seg := range strings.SplitSeq(s, "/") {
		if seg == "" || seg == "." || strings.Contains(seg, "..") || seg[0] == ' ' || seg[len(seg)-1] == ' ' ||
			seg[len(seg)-1] == '.' || seg[0] == '-' {
			return false
		}
		depth := 0
		for _, c := range seg {
			switch {
			case c == '(' || c == '[' || c == '{':
				depth++
			case c == ')' || c == ']' || c == '}':
				depth--
			case unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.Is(unicode.M, c) ||
				strings.ContainsRune("._-+@~#$%=&", c):
			case quoted && (c == ' ' || c == '!' || c == '\'' || c == ','):
			default:
				return false
			}
			if depth < 0 {
				return false
			}
		}
		if depth != 0 {
			return false
		}
	}
	return true
}

// isFile reports whether base names a file. alone: no directory stands before it; any: it needs no extension.
func (d *data) isFile(base string, alone, any, quoted bool) bool {
	lower := strings.ToLower(base)
	if d.file[lower] && (!alone || quoted || base == strings.ToUpper(base) || lower == "makefile" ||
		base != lower && strings.HasSuffix(lower, "file")) {
		return true
	}
	dot := strings.LastIndexByte(base, '.')
	if dot < 0 {
		return any && strings.ContainsFunc(base, unicode.IsLetter)
	}
	ext := lower[dot+1:]
	switch {
	case dot == 0: // a hidden file, or an extension alone
		return len(ext) > 1 && base == lower && !(alone && d.ext[ext] && ext != "env" && ext != "gitignore") &&
			strings.ContainsFunc(ext, unicode.IsLetter)
	case alone && !quoted && (d.product[lower] || strings.ContainsRune(base, ' ')),
		strings.ContainsAny(base[:1], "()[]{}") && alone, strings.ContainsAny(ext, "()[]{}"):
		return false
	case quoted && strings.ContainsRune(base, ' ') && !d.ext[ext]:
		return false
	case d.ext[ext]:
		return sameCase(base[dot+1:]) && strings.ContainsFunc(base[:dot], func(c rune) bool {
			return unicode.IsLetter(c) || unicode.IsDigit(c) || c == '_'
		})
	case alone:
		return false
	}
	return len(ext) > 1 && len(ext) <= 10 && sameCase(base[dot+1:]) && ext[0] >= 'a' && ext[0] <= 'z' &&
		strings.Trim(ext, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// sameCase reports whether s is of small or of capital letters, not both: "go", "MD", not "Then".
func sameCase(s string) bool { return strings.ToLower(s) == s || strings.ToUpper(s) == s }

// isHost reports whether segments begin with the name of a host: "github.com/a/b.go", "git@example.org:a/b.git".
func (d *data) isHost(segs []string) bool {
	host, _, _ := strings.Cut(segs[0], ":")
	dot := strings.LastIndexByte(host, '.')
	return dot > 0 && d.domain[strings.ToLower(host[dot+1:])] || strings.HasPrefix(host, "localhost")
}

// unescape resolves the percent escapes of a URL's path.
func unescape(s string) (string, bool) {
	var b []byte
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b = append(b, s[i])
			continue
		}
		if i+2 >= len(s) {
			return "", false
		}
		c, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
		if err != nil {
			return "", false
		}
		b = append(b, byte(c))
		i += 2
	}
	return string(b), true
}
