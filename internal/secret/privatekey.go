package secret

import "strings"

// keyBegin and keyFinish begin the first and the last line of a private key.
const (
	keyBegin  = "-----BEGIN "
	keyFinish = "-----END "
)

const (
	minKeyRun  = 32   // base64 characters in a row that make the first line of a key
	minKeyTail = 16   // and a further line of a key that has no last line
	maxKeyHead = 2000 // bytes behind the words PRIVATE KEY in which the first line of base64 begins
	maxHeaders = 6    // lines such as "Proc-Type: 4,ENCRYPTED" before it
	maxBlank   = 6    // lines without anything but their number before it
	maxMark    = 120  // bytes that a tool puts before each line: its number, its file, who wrote it
)

// privateKey reports whether the words PRIVATE KEY that end at at belong to the first line of a key that is there:
// base64 follows, behind white space, quotes, escapes and header lines, as in a file or in a string of source code, or
// with a mark before each line, as in a diff or what "cat -n" prints.
func (s *scanner) privateKey(at int) bool {
	head := s.text[max(0, at-60):at]
	if i := strings.LastIndex(head, keyBegin); i < 0 || strings.ContainsAny(head[i:], "\n\"'") {
		return false
	}
	rest := strings.TrimPrefix(s.text[at:min(len(s.text), at+maxKeyHead)], " BLOCK")
	rest, ok := strings.CutPrefix(rest, "-----")
	if !ok {
		return false
	}
	for headers, blank := 0, 0; headers < maxHeaders && blank < maxBlank; {
		line, after, more := cutLine(rest)
		s.work += len(line) + maxMark
		switch run := keyRun(line, minKeyRun); {
		case run != "":
			return !s.placeholder(run)
		case !more:
			return false
		case strings.Contains(line, ": "):
			headers++
		case len(line) < maxMark && (headers > 0 || !strings.ContainsFunc(skipGlue(line), letter)):
			blank++
		default:
			return false
		}
		rest = after
	}
	return false
}

func letter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }

// cutLine cuts off the first line, of a file or of a string in source code.
func cutLine(s string) (line, after string, more bool) {
	i := strings.IndexByte(s, '\n')
	if i < 0 {
		i = len(s)
	}
	if j := strings.Index(s[:i], `\n`); j >= 0 {
		return s[:j], s[j+2:], true
	}
	if i == len(s) {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

// keyRun is the base64 of a line of a key, at least least characters in a row: behind white space and quotes, or at the
// end of the line behind what a tool puts before each.
func keyRun(line string, least int) string {
	glued := skipGlue(line)
	run := 0
	for run < len(glued) && base64Char(glued[run]) {
		run++
	}
	if run >= least {
		return glued[:run]
	}
	line = strings.TrimRight(line, " \t\r\"'`,+;)\\")
	from := len(line)
	for from > 0 && base64Char(line[from-1]) {
		from--
	}
	tail := line[from:]
	if len(tail) < least || from > maxMark ||
		!(strings.ContainsFunc(tail, func(r rune) bool { return 'a' <= r && r <= 'z' }) &&
			strings.ContainsFunc(tail, func(r rune) bool { return 'A' <= r && r <= 'Z' })) {
		return ""
	}
	return tail
}

// keyEnd is where the private key whose first line holds the words that end at at is over: behind its last line, or, where
// there is none, behind its last line of base64.
func (s *scanner) keyEnd(at int) int {
	rest := s.text[at:]
	if i := strings.Index(rest, keyBegin); i >= 0 {
		rest = rest[:i]
	}
	if i := strings.Index(rest, keyFinish); i >= 0 {
		line := rest[i+len(keyFinish):]
		if j := strings.IndexAny(line, "-\n"); j >= 0 {
			line = line[j:]
		} else {
			line = ""
		}
		return at + len(rest) - len(strings.TrimLeft(line, "-"))
	}
	s.work += len(rest)
	end := 0
	for pos, more := 0, true; more; {
		var line, after string
		line, after, more = cutLine(rest[pos:])
		if run := keyRun(line, minKeyTail); run != "" {
			end = pos + lastRun(line, strings.LastIndex(line, run)+len(run))
		} else if end > 0 && strings.ContainsFunc(skipGlue(line), letter) {
			break
		}
		pos = len(rest) - len(after)
	}
	return at + end
}

// lastRun is where the last of the runs of base64 ends that follow the one that ends at end: a key whose lines became one.
func lastRun(line string, end int) int {
	for {
		from := len(line) - len(skipGlue(line[end:]))
		to := from
		for to < len(line) && base64Char(line[to]) {
			to++
		}
		if to-from < minKeyTail {
			return end
		}
		end = to
	}
}

// skipGlue drops what may stand between two lines of a key: white space, quotes, operators, comment marks, "\n" and "\r".
func skipGlue(s string) string {
	for s != "" {
		switch {
		case strings.HasPrefix(s, `\n`), strings.HasPrefix(s, `\r`):
			s = s[2:]
		case strings.IndexByte(" \t\r\n\"'`,.#*;>|()\\", s[0]) >= 0:
			s = s[1:]
		case (s[0] == '+' || s[0] == '/') && len(s) > 1 && strings.IndexByte(" \t\r\n\"'`/*", s[1]) >= 0:
			s = s[1:]
		default:
			return s
		}
	}
	return s
}
