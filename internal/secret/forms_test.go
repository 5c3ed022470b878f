package secret

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/secret/secrettest"
)

// secretForms are ways in which tools show a text; each keeps what stands before and behind it.
var secretForms = map[string]func(text string) string{
	"terminal colour":         func(s string) string { return "\x1b[31m" + s + "\x1b[0m" },
	"colour by several codes": func(s string) string { return "\x1b[01;31m\x1b[K" + s + "\x1b[m\x1b[K" },
	"colour within the token": func(s string) string { return s[:3] + "\x1b[1m" + s[3:9] + "\x1b[m\x1b[K" + s[9:] },
	"colour and a word":       func(s string) string { return "red\x1b[31m" + s + "\x1b[0mred" },
	"colour as an escape":     func(s string) string { return `\x1b[31m` + s + `\x1b[0m` },
	"colour in octal":         func(s string) string { return `\033[1;31m` + s + `\033[0m` },
	"colour in JSON":          func(s string) string { return `\u001b[31m` + s + `\u001b[0m` },
	"colour as a caret":       func(s string) string { return `^[[31m` + s + `^[[0m` },
	"percent sign":            func(s string) string { return "https://host/?key%3D" + s + "%26a=1" },
	"percent sign twice":      func(s string) string { return "https://host/?key%253D" + s + "%2526a=1" },
	"percent-encoded": func(s string) string {
		return "q=" + url.PathEscape(strings.ReplaceAll(s, "=", "%3D")) + "&b=1"
	},
	"equals in JSON":        func(s string) string { return `{"a":"key\u003d` + s + `\u0026b"}` },
	"tag in JSON":           func(s string) string { return `\u003cb\u003e` + s + `\u003c/b\u003e` },
	"hexadecimal escape":    func(s string) string { return `key\x3d` + s + `\x26b` },
	"octal escape":          func(s string) string { return `key\075` + s + `\046b` },
	"long escape":           func(s string) string { return `key\U0000003d` + s + `\U00000026b` },
	"tag in HTML":           func(s string) string { return "&lt;b&gt;" + s + "&lt;/b&gt;" },
	"number in HTML":        func(s string) string { return "key&#61;" + s + "&#38;b" },
	"quoted-printable":      func(s string) string { return "key=3D" + s + "=26b" },
	"zero-width characters": func(s string) string { return s[:5] + "\u200b" + s[5:12] + "\u00ad" + s[12:] },
	"cat -n":                numbered("%6d\t"),
	"grep -n":               numbered("%d:"),
	"grep -n with names":    numbered("web/deploy.pem:%d:"),
	"grep -C with names":    numbered("web/deploy.pem-%d-"),
	"bars":                  numbered("%4d | "),
	"arrows":                numbered("%6d→"),
	"blame":                 numbered("4be1d0aa (Ada Example 2024-05-06 07:08:09 +0200 %d) "),
	"log lines":             numbered("2024-05-06T07:08:%02dZ app[12] info: "),
	"diff, added":           numbered("+"),
	"diff, removed":         numbered("-"),
	"diff, with a space":    numbered("+ "),
	"mail":                  numbered("> "),
}

// numbered puts a mark before each line, with the number of the line where it has a place for it.
func numbered(mark string) func(string) string {
	return func(s string) string {
		lines := strings.Split(s, "\n")
		for i, l := range lines {
			if strings.Contains(mark, "%") {
				lines[i] = fmt.Sprintf(mark, i+9) + l
			} else {
				lines[i] = mark + l
			}
		}
		return strings.Join(lines, "\n")
	}
}

// bareSecrets are one token of each rule and keys of several kinds, by name.
func bareSecrets(rng *rand.Rand) map[string]string {
	all := map[string]string{}
	for _, r := range forms {
		if r.body == nil {
			continue
		}
		var may []byte
		for c := range 256 {
			if r.body(byte(c)) && alnum(byte(c)) {
				may = append(may, byte(c))
			}
		}
		all[r.name+" "+r.anchor] = r.anchor + secrettest.Token(rng, max(r.min, r.max, 40*(1-min(r.max, 1))),
			string(may))
	}
	base64 := secrettest.Letters + secrettest.Digits + "+/"
	for _, kind := range []string{"", "RSA ", "OPENSSH "} {
		lines := []string{keyBegin + kind + "PRIVATE KEY-----"}
		if kind == "RSA " {
			lines = append(lines, "Proc-Type: 4,ENCRYPTED",
				"DEK-Info: AES-128-CBC,"+secrettest.Token(rng, 32, secrettest.Upper), "")
		}
		for range 3 {
			lines = append(lines, secrettest.Token(rng, 63, base64)+"Q")
		}
		all[kind+"key cut off"] = strings.Join(lines, "\n")
		all[kind+"key"] = strings.Join(append(lines, keyFinish+kind+"PRIVATE KEY-----"), "\n")
	}
	return all
}

func TestSecretsAreFoundInEveryFormThatToolsShow(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(31, 32))
	for name, secret := range bareSecrets(rng) {
		for form, show := range secretForms {
			if strings.Contains(secret, "\n") && strings.Contains(form, "colour") {
				continue // what colours whole lines: below
			}
			text := "the note before\n" + show("line before\n"+secret+"\nline behind") + "\nthe note behind"
			if strings.Contains(form, "colour") || strings.Contains(form, "escape") ||
				strings.Contains(form, "zero-width") {
				text = "the note before\n" + show(secret) + "\nthe note behind"
			} else if !strings.Contains(secret, "\n") && !strings.Contains(show("a\nb"), "\n") ||
				strings.Contains(show(""), "=") || strings.Contains(show(""), "&") {
				text = "the note before\n" + show(secret) + "\nthe note behind"
			}
			if _, found := Find(text); !found {
				t.Errorf("%s, %s: not found in %q", name, form, text)
				continue
			}
			clean, _ := Redact(text)
			for _, part := range strings.Split(secret, "\n") {
				if len(part) > 16 && !strings.Contains(part, "KEY-----") &&
					strings.Contains(clean, part[len(part)-12:]) {
					t.Errorf("%s, %s: %q is left in %q", name, form, part, clean)
				}
			}
			if !strings.HasPrefix(clean, "the note before\n") || !strings.HasSuffix(clean, "\nthe note behind") ||
				strings.Contains(text, "line behind") &&
					(!strings.Contains(clean, "line before") || !strings.Contains(clean, "line behind")) {
				t.Errorf("%s, %s: what stands around it changed: %q", name, form, clean)
			}
		}
	}
}

func TestColouredLinesOfAKeyAreRedacted(t *testing.T) {
	t.Parallel()
	for name, secret := range bareSecrets(rand.New(rand.NewPCG(33, 34))) {
		lines := strings.Split(secret, "\n")
		for i := range lines {
			lines[i] = "\x1b[32m+" + lines[i] + "\x1b[m"
		}
		clean, _ := Redact("before\n" + strings.Join(lines, "\n") + "\n behind it")
		if last := strings.Split(secret, "\n"); strings.Contains(clean, last[len(last)-1][4:]) ||
			!strings.HasSuffix(clean, " behind it") {
			t.Errorf("%s: %q", name, clean)
		}
	}
}

// costlyTexts are texts that are made to be read again and again, n bytes each.
func costlyTexts(n int) map[string]string {
	all := map[string]string{}
	fill := func(name, unit string) { all[name] = strings.Repeat(unit, n/len(unit)+1)[:n] }
	for _, r := range forms {
		fill(r.anchor+" repeated", r.anchor)
		fill(r.anchor+" behind a dash", r.anchor+"-")
		fill(r.anchor+" in lines", r.anchor+"ab1\n")
		fill(r.anchor+" behind a colour", "\x1b[1m"+r.anchor)
		fill(r.anchor+" behind a percent sign", "%3D"+r.anchor)
		all[r.anchor+" and a long run"] = r.anchor + strings.Repeat("a", n)
		all[r.anchor+" repeated, then a run"] = strings.Repeat(r.anchor, n/2/len(r.anchor)) + strings.Repeat("aB3", n/6)
		if r.body != nil {
			fill(r.anchor+" nearly", r.anchor+strings.Repeat("A", max(r.min-1, 1))+" ")
			fill(r.anchor+" found", r.anchor+"aB3dE5gH1jK2mN4"[:min(15, max(r.min, 1))]+
				strings.Repeat("Q7", r.min/2)+" ")
		}
	}
	key := keyBegin + "PRIVATE KEY-----"
	fill("begins of keys", key)
	fill("begins of keys in lines", key+"\n")
	fill("keys cut off", key+"\n"+strings.Repeat("aB3dE5gH1j", 6)+"\n")
	fill("headers of keys", key+"\nA: b\n")
	fill("ends of keys", keyFinish)
	all["one key without an end"] = key + "\n" + strings.Repeat(strings.Repeat("aB3dE5gH1j", 6)+"\n", n/61)
	all["one key of one line"] = key + strings.Repeat("aB3dE5gH1j", n/10)
	all["one key of blank lines"] = key + "\n" + strings.Repeat("aB3dE5gH1j", 6) + strings.Repeat("\n", n)
	fill("percent signs", "%")
	fill("percent signs of percent signs", "%25")
	fill("backslashes", `\`)
	fill("colours without an end", "\x1b[1;")
	return all
}

// workFor is the number of bytes that a search for secrets looks at.
func workFor(text string) (work int) {
	for _, v := range []*decoded{{text: text}, unescape(text)} {
		if v == nil {
			continue
		}
		s := v.scan(context.Background())
		for from := 0; ; {
			r, _, end := s.next(from)
			if r == nil {
				break
			}
			from = end
		}
		work += len(v.text) + s.work
	}
	return work
}

func TestSearchForSecretsCostsInProportionToTheText(t *testing.T) {
	t.Parallel()
	const n = 8 << 10
	small, large := costlyTexts(n), costlyTexts(4*n)
	if len(small) < 8*len(forms) {
		t.Fatalf("%d texts only", len(small))
	}
	for name := range small {
		a, b := workFor(small[name]), workFor(large[name])
		if b > 6*a || b > 600*len(large[name]) {
			t.Errorf("%s: %d bytes looked at for %d, %d for %d", name, a, len(small[name]), b, len(large[name]))
		}
	}
}

func TestSearchForSecretsStopsWhenItsContextIsOver(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if clean, _, err := RedactWithin(ctx, strings.Repeat("SG"+".", 1<<17)); !errors.Is(err, context.Canceled) ||
		clean != "" {
		t.Errorf("%d bytes, %v", len(clean), err)
	}
}
