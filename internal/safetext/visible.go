package safetext

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

const (
	zwnj        = 0x200c
	zwj         = 0x200d
	textStyle   = 0xfe0e
	emojiStyle  = 0xfe0f
	keycap      = 0x20e3
	replacement = 0xfffd
)

// blank are characters that Unicode counts as letters, marks or symbols and that show nothing: what they spell is seen
// by no one but a model.
var blank = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x034f, Hi: 0x034f, Stride: 1}, // combining grapheme joiner
		{Lo: 0x115f, Hi: 0x1160, Stride: 1}, // Hangul fillers
		{Lo: 0x17b4, Hi: 0x17b5, Stride: 1}, // Khmer vowels that are inherent
		{Lo: 0x180b, Hi: 0x180f, Stride: 1}, // Mongolian selectors
		{Lo: 0x2800, Hi: 0x2800, Stride: 1}, // braille blank
		{Lo: 0x3164, Hi: 0x3164, Stride: 1}, // Hangul filler
		{Lo: 0xfe00, Hi: 0xfe0f, Stride: 1}, // variation selectors
		{Lo: 0xffa0, Hi: 0xffa0, Stride: 1}, // half-width Hangul filler
		{Lo: 0xfffc, Hi: 0xfffc, Stride: 1}, // object replacement
	},
	R32: []unicode.Range32{
		{Lo: 0x16fe4, Hi: 0x16fe4, Stride: 1}, // Khitan filler
		{Lo: 0x1d159, Hi: 0x1d159, Stride: 1}, // musical null notehead
		{Lo: 0xe0000, Hi: 0xe0fff, Stride: 1}, // tags, more selectors
	},
}

// joined are the scripts in which a zero-width non-joiner between two letters is how a word is spelt.
var joined = []*unicode.RangeTable{unicode.Arabic, unicode.Syriac, unicode.Devanagari, unicode.Bengali,
	unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada,
	unicode.Malayalam, unicode.Sinhala}

// seen is what stands before a character: the one before it, and the one that a selector or a joiner there belongs to.
type seen struct{ last, base rune }

func (c seen) then(r rune) seen {
	if r == textStyle || r == emojiStyle {
		return seen{r, c.last}
	}
	return seen{r, r}
}

// visible reports whether a reader sees r where it stands: behind what before says, with after behind it. Selectors and
// joiners do inside a sequence of emoji alone, a non-joiner inside a word of a script that is spelt with it.
func visible(r rune, before seen, after string) bool {
	switch {
	case r == textStyle || r == emojiStyle:
		next, _ := utf8.DecodeRuneInString(after)
		return emoji(before.last) || next == keycap &&
			(before.last == '#' || before.last == '*' || '0' <= before.last && before.last <= '9')
	case r == zwj:
		next, _ := utf8.DecodeRuneInString(after)
		return emoji(before.base) && before.last != textStyle && emoji(next)
	case r == zwnj:
		next, _ := utf8.DecodeRuneInString(after)
		return slices.ContainsFunc(joined, func(script *unicode.RangeTable) bool {
			return unicode.Is(script, before.last) && unicode.Is(script, next)
		})
	case r == replacement:
		return true
	}
	return (unicode.IsPrint(r) || unicode.Is(unicode.Zs, r)) && !unicode.Is(blank, r)
}

// Hidden reports whether a character shows nothing by itself, or changes how others are shown: selectors and joiners,
// too, wherever they stand.
func Hidden(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, blank)
}

// emoji reports whether a character may begin or go on a sequence of emoji.
func emoji(r rune) bool {
	switch r {
	case 0xa9, 0xae, 0x203c, 0x2049, 0x2122, 0x2139, 0x3030, 0x303d, 0x3297, 0x3299:
		return true
	}
	return 0x1f000 <= r && r <= 0x1faff || 0x2190 <= r && r <= 0x2bff && r != 0x2800
}
