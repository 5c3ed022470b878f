package secret

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/secret/secrettest"
)

// RedactJSON is RedactJSONWithin without an end.
func RedactJSON(data []byte) []byte {
	clean, _ := RedactJSONWithin(context.Background(), data)
	return clean
}

func TestRedactJSONReachesEveryStringAndKeepsTheRest(t *testing.T) {
	t.Parallel()
	secret := "ghp" + "_" + secrettest.Token(rand.New(rand.NewPCG(41, 42)), 36, secrettest.Letters+secrettest.Digits)
	inner, err := json.Marshal(map[string]string{"log": "\x1b[31m" + secret})
	if err != nil {
		t.Fatal(err)
	}
	escaped, err := json.Marshal(string(inner))
	if err != nil {
		t.Fatal(err)
	}
	const mark = "[redacted: GitHub token]"
	for _, tt := range []struct{ name, in, want string }{
		{"none", `{ "b": 1.50, "a": [null, true, "x"] }`, `{ "b": 1.50, "a": [null, true, "x"] }`},
		{"a value", `{"b":1.50,"a":["` + secret + `"]}`, `{"b":1.50,"a":["` + mark + `"]}`},
		{"a name", `{"` + secret + `":12345678901234567890}`, `{"` + mark + `":12345678901234567890}`},
		{"letters as escapes", `["gh` + `\u0070` + secret[3:] + `"]`, `["` + mark + `"]`},
		{"a string", `"` + secret + `"`, `"` + mark + `"`},
		{"no JSON", `{"a": ` + secret, `"{\"a\": ` + mark + `"`},
		{"two values", `"` + secret + `" 1`, `"\"` + mark + `\" 1"`},
	} {
		if got := string(RedactJSON([]byte(tt.in))); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	for _, in := range []string{
		string(escaped), strings.Repeat("[", 300) + `"` + secret + `"` + strings.Repeat("]", 300),
	} {
		if got := string(RedactJSON([]byte(in))); strings.Contains(got, secret[8:]) || !json.Valid([]byte(got)) {
			t.Errorf("%s: %s", in, got)
		}
	}
}

func FuzzRedactJSON(f *testing.F) {
	for text := range secrettest.Samples(rand.New(rand.NewPCG(1, 9))) {
		b, err := json.Marshal(map[string]any{text: []string{text}})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		clean := RedactJSON(data)
		if json.Valid(data) && !json.Valid(clean) {
			t.Fatalf("RedactJSON(%q) = %q", data, clean)
		}
		var v string
		if json.Unmarshal(clean, &v) == nil {
			if rule, found := Find(v); found {
				t.Fatalf("%q is left in %q", rule, clean)
			}
		}
	})
}
