package charset

import (
	"strings"
	"unicode"
)

// A model says how many bits a text costs beyond its ASCII characters, and how many of these there are.
type model func(text string) (bits float64, ascii int)

// Bits of what fits no language.
const (
	brokenBits  = 25 // no character
	strangeBits = 20 // a character of another script
	controlBits = 18 // U+0080 to U+009F
	symbolBits  = 13
	loneBits    = 3  // more for a word of one letter: it may as well be a symbol
	rareBits    = 12 // a letter of the script that its languages hardly use
)

// typographic are symbols that texts of all languages hold.
const typographic = "«»„“”‘’–—…№©®°§·\u00a0€£±µ²×•→"

// finals are forms of letters that end a word.
const finals = "םןךףץς"

// alphabetModel is the model of languages with letters in order of frequency, the most frequent first.
func alphabetModel(letters string) model {
	cost := map[rune]float64{}
	for _, r := range letters {
		cost[r] = 3.2 + .16*float64(len(cost))
	}
	return func(text string) (bits float64, ascii int) {
		// letters of the word so far, consonants of Cyrillic since its last vowel
		before, run, cluster := rune(' '), 0, 0
		for _, r := range text {
			if lower := unicode.ToLower(r); lower >= 'а' && lower <= 'ё' && !strings.ContainsRune("аеёиоуыэюя", lower) {
				if cluster++; cluster > 2 {
					bits += float64(cluster - 1)
				}
			} else {
				cluster = 0
			}
			if cost[unicode.ToLower(r)] > 0 {
				run++
			} else {
				if run == 1 {
					bits += loneBits
				}
				run = 0
			}
			switch lower := unicode.ToLower(r); {
			case r < 0x80:
				ascii++
				if asciiLetter(r) && before >= 0x80 && unicode.IsLetter(before) {
					bits += 5 // words are of one script
				}
			case cost[lower] > 0:
				bits += cost[lower]
				if asciiLetter(before) {
					bits += 5
				}
				if strings.ContainsRune(finals, before) {
					bits += 6
				}
				if r != lower {
					bits += capitalBits(before)
				}
			default:
				bits += otherBits(r, before)
			}
			before = r
		}
		return bits, ascii
	}
}

// latinModel is the model of languages that have letters in order of frequency beside those of ASCII.
func latinModel(letters string) model {
	cost := map[rune]float64{}
	for _, r := range letters {
		cost[r] = 3.5 + .25*float64(len(cost))
	}
	return func(text string) (bits float64, ascii int) {
		before := rune(' ')
		for _, r := range text {
			switch lower := unicode.ToLower(r); {
			case r < 0x80:
				ascii++
				if asciiLetter(r) && before >= 0x80 && !unicode.IsLetter(before) && before != '’' {
					bits += 3 // a symbol within a word
				}
			case cost[lower] > 0:
				bits += cost[lower]
				if before >= 0x80 && unicode.IsLetter(before) {
					bits += 4 // most letters of a word are ASCII
				}
				if r != lower {
					bits += capitalBits(before)
				}
			default:
				bits += otherBits(r, before)
				if asciiLetter(before) && !unicode.IsLetter(r) && r != '’' {
					bits += 3
				}
			}
			before = r
		}
		return bits, ascii
	}
}

func asciiLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// capitalBits is what a capital costs more than the small letter, after the character before.
func capitalBits(before rune) float64 {
	switch {
	case unicode.IsUpper(before):
		return .5
	case unicode.IsLower(before):
		return 5
	}
	return 1.5
}

// otherBits is what a character costs that is no letter of the model.
func otherBits(r, before rune) float64 {
	switch {
	case r == unicode.ReplacementChar:
		return brokenBits
	case r < 0xa0:
		return controlBits
	case strings.ContainsRune(typographic, r):
		return 8
	case r >= 0x2500 && r <= 0x259f: // frames of tables, in rows
		if before == r {
			return 1
		}
		return symbolBits
	case unicode.IsLetter(r):
		return rareBits
	}
	return symbolBits
}

// chineseModel is the model of texts with a list of the most common characters, and the table of the common ones.
func chineseModel(most string, level1 func() map[rune]bool) model {
	top := runes(most)
	return func(text string) (bits float64, ascii int) {
		return eastAsianBits(text, func(r, _ rune) float64 {
			switch {
			case top[r]:
				return 8.5
			case level1()[r]:
				return 13
			case unicode.Is(unicode.Han, r):
				return 19
			}
			return strangeBits
		})
	}
}

// japaneseModel is the model of Japanese.
func japaneseModel() model {
	top := runes(kanji)
	return func(text string) (bits float64, ascii int) {
		return eastAsianBits(text, func(r, before rune) float64 {
			switch {
			case r >= 0x3041 && r <= 0x3096:
				return 7
			case r >= 0x30a1 && r <= 0x30fe:
				return 8.5
			case r >= 0xff61 && r <= 0xff9f: // one byte each
				if before >= 0xff61 && before <= 0xff9f {
					return 6.5
				}
				return 12
			case top[r]:
				return 9
			case jisLevel1()[r]:
				return 13
			case unicode.Is(unicode.Han, r):
				return 19
			}
			return strangeBits
		})
	}
}

// koreanModel is the model of Korean.
func koreanModel() model {
	top := runes(syllables)
	return func(text string) (bits float64, ascii int) {
		return eastAsianBits(text, func(r, _ rune) float64 {
			switch {
			case top[r]:
				return 7.5
			case ksLevel1()[r]:
				return 12
			case unicode.Is(unicode.Hangul, r), unicode.Is(unicode.Han, r):
				return 19
			}
			return strangeBits
		})
	}
}

// eastAsianBits sums the bits of the characters of a text; letter gives those of its language.
func eastAsianBits(text string, letter func(r, before rune) float64) (bits float64, ascii int) {
	before, within := rune(' '), false // whether the letter before follows one of ASCII
	for _, r := range text {
		switch {
		case r < 0x80:
			ascii++
			if asciiLetter(r) && before >= 0x80 {
				if bits++; within {
					bits += 4 // a letter of another script within a word
				}
			}
		case r == unicode.ReplacementChar:
			bits += brokenBits
		case r < 0xa0, unicode.Is(unicode.Co, r):
			bits += controlBits
		case r >= 0x3001 && r <= 0x3011, r == 0x3000, r >= 0xff01 && r <= 0xff5e, r == '…', r == '—', r == '“',
			r == '”', r == '·':
			bits += 8.5
		case r >= 0x2000 && r <= 0x25ff, r < 0x100:
			bits += symbolBits
			if before == r {
				bits -= symbolBits - 1 // a row of the same
			}
		default:
			bits += letter(r, before)
			if asciiLetter(before) {
				bits++
			}
		}
		within = r >= 0x80 && asciiLetter(before)
		before = r
	}
	return bits, ascii
}
