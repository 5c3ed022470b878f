package sandbox

import (
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/contextd/contextd/internal/code"
)

const (
	upperLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	letters      = upperLetters + "abcdefghijklmnopqrstuvwxyz"
	digits       = "0123456789"
)

func token(rng *rand.Rand, n int, from string) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = from[rng.IntN(len(from))]
	}
	return string(b)
}

func toUTF16(text string, order binary.AppendByteOrder) string {
	b := order.AppendUint16(nil, 0xfeff)
	for _, u := range utf16.Encode([]rune(text)) {
		b = order.AppendUint16(b, u)
	}
	return string(b)
}

// TestDecode: text comes out whatever its encoding, and what is no text is told.
func TestDecode(t *testing.T) {
	t.Parallel()
	const text = "grüße\n日本 😀\n"
	for _, tt := range []struct {
		name, in, want string
		ok             bool
	}{
		{"empty", "", "", true},
		{"UTF-8", text, text, true},
		{"mark", "\xef\xbb\xbf" + text, text, true},
		{"mark only", "\xef\xbb\xbf", "", true},
		{"UTF-16 little", toUTF16(text, binary.LittleEndian), text, true},
		{"UTF-16 big", toUTF16(text, binary.BigEndian), text, true},
		{"UTF-16 odd length", toUTF16("ab", binary.LittleEndian) + "x", "ab\ufffd", true},
		{"UTF-16 half a pair", "\xff\xfe\x3d\xd8a\x00", "\ufffda", true},
		{"UTF-16 with a NUL", "\xff\xfea\x00\x00\x00", "", false},
		{"Latin-1", "gr\xfc\xdfe\n", "grüße\n", true},
		{"CRLF", "a\r\nb\rc\r\n", "a\nb\rc\n", true},
		{"UTF-16 CRLF", toUTF16("a\r\nb", binary.LittleEndian), "a\nb", true},
		{"mark, then no UTF-8", "\xef\xbb\xbfa\xe2\x82b\xf0\x9f\x98c\xffd", "a\ufffdb\ufffdc\ufffdd", true},
		{"NUL", "text\x00text", "", false},
		{"late NUL", strings.Repeat("text\n", 5000) + "\x00", "", false},
		{"controls", strings.Repeat("\x01\x02\x03\x04", 20), "", false},
		{"escape codes", strings.Repeat("\x1b[1mbold\x1b[0m\t\f\n", 50), strings.Repeat("\x1b[1mbold\x1b[0m\t\f\n", 50), true},
		{"windows-1251, mostly comment", "// \xee\xf8\xe8\xe1\xea\xe0 \xf7\xf2\xe5\xed\xe8\xff\nx\n", "// ошибка чтения\nx\n", true},
		{"GBK", "x = 1 // \xbc\xc6\xcb\xe3\xd7\xdc\xbc\xdb\n", "x = 1 // 计算总价\n", true},
		{"Shift_JIS, a backslash within", "x // \x95\x5c\x8e\xa6\x82\xb7\x82\xe9\r\ny\n", "x // 表示する\ny\n", true},
		{"ISO-2022-JP", "// \x1b$B:_8K\x1b(B\n", "// 在庫\n", true},
		{"UTF-8 with one stray byte", "größe\n\xff日本\n", "größe\n\ufffd日本\n", true},
		{"bytes without a NUL", strings.Repeat("\x81\xfe\xc3\x28\xa0\xff\xe0\x90", 50), "", false},
	} {
		if got, ok := Decode([]byte(tt.in)); got != tt.want || ok != tt.ok {
			t.Errorf("%s: Decode = %q, %v, want %q, %v", tt.name, got, ok, tt.want, tt.ok)
		}
	}
}

// secretsOf are texts that hold a secret, with what must not be told of them.
func secretsOf(rng *rand.Rand) map[string]string {
	all := letters + digits
	dashes := strings.Repeat("-", 5)
	head := func(kind string) string { return dashes + "BEGIN " + kind + "PRIVATE KEY" + dashes }
	body := token(rng, 64, all+"+/")
	secrets := map[string]string{}
	for _, s := range []string{"AKIA" + token(rng, 16, upperLetters), "ASIA" + token(rng, 16, upperLetters+"234567"), "ghp_" + token(rng, 36, all),
		"gho_" + token(rng, 36, all), "ghs_" + token(rng, 36, all), "github" + "_pat_" + token(rng, 22, all) + "_" + token(rng, 59, all),
		"glpat-" + token(rng, 20, all), "xoxb-" + token(rng, 12, digits) + "-" + token(rng, 24, all), "xapp-1-" + token(rng, 60, all),
		"sk_" + "live_" + token(rng, 24, all), "sk-" + "ant-api03-" + token(rng, 90, all), "sk-" + "proj-" + token(rng, 60, all),
		"AIza" + token(rng, 35, all), "GOCSPX-" + token(rng, 28, all), "npm_" + token(rng, 36, all), "pypi-" + "AgEIcHlwaS5vcmc" + token(rng, 60, all),
		"hf_" + token(rng, 34, all), "SG." + token(rng, 22, all) + "." + token(rng, 43, all), "dop_" + "v1_" + token(rng, 64, "0123456789abcdef"),
		"shpat_" + token(rng, 32, "0123456789abcdef"), "dckr_" + "pat_" + token(rng, 27, all), "hvs." + token(rng, 90, all), "glsa_" + token(rng, 41, all),
		"https://hooks." + "slack.com/services/T" + token(rng, 9, upperLetters) + "/B" + token(rng, 9, upperLetters) + "/" + token(rng, 24, all),
		"AccountKey=" + token(rng, 86, all) + "==", "AGE-SECRET" + "-KEY-1" + token(rng, 58, upperLetters), "dapi" + token(rng, 32, "0123456789abcdef")} {
		secrets[`key = "`+s+`"`+"\n"] = s
		secrets["export A="+s] = s
		secrets[`"line\n`+s+`"`] = s
	}
	for _, kind := range []string{"", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "DSA "} {
		secrets[head(kind)+"\n"+body+"\n"+dashes+"END"] = body
		secrets["K = \"\"\"\n    "+head(kind)+"\n    "+body+"\n\"\"\""] = body
		secrets[`k := "`+head(kind)+`\n`+body+`\n"`] = body
		secrets["k = '"+head(kind)+"\\n' +\n    '"+body+"\\n'"] = body
		secrets[head(kind)+"\r\nProc-Type: 4,ENCRYPTED\r\nDEK-Info: AES-128-CBC,"+token(rng, 32, upperLetters)+"\r\n\r\n"+body] = body
		secrets["# "+head(kind)+"\n# "+body] = body
	}
	secrets[dashes+"BEGIN PGP PRIVATE KEY"+" BLOCK"+dashes+"\nVersion: 1\n\n"+body] = body
	return secrets
}

// TestSecretsAreFound: tokens of known forms and private keys are found wherever they stand, and never told.
func TestSecretsAreFound(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		for text, secret := range secretsOf(rand.New(rand.NewPCG(seed, 1))) {
			for _, around := range []string{text, "package x\n\n" + text + "\nfunc f() {}\n"} {
				if rule, found := HasSecret(around); !found || rule == "" {
					t.Errorf("no secret in %q", around)
				}
			}
			_, s := Content("x.go", []byte("padding that makes it long enough\n"+text))
			if s.Reason != code.SecretContent || s.Detail == "" || strings.Contains(s.Detail, secret) {
				t.Errorf("Content of %q = %+v", text, s)
			}
		}
	}
}

// TestEveryRuleFindsItsToken: each form that is known, alone, quoted and in a line of code, is found under its name.
func TestEveryRuleFindsItsToken(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(21, 22))
	for _, r := range secretRules {
		if r.body == nil {
			continue // private keys: TestSecretsAreFound
		}
		var may []byte
		for c := range 256 {
			if r.body(byte(c)) && alnum(byte(c)) {
				may = append(may, byte(c))
			}
		}
		n := max(r.min, 20)
		if r.max > 0 {
			n = r.max
		}
		s := r.anchor + token(rng, n, string(may))
		for _, text := range []string{s, `"` + s + `"`, "k := `" + s + "`\n", "x = f(" + s + ")", "https://u:" + s + "@host", "日" + s + "本"} {
			if len(text) < 16 {
				continue
			}
			if name, found := HasSecret(text); !found || name != r.name {
				t.Errorf("%s in %q: %q, %v", r.name, text, name, found)
			}
		}
	}
}

// TestNoSecrets: placeholders, look-alikes and code about secrets are none.
func TestNoSecrets(t *testing.T) {
	t.Parallel()
	dashes := strings.Repeat("-", 5)
	head := dashes + "BEGIN RSA PRIVATE KEY" + dashes
	for _, text := range []string{"", "AKIA", "key = AKIA" + strings.Repeat("X", 16), "AKIA" + "IOSFODNN7EXAMPLE", "ghp_" + strings.Repeat("x", 36), "ghp_short",
		"MYAKIA" + "QWERTYUIOPASDFGH", "AKIA" + "QWERTYUIOPASDFGHJKL", `if strings.Contains(s, "` + head + `") { return errors.New("a private key") }`,
		head + "\n...\n" + dashes + "END", head + "\nMIIE...\n", head, `const begin = "` + head + `"` + "\n\nfunc parse(data []byte) (*Key, error) {\n",
		"regexp.MustCompile(`gh[pousr]_[A-Za-z0-9]{36}`)", "the_xoxb-token", "risk-ant-hill-and-a-very-long-name-with-many-words-in-it-yes",
		"PRIVATE KEY", dashes + "BEGIN PUBLIC KEY" + dashes + "\n" + strings.Repeat("QWERTYUIOPasdf12", 4)} {
		if rule, found := HasSecret(text); found {
			t.Errorf("%s in %q", rule, text)
		}
	}
}

// TestContentRulesInOrder: binary, secret_content, generated, minified; the first that holds is given.
func TestContentRulesInOrder(t *testing.T) {
	t.Parallel()
	key := "AKIA" + token(rand.New(rand.NewPCG(1, 2)), 16, upperLetters)
	wide := strings.Repeat("function f(a,b){return a+b};", 200)
	header := "// Code generated by x. DO NOT EDIT.\n"
	for _, tt := range []struct {
		path, text string
		want       code.Reason
	}{
		{"a.go", "package a\n", ""},
		{"a.go", "\x00" + key, code.Binary},
		{"a.go", header + key, code.SecretContent},
		{"a.min.js", key + ";" + wide, code.SecretContent},
		{"a.min.js", header + wide, code.Generated},
		{"a.min.js", "short\n", code.Minified},
		{"a.js", wide, code.Minified},
		{"a.js", strings.Repeat("const a = 1;\n", 1000) + wide[:900], ""},
		{"a.py", wide, ""},
		{"a.md", strings.Repeat("One paragraph on one line. ", 100), ""},
		{"a.go", "package a\n\n" + header, code.Generated},
		{"a.go", strings.Repeat("// a long comment\n", 60) + header, ""},
		{"a.go", "package a\n\nconst header = \"// Code generated by x. DO NOT EDIT.\"\n", ""},
		{"a.go", "// Package a finds generated code.\npackage a\n", ""},
		{"a.py", "# Generated by the protocol buffer compiler.  DO NOT EDIT!\n", code.Generated},
		{"a.py", "#!/usr/bin/env python\n# This file was automatically generated by SWIG.\n", code.Generated},
		{"a.cs", "// <auto-generated>\n", code.Generated},
		{"a.js", "/**\n * @generated by a tool\n */\n", code.Generated},
		{"a.js", "/**\n * See me@generated.example for more\n */\n", ""},
		{"a.sql", "-- Automatically generated\n-- Do not edit\n", code.Generated},
		{"a.rb", "# This file is auto-generated from the current state of the database. Instead\n", ""},
	} {
		if _, s := Content(tt.path, []byte(tt.text)); s.Reason != tt.want || s.Reason != "" && (s.Detail == "" || s.Path != tt.path) {
			t.Errorf("Content(%q, %.60q) = %+v, want %q", tt.path, tt.text, s, tt.want)
		}
	}
	if _, s := (File{Path: "a.min.js", Lifted: true}).Content([]byte(header + wide)); s.Reason != "" {
		t.Errorf("a lifted file is %s", s.Reason)
	}
}

func FuzzContent(f *testing.F) {
	for text := range secretsOf(rand.New(rand.NewPCG(3, 4))) {
		f.Add([]byte(text))
	}
	f.Add([]byte("\xff\xfea"))
	f.Add([]byte("\xef\xbb\xbf\xe2"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if text, s := Content("a.js", data); s.Reason == "" && (strings.Contains(text, "\r\n") && !strings.Contains(string(data), "\r\r\n") ||
			strings.IndexByte(text, 0) >= 0) {
			t.Errorf("Content gives %q", text)
		}
	})
}

func BenchmarkHasSecret(b *testing.B) {
	text := strings.Repeat("func (c *Client) do_something(ctx context.Context, key string) error {\n\treturn c.api_call(ctx, key) // not-a-key\n}\n", 400)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		HasSecret(text)
	}
}
