package secret

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/secret/secrettest"
)

// TestSecretsAreFound: tokens of known forms and private keys are found wherever they stand.
func TestSecretsAreFound(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		for text := range secrettest.Samples(rand.New(rand.NewPCG(seed, 1))) {
			for _, around := range []string{text, "package x\n\n" + text + "\nfunc f() {}\n"} {
				if rule, found := Find(around); !found || rule == "" {
					t.Errorf("no secret in %q", around)
				}
			}
		}
	}
}

// TestEveryRuleFindsItsToken: each form that is known, alone, quoted and in a line of code, is found under its name.
func TestEveryRuleFindsItsToken(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(21, 22))
	for _, r := range forms {
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
		s := r.anchor + secrettest.Token(rng, n, string(may))
		for _, text := range []string{
			s, `"` + s + `"`, "k := `" + s + "`\n", "x = f(" + s + ")", "https://u:" + s + "@host", "日" + s + "本",
		} {
			if len(text) < 16 {
				continue
			}
			if name, found := Find(text); !found || name != r.name {
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
	for _, text := range []string{"", "AKIA", "key = AKIA" + strings.Repeat("X", 16), "AKIA" + "IOSFODNN7EXAMPLE",
		"ghp_" + strings.Repeat("x", 36), "ghp_short",
		"MYAKIA" + "QWERTYUIOPASDFGH", "AKIA" + "QWERTYUIOPASDFGHJKL",
		`if strings.Contains(s, "` + head + `") { return errors.New("a private key") }`,
		head + "\n...\n" + dashes + "END", head + "\nMIIE...\n", head,
		`const begin = "` + head + `"` + "\n\nfunc parse(data []byte) (*Key, error) {\n",
		"regexp.MustCompile(`gh[pousr]_[A-Za-z0-9]{36}`)", "the_xoxb-token",
		"risk-ant-hill-and-a-very-long-name-with-many-words-in-it-yes",
		"PRIVATE KEY", dashes + "BEGIN PUBLIC KEY" + dashes + "\n" + strings.Repeat("QWERTYUIOPasdf12", 4)} {
		if rule, found := Find(text); found {
			t.Errorf("%s in %q", rule, text)
		}
	}
}

func BenchmarkFind(b *testing.B) {
	text := strings.Repeat("func (c *Client) do_something(ctx context.Context, key string) error {\n\treturn c.api_call(ctx, key) // not-a-key\n}\n", 400)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Find(text)
	}
}
