package secret

import (
	"context"
	"strings"
)

// Find reports whether text holds a token of a known form or a private key, and which: as it stands, behind escapes and
// colours, or written in escapes such as %3D. Placeholders ("AKIAXXXX…", "…EXAMPLE") and the bare first line of a key
// are none. Its time grows with the length of text and no faster.
func Find(text string) (rule string, found bool) {
	rule, found, _ = FindWithin(context.Background(), text)
	return rule, found
}

// FindWithin is Find until its context is over: then the error says so, and nothing is known of the text.
func FindWithin(ctx context.Context, text string) (rule string, found bool, err error) {
	for _, v := range []*decoded{{text: text}, unescape(text)} {
		if v == nil {
			continue
		}
		s := v.scan(ctx)
		switch r, _, _ := s.next(0); {
		case s.err != nil:
			return "", false, s.err
		case r != nil:
			return r.name, true, nil
		}
	}
	return "", false, nil
}

// scanner finds the secrets of a text from its beginning to its end.
type scanner struct {
	ctx  context.Context
	err  error
	text string
	view *decoded
	cut  int // where the last secret ended: another may follow it without a gap

	ends [64]int // by rule: how far the bytes that its last body was made of go on, so that no run is read twice
	work int     // bytes looked at beside the way through text: the cost that tests count
}

// pollBytes is the number of bytes after which a scan asks whether its context is over.
const pollBytes = 64 << 10

// next finds the first secret that begins at or after from, or whose anchor does: text[start:end]. The rule is nil
// where there is none, or the context is over: then s.err says so.
func (s *scanner) next(from int) (rule *form, start, end int) {
	text := s.text
	if len(text)-from < 16 {
		return nil, 0, 0
	}
	s.cut = from
	pair := uint16(text[from])
	for i := from + 1; i < len(text); i++ {
		if i%pollBytes == 0 {
			if s.err = s.ctx.Err(); s.err != nil {
				return nil, 0, 0
			}
		}
		if pair = pair<<8 | uint16(text[i]); pairBits[pair/64]&(1<<(pair%64)) == 0 {
			continue
		}
		for _, k := range formsByPair[pair] {
			r := &forms[k]
			at := i - 1 - r.at
			if at < from || !strings.HasPrefix(text[at:], r.anchor) {
				continue
			}
			if r.body == nil {
				if after := at + len(r.anchor); s.privateKey(after) {
					return r, strings.LastIndex(text[:at], keyBegin), s.keyEnd(after)
				}
			} else if end, ok := s.matches(k, at); ok {
				return r, at, end
			}
		}
	}
	return nil, 0, 0
}

// matches reports whether a token of the form of forms[k] begins at from, and where it ends.
func (s *scanner) matches(k, from int) (end int, ok bool) {
	r, text := &forms[k], s.text
	if from > 0 && from != s.cut && (alnum(text[from-1]) || text[from-1] == '_') && !s.view.joint(from) &&
		!escaped(text, from) {
		return 0, false
	}
	start := from + len(r.anchor)
	end = start
	if r.max == 0 { // a run that was read for an earlier place goes on to the same end
		end = max(end, s.ends[k])
	}
	for end < len(text) && r.body(text[end]) && (r.max == 0 || end-start <= r.max) {
		end++
	}
	s.work += end - max(start, s.ends[k])
	n := end - start
	if r.max == 0 {
		s.ends[k] = end
	} else if n > r.max || end < len(text) && (alnum(text[end]) || text[end] == '_') {
		return 0, false
	}
	return end, n >= r.min && !s.placeholder(text[start:end])
}

// escaped reports whether an escape ends right before at, so that its last letter is no part of a word there: "\n",
// "\x3d", "%3D", "=3D", "\u003e" or the colour of a terminal, "\x1b[31m", whose first byte may be written in any way.
func escaped(text string, at int) bool {
	before := text[max(0, at-maxEscape):at]
	n := len(before)
	if n < 2 {
		return false
	}
	last := before[n-1]
	if before[n-2] == '\\' && (strings.IndexByte("abefnrtv", last) >= 0 || '0' <= last && last <= '7') {
		return true
	}
	if i := len(strings.TrimRight(before[:n-1], decimal+";:?")); i > 0 && before[i-1] == '[' && alnum(last) {
		return true
	}
	i := len(strings.TrimRight(before, hexDigits))
	if i == 0 || n-i < 2 {
		return false
	}
	switch c := before[i-1]; c {
	case '=':
		return n-i == 2
	case '%', '\\':
		return true
	case 'x', 'u', 'U':
		return i > 1 && before[i-2] == '\\'
	}
	return false
}

// maxEscape is the number of bytes of the longest escape that escaped knows.
const maxEscape = 24

const (
	decimal   = "0123456789"
	hexDigits = decimal + "abcdefABCDEF"
)

// maxMadeUp is how far into a token is looked for signs that it was made up.
const maxMadeUp = 256

// placeholder reports whether the body of a token was made up by hand: few different characters, or the word EXAMPLE.
func (s *scanner) placeholder(body string) bool {
	body = body[:min(len(body), maxMadeUp)]
	s.work += len(body)
	if strings.Contains(strings.ToUpper(body), "EXAMPLE") {
		return true
	}
	var seen [256]bool
	different := 0
	for i := range len(body) {
		if !seen[body[i]] {
			seen[body[i]] = true
			different++
		}
	}
	return different < 6
}
