package secret

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/secret/secrettest"
)

// TestRedactLeavesNothingOfASecret: whatever Find finds is gone, what stands around it stays.
func TestRedactLeavesNothingOfASecret(t *testing.T) {
	t.Parallel()
	for seed := range uint64(10) {
		all := secrettest.Samples(rand.New(rand.NewPCG(seed, 7)))
		if len(all) < 30 {
			t.Fatalf("%d secrets only", len(all))
		}
		for text, secret := range all {
			clean, rules := Redact("Before it.\n" + text + "\nAnd behind it.\n")
			_, found := Find(clean)
			if found || len(rules) != 1 || strings.Contains(clean, secret) ||
				strings.Contains(clean, secret[len(secret)/2:]) {
				t.Fatalf("Redact(%q) = %q, %v", text, clean, rules)
			}
			if !strings.Contains(clean, "[redacted: "+rules[0]+"]") || !strings.HasPrefix(clean, "Before it.\n") ||
				!strings.HasSuffix(clean, "\nAnd behind it.\n") {
				t.Fatalf("Redact(%q) = %q: what is around it changed", text, clean)
			}
		}
	}
}

// TestRedactWholeKeys: the lines of a private key go from the first to the last, whole.
func TestRedactWholeKeys(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 3))
	line := func() string { return secrettest.Token(rng, 64, secrettest.Letters+secrettest.Digits+"+/") + "\n" }
	begin, finish := keyBegin+"RSA PRIVATE"+" KEY-----\n", keyFinish+"RSA PRIVATE"+" KEY-----"
	body := line() + line() + "abcDEF==\n"
	for _, tt := range []struct{ name, in, want string }{
		{"whole", "a\n" + begin + body + finish + "\nb", "a\n[redacted: private key]\nb"},
		{"two", begin + body + finish + "\nand\n" + begin + body + finish,
			"[redacted: private key]\nand\n[redacted: private key]"},
		{"cut off", begin + line() + line() + "\nthe rest of the note",
			"[redacted: private key]\n\nthe rest of the note"},
		{"cut off, then whole", begin + line() + "\nnote\n" + begin + body + finish,
			"[redacted: private key]\n\nnote\n[redacted: private key]"},
		{"none", "nothing to hide here, AKIA" + "XXXXXXXXXXXXXXXX", "nothing to hide here, AKIA" + "XXXXXXXXXXXXXXXX"},
	} {
		if got, _ := Redact(tt.in); got != tt.want {
			t.Errorf("%s: Redact(%q) = %q, want %q", tt.name, tt.in, got, tt.want)
		}
	}
}

func FuzzRedact(f *testing.F) {
	for text := range secrettest.Samples(rand.New(rand.NewPCG(1, 1))) {
		f.Add(text + text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		clean, rules := Redact(text)
		if rule, found := Find(clean); found {
			t.Fatalf("%q is left in %q", rule, clean)
		}
		if (len(rules) == 0) != (clean == text) {
			t.Fatalf("Redact(%q) = %q, %v", text, clean, rules)
		}
	})
}
