package safetext

import (
	"fmt"
	"testing"
)

// TestEveryCharacterThatShowsNothingIsAnEscape: behind a letter, at the beginning, within a word of letters and beside
// an emoji.
func TestEveryCharacterThatShowsNothingIsAnEscape(t *testing.T) {
	t.Parallel()
	for _, span := range [][2]rune{{0xad, 0xad}, {0x34f, 0x34f}, {0x61c, 0x61c}, {0x115f, 0x1160}, {0x17b4, 0x17b5},
		{0x180b, 0x180f}, {0x200b, 0x200f}, {0x2028, 0x202e},
		{0x2060, 0x206f}, {0x2800, 0x2800}, {0x3164, 0x3164}, {0xfe00, 0xfe0f}, {0xfeff, 0xfeff}, {0xffa0, 0xffa0},
		{0xfff0, 0xfffc}, {0x1bca0, 0x1bca3}, {0x1d159, 0x1d159},
		{0x1d173, 0x1d17a}, {0xe0000, 0xe01ef}} {
		for r := span[0]; r <= span[1]; r++ {
			want := fmt.Sprintf(`\u%04x`, r)
			if r > 0xffff {
				want = fmt.Sprintf(`\U%08x`, r)
			}
			for _, around := range [][2]string{{"", ""}, {"ig", "nore"}, {"é", "é"}, {"1", "2"}, {"👩", "x"}} {
				if around[0] == "👩" && (r == textStyle || r == emojiStyle) {
					continue
				}
				for _, show := range []func(string) string{Line, Text} {
					if got := show(around[0] + string(r) + around[1]); got != around[0]+want+around[1] {
						t.Fatalf("%U between %q: %q", r, around, got)
					}
				}
			}
		}
	}
}

func TestVisibleTextStaysAsItIs(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"größer naïve Ελληνικά Кириллица עברית العربية 日本語 한국어 ภาษาไทย हिन्दी", "e\u0301 ⠓⠊ ∑ ﬁ",
		"👨\u200d👩\u200d👧\u200d👦 🏳\ufe0f\u200d🌈 ❤\ufe0f\u200d🔥 🇫🇷 #\ufe0f\u20e3",
	} {
		if got := Line(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}
