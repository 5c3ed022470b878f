package safetext

import "testing"

func TestCutEndsWithinNoRune(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		text string
		n    int
		want string
	}{{"abc", 3, "abc"}, {"abc", 2, "ab"}, {"aé", 2, "a"}, {"aé", 3, "aé"}, {"世界", 5, "世"}, {"世", 2, ""}, {"", 0, ""},
		{"a", 0, ""}} {
		if got := Cut(x.text, x.n); got != x.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", x.text, x.n, got, x.want)
		}
	}
}

func TestBadBytesHaveOneMeaningEach(t *testing.T) {
	t.Parallel()
	for _, x := range []struct{ in, shown, kept string }{
		{"a\xffb", `a\xffb`, "a\ufffdb"},
		{"a\xe4\xb8", `a\xe4\xb8`, "a\ufffd"},                      // a character that breaks off
		{"\xc0\xaf\xed\xa0\x80", `\xc0\xaf\xed\xa0\x80`, "\ufffd"}, // overlong, and half a pair
		{"\ufffd", "\ufffd", "\ufffd"},
		{"\x1b[31m\u202e", `\x1b[31m\u202e`, "\x1b[31m\u202e"}, // text that is kept obeys nobody yet
	} {
		if got := Line(x.in); got != x.shown {
			t.Errorf("Line(%q) = %q, want %q", x.in, got, x.shown)
		}
		if got := Text(x.in); got != x.shown {
			t.Errorf("Text(%q) = %q, want %q", x.in, got, x.shown)
		}
		if got := Valid(x.in); got != x.kept {
			t.Errorf("Valid(%q) = %q, want %q", x.in, got, x.kept)
		}
	}
}
