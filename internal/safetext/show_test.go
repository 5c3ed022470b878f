package safetext

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestWhatTerminalsObeyIsShownAsEscapes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in, want string
		lines    bool
	}{
		{"plain text, größer, 日本語 😀", "plain text, größer, 日本語 😀", false},
		{"a\x1b[31mred", `a\x1b[31mred`, false},
		{"a\r\n\tb", `a\r\n\tb`, false},
		{"a\r\n\tb", `a\r` + "\n\tb", true},
		{"evil\u202etxt.exe", `evil\u202etxt.exe`, true},
		{"\u2066x\u2069\u200f", `\u2066x\u2069\u200f`, true},
		{"\u0085\u009b\u2028", `\u0085\u009b\u2028`, true},
		{"\xff\xfe", `\xff\xfe`, false},
		{"\ufffd", "\ufffd", false},
		{"👨\u200d👩 ❤\ufe0f\u3000x\u00a0y", "👨\u200d👩 ❤\ufe0f\u3000x\u00a0y", false},
		{"🏳\ufe0f\u200d🌈 👩🏽\u200d🚀 1\ufe0f\u20e3 ❤\ufe0e ℹ\ufe0f",
			"🏳\ufe0f\u200d🌈 👩🏽\u200d🚀 1\ufe0f\u20e3 ❤\ufe0e ℹ\ufe0f", false},
		{"می\u200cخواهم क्\u200cष", "می\u200cخواهم क्\u200cष", false},
		{"x\ufe0fy 👩\u200dx x\u200d👩 \u200d ❤\ufe0f\ufe0f 1\ufe0f \ufe0f", `x\ufe0fy 👩\u200dx x\u200d👩 \u200d ❤` +
			"\ufe0f" + `\ufe0f 1\ufe0f \ufe0f`, false},
		{"\U000e0041", `\U000e0041`, false},
		{"", "", false},
	} {
		show := Line
		if tt.lines {
			show = Text
		}
		if got := show(tt.in); got != tt.want {
			t.Errorf("%q with lines %v is shown as %q, want %q", tt.in, tt.lines, got, tt.want)
		}
	}
}

func TestShownTextObeysNobody(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, text, line string }{
		{"", "", ""},
		{"grüße 日本 🎉\tx\n", "grüße 日本 🎉\tx\n", `grüße 日本 🎉\tx\n`},
		{"\x1b[31mred\x07\x00\x7f", `\x1b[31mred\x07\x00\x7f`, `\x1b[31mred\x07\x00\x7f`},
		{"a\rb\u0085c", `a\rb\u0085c`, `a\rb\u0085c`},
		{"x\u202ey\u2066z\u200e\u200f\u061c\u2028", `x\u202ey\u2066z\u200e\u200f\u061c\u2028`,
			`x\u202ey\u2066z\u200e\u200f\u061c\u2028`},
		{"hi\U000e0041\U000e0100", `hi\U000e0041\U000e0100`, `hi\U000e0041\U000e0100`},
		{"a\u200bb\u2060\ufeff\u180e\ufff9", `a\u200bb\u2060\ufeff\u180e\ufff9`, `a\u200bb\u2060\ufeff\u180e\ufff9`},
		{"👩\u200d🚀 ❤\ufe0f می\u200cخواهم", "👩\u200d🚀 ❤\ufe0f می\u200cخواهم", "👩\u200d🚀 ❤\ufe0f می\u200cخواهم"},
		{"a\xff\xc3b\ufffd", `a\xff\xc3b` + "\ufffd", `a\xff\xc3b` + "\ufffd"},
	} {
		if got := Text(c.in); got != c.text {
			t.Errorf("Text(%q) = %q, want %q", c.in, got, c.text)
		}
		if got := Line(c.in); got != c.line {
			t.Errorf("Line(%q) = %q, want %q", c.in, got, c.line)
		}
	}
}

func FuzzShownTextHoldsNothingHarmful(f *testing.F) {
	f.Add("a\x1b\u202e\xff\U000e0001\n")
	f.Fuzz(func(t *testing.T, s string) {
		for _, line := range []bool{false, true} {
			show := Text
			if line {
				show = Line
			}
			got := show(s)
			if !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool {
				return r != '\n' && r != '\t' && unicode.IsControl(r) || line && r < ' ' ||
					unicode.Is(unicode.Bidi_Control, r) || unicode.Is(unicode.Zl, r)
			}) {
				t.Fatalf("%q became %q", s, got)
			}
			if show(got) != got {
				t.Fatalf("%q changes again", got)
			}
		}
	})
}
