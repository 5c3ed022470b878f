package memory

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// lookAlikes are small letters of Greek and Cyrillic that look like Latin ones, and the Latin ones without a mark to
// take away.
var lookAlikes = func() map[rune]rune {
	const pairs = "αa βb γy εe ηn ιi κk νv οo ρp τt υu χx ωw аa вb еe зe ѕs іi јj кk мm нh оo рp сc тt уy хx ьb ӏl ԁd ԛq ԝw ґr һh ѡw ıi łl øo đd ħh ŧt ɡg ɑa ɩi ʏy ꜱs ᴀa ᴄc ᴏo ⅼl"
	m := map[rune]rune{}
	for pair := range strings.FieldsSeq(pairs) {
		from, size := utf8.DecodeRuneInString(pair)
		to, _ := utf8.DecodeRuneInString(pair[size:])
		m[from] = to
	}
	return m
}()

// plainLetters is a text as it is compared: compatibility forms taken apart (NFKD), without accents and without what
// shows nothing, in lower case, look-alikes as Latin letters. Text in ASCII comes back as it is. A letter of Han or
// kana is a word of its own.
func plainLetters(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range norm.NFKD.String(text) {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
			continue
		}
		if unicode.IsMark(r) || unicode.In(r, unicode.Cf, unicode.Co, unicode.Variation_Selector,
			unicode.Other_Default_Ignorable_Code_Point) || r == 0x2800 {
			continue
		}
		r = unicode.ToLower(r)
		if plain, ok := lookAlikes[r]; ok {
			r = plain
		}
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) {
			b.WriteString(" " + string(r) + " ")
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
