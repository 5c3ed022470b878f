package lexical

import "strings"

// Stem reduces an English word to its stem by the algorithm of M. F. Porter, "An algorithm for suffix stripping",
// Program 14(3), 1980, with the original rules. word is in lower case; a word with anything but a-z, or of less than
// three letters, is returned as it is.
func Stem(word string) string {
	if len(word) < 3 {
		return word
	}
	for i := range len(word) {
		if word[i] < 'a' || word[i] > 'z' {
			return word
		}
	}
	b := porter(word)
	b.step1()
	b.suffixes(step2, 0)
	b.suffixes(step3, 0)
	b.step4()
	b.step5()
	if strings.HasPrefix(word, string(b)) { // most stems are the beginning of their word
		return word[:len(b)]
	}
	return string(b)
}

// porter is the word as it shrinks.
type porter []byte

// consonant reports whether letter i is one: y is one at the start and after a vowel.
func (b porter) consonant(i int) bool {
	switch b[i] {
	case 'a', 'e', 'i', 'o', 'u':
		return false
	case 'y':
		return i == 0 || !b.consonant(i-1)
	}
	return true
}

// measure is the number of vowel-consonant sequences of the first n letters.
func (b porter) measure(n int) int {
	m, vowel := 0, false
	for i := range n {
		c := b.consonant(i)
		if c && vowel {
			m++
		}
		vowel = !c
	}
	return m
}

func (b porter) vowelIn(n int) bool {
	for i := range n {
		if !b.consonant(i) {
			return true
		}
	}
	return false
}

// double reports whether the first n letters end in the same consonant twice.
func (b porter) double(n int) bool {
	return n >= 2 && b[n-1] == b[n-2] && b.consonant(n-1)
}

// cvc reports whether the first n letters end in consonant, vowel, consonant, the last not w, x or y.
func (b porter) cvc(n int) bool {
	if n < 3 || !b.consonant(n-1) || b.consonant(n-2) || !b.consonant(n-3) {
		return false
	}
	c := b[n-1]
	return c != 'w' && c != 'x' && c != 'y'
}

// ends returns the length of what stands before suffix, or -1.
func (b porter) ends(suffix string) int {
	n := len(b) - len(suffix)
	if n < 0 || b[len(b)-1] != suffix[len(suffix)-1] || string(b[n:]) != suffix {
		return -1
	}
	return n
}

func (b *porter) set(n int, suffix string) { *b = append((*b)[:n], suffix...) }

func (b *porter) step1() {
	switch { // plurals
	case b.ends("sses") >= 0, b.ends("ies") >= 0:
		b.set(len(*b)-2, "")
	case b.ends("ss") >= 0:
	case b.ends("s") >= 0:
		b.set(len(*b)-1, "")
	}
	cut := -1
	if n := b.ends("eed"); n >= 0 {
		if b.measure(n) > 0 {
			b.set(len(*b)-1, "")
		}
	} else if n := b.ends("ed"); n >= 0 && b.vowelIn(n) {
		cut = n
	} else if n := b.ends("ing"); n >= 0 && b.vowelIn(n) {
		cut = n
	}
	if cut >= 0 {
		b.set(cut, "")
		n := len(*b)
		switch {
		case b.ends("at") >= 0, b.ends("bl") >= 0, b.ends("iz") >= 0:
			b.set(n, "e")
		case b.double(n):
			if c := (*b)[n-1]; c != 'l' && c != 's' && c != 'z' {
				b.set(n-1, "")
			}
		case b.measure(n) == 1 && b.cvc(n):
			b.set(n, "e")
		}
	}
	if n := b.ends("y"); n >= 0 && b.vowelIn(n) {
		b.set(n, "i")
	}
}

var step2 = [][2]string{{"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"},
	{"abli", "able"},
	{"alli", "al"}, {"entli", "ent"}, {"eli", "e"}, {"ousli", "ous"}, {"ization", "ize"}, {"ation", "ate"},
	{"ator", "ate"},
	{"alism", "al"}, {"iveness", "ive"}, {"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"}, {"iviti", "ive"},
	{"biliti", "ble"}}

var step3 = [][2]string{{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"}, {"ical", "ic"}, {"ful", ""},
	{"ness", ""}}

// suffixes replaces the first suffix of rules that matches if more than m sequences stand before it.
func (b *porter) suffixes(rules [][2]string, m int) {
	for _, r := range rules {
		if n := b.ends(r[0]); n >= 0 {
			if b.measure(n) > m {
				b.set(n, r[1])
			}
			return
		}
	}
}

var step4 = []string{"al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou",
	"ism", "ate",
	"iti", "ous", "ive", "ize"}

func (b *porter) step4() {
	for _, s := range step4 {
		n := b.ends(s)
		if n < 0 {
			continue
		}
		if s == "ion" && (n == 0 || (*b)[n-1] != 's' && (*b)[n-1] != 't') {
			return
		}
		if b.measure(n) > 1 {
			b.set(n, "")
		}
		return
	}
}

func (b *porter) step5() {
	if n := b.ends("e"); n >= 0 {
		if m := b.measure(n); m > 1 || m == 1 && !b.cvc(n) {
			b.set(n, "")
		}
	}
	if n := len(*b); n > 1 && (*b)[n-1] == 'l' && b.double(n) && b.measure(n) > 1 {
		b.set(n-1, "")
	}
}
