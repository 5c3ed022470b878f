package tokens

import (
	"unicode"
	"unicode/utf8"
)

// The encodings cut a text into pieces, each of which is encoded alone. They define the cut by an expression with
// backtracking and lookahead; this file is that expression by hand, for speed and because the library's engine takes
// quadratic time on white space with line ends in it. A fuzz test holds it against the library.

// class says which parts of the expression a character can stand in.
type class uint8

const (
	upper   class = 1 << iota // \p{Lu} \p{Lt} \p{Lm} \p{Lo} \p{M}: may stand in the front part of a word
	lower                     // \p{Ll} \p{Lm} \p{Lo} \p{M}: may stand in its rear part
	letter                    // \p{L}
	number                    // \p{N}
	space                     // \s
	newline                   // \r \n
)

var ascii = func() (t [utf8.RuneSelf]class) {
	for r := range t {
		t[r] = classify(rune(r))
	}
	return t
}()

func classOf(r rune) class {
	if r < utf8.RuneSelf {
		return ascii[r]
	}
	return classify(r)
}

func classify(r rune) class {
	switch {
	case r == '\r' || r == '\n':
		return space | newline
	case unicode.IsSpace(r):
		return space
	case unicode.Is(unicode.Ll, r):
		return lower | letter
	case unicode.In(r, unicode.Lu, unicode.Lt):
		return upper | letter
	case unicode.IsLetter(r):
		return upper | lower | letter
	case unicode.IsMark(r):
		return upper | lower
	case unicode.IsNumber(r):
		return number
	}
	return 0
}

// rule cuts the next piece off: its length in bytes, from 1. s is UTF-8 and not empty.
type rule func(s string) int

// run is where the characters of a class end.
func run(s string, from int, c class) int {
	for from < len(s) {
		if b := s[from]; b < utf8.RuneSelf {
			if ascii[b]&c == 0 {
				return from
			}
			from++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[from:])
		if classify(r)&c == 0 {
			return from
		}
		from += n
	}
	return from
}

// splitO200k follows
//
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+('s|'t|'re|'ve|'m|'ll|'d)? |
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*('s|'t|'re|'ve|'m|'ll|'d)? |
//	\p{N}{1,3} |  ?[^\s\p{L}\p{N}]+[\r\n/]* | \s*[\r\n]+ | \s+(?!\S) | \s+
func splitO200k(s string) int {
	r, n := utf8.DecodeRuneInString(s)
	c := classOf(r)
	if c&(newline|letter|number) == 0 { // the character before a word
		if end := word(s, n); end > 0 {
			return end + contraction(s[end:])
		}
	}
	if end := word(s, 0); end > 0 {
		return end + contraction(s[end:])
	}
	return splitOther(s, r, n, c, true)
}

// word is where a word that begins at from ends, 0 if none does: capitals, then small letters, at least one of either.
func word(s string, from int) int {
	front := run(s, from, upper)
	if end := run(s, front, lower); end > front {
		return end
	}
	if front == from {
		return 0
	}
	// Letters without case can be the rear part: the first rule ends behind the last of them, the second takes all.
	for p := front; p > from; {
		r, n := utf8.DecodeLastRuneInString(s[:p])
		if classOf(r)&lower != 0 {
			return p
		}
		p -= n
	}
	return front
}

// contraction is the length of an English ending at the start of s, 0 if there is none.
func contraction(s string) int {
	if len(s) < 2 || s[0] != '\'' {
		return 0
	}
	second := func(c byte) int {
		if len(s) > 2 && s[2]|0x20 == c {
			return 3
		}
		return 0
	}
	switch s[1] | 0x20 {
	case 's', 't', 'm', 'd':
		return 2
	case 'r', 'v':
		return second('e')
	case 'l':
		return second('l')
	}
	if len(s) > 2 && s[1:3] == "ſ" { // folds to s
		return 3
	}
	return 0
}

// splitCl100k follows
//
//	'(s|t|re|ve|m|ll|d) | [^\r\n\p{L}\p{N}]?\p{L}+ | \p{N}{1,3} |  ?[^\s\p{L}\p{N}]+[\r\n]* | \s*[\r\n]+ | \s+(?!\S) | \s+
func splitCl100k(s string) int {
	if n := contraction(s); n > 0 {
		return n
	}
	r, n := utf8.DecodeRuneInString(s)
	c := classOf(r)
	from := 0
	if c&(newline|letter|number) == 0 {
		from = n
	}
	if end := run(s, from, letter); end > from {
		return end
	}
	return splitOther(s, r, n, c, false)
}

// splitOther cuts what is no word: up to three digits, signs with the line ends (and slashes) behind them, white space.
func splitOther(s string, r rune, n int, c class, slash bool) int {
	if c&number != 0 {
		for range 2 {
			r, k := utf8.DecodeRuneInString(s[n:])
			if k == 0 || classOf(r)&number == 0 {
				break
			}
			n += k
		}
		return n
	}
	from := 0
	if r == ' ' {
		from = 1
	}
	end := from
	for end < len(s) {
		r, k := utf8.DecodeRuneInString(s[end:])
		if classOf(r)&(space|letter|number) != 0 {
			break
		}
		end += k
	}
	if end > from {
		for end < len(s) && (s[end] == '\r' || s[end] == '\n' || slash && s[end] == '/') {
			end++
		}
		return end
	}
	return splitBlank(s)
}

// splitBlank cuts white space: up to its last line end or, without one, all but the last character, which goes to what
// follows.
func splitBlank(s string) int {
	end := run(s, 0, space)
	for p := end; p > 0; p-- {
		if s[p-1] == '\n' || s[p-1] == '\r' {
			return p
		}
	}
	if end == len(s) {
		return end
	}
	if _, n := utf8.DecodeLastRuneInString(s[:end]); n < end {
		return end - n
	}
	return end
}
