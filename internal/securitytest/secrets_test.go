//go:build unix

package securitytest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
)

const (
	lower  = "abcdefghijklmnopqrstuvwxyz"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits = "0123456789"
	alnum  = lower + upper + digits
	hexa   = digits + "abcdef"
)

func token(rng *rand.Rand, n int, letters string) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = letters[rng.IntN(len(letters))]
	}
	return string(b)
}

// tokens are one secret of every form that is known, under a name that may stand in a path. Their beginnings are put
// together here, so that no scanner takes this file for a leak.
func tokens(rng *rand.Rand) map[string]string {
	dashes := strings.Repeat("-", 5)
	return map[string]string{
		"aws": "AK" + "IA" + token(rng, 16, upper), "awstemp": "AS" + "IA" + token(rng, 16, upper),
		"ghp": "gh" + "p_" + token(rng, 36, alnum), "gho": "gh" + "o_" + token(rng, 36, alnum),
		"ghu": "gh" + "u_" + token(rng, 36, alnum),
		"ghs": "gh" + "s_" + token(rng, 36, alnum), "ghr": "gh" + "r_" + token(rng, 36, alnum),
		"ghpat":  "github_" + "pat_" + token(rng, 82, alnum),
		"gitlab": "gl" + "pat-" + token(rng, 20, alnum), "xoxb": "xox" + "b-" + token(rng, 40, alnum),
		"xoxp": "xox" + "p-" + token(rng, 40, alnum),
		"xoxa": "xox" + "a-" + token(rng, 40, alnum), "xoxs": "xox" + "s-" + token(rng, 40, alnum),
		"xoxr": "xox" + "r-" + token(rng, 40, alnum),
		"xoxe": "xox" + "e." + token(rng, 40, alnum), "xapp": "xa" + "pp-" + token(rng, 60, alnum),
		"stripe": "sk_" + "live_" + token(rng, 24, alnum), "stripe2": "rk_" + "live_" + token(rng, 24, alnum),
		"anthropic": "sk-" + "ant-" + token(rng, 90, alnum),
		"openai":    "sk-" + "proj-" + token(rng, 60, alnum), "openai2": "sk-" + "svcacct-" + token(rng, 60, alnum),
		"google": "AI" + "za" + token(rng, 35, alnum),
		"oauth":  "GOC" + "SPX-" + token(rng, 28, alnum), "ya29": "ya" + "29." + token(rng, 60, alnum),
		"npm":  "np" + "m_" + token(rng, 36, alnum),
		"pypi": "py" + "pi-AgE" + token(rng, 60, alnum), "gems": "ruby" + "gems_" + token(rng, 48, hexa),
		"hf":       "h" + "f_" + token(rng, 34, alnum),
		"sendgrid": "S" + "G." + token(rng, 66, alnum), "do": "dop" + "_v1_" + token(rng, 64, hexa),
		"shopify": "shp" + "at_" + token(rng, 32, hexa),
		"square":  "sq0" + "csp-" + token(rng, 43, alnum), "docker": "dckr" + "_pat_" + token(rng, 27, alnum),
		"vault":   "hv" + "s." + token(rng, 90, alnum),
		"grafana": "gl" + "sa_" + token(rng, 41, alnum), "linear": "lin" + "_api_" + token(rng, 40, alnum),
		"atlassian":  "AT" + "ATT3" + token(rng, 100, alnum),
		"postman":    "PM" + "AK-" + token(rng, 24, hexa) + "-" + token(rng, 34, hexa),
		"databricks": "da" + "pi" + token(rng, 32, hexa),
		"azure":      "Account" + "Key=" + token(rng, 86, alnum) + "==",
		"age":        "AGE-SECRET" + "-KEY-1" + token(rng, 58, upper+digits),
		"pem":        dashes + "BEGIN RSA PRIV" + "ATE KEY" + dashes + "\n" + token(rng, 64, alnum),
		"ssh":        dashes + "BEGIN OPENSSH PRIV" + "ATE KEY" + dashes + "\n" + token(rng, 64, alnum),
	}
}

// seen fails the test where a secret, or its part that no other text holds, was said or is stored.
func (w *world) seen(secrets map[string]string) {
	w.t.Helper()
	stored := w.stored()
	if len(stored) == 0 {
		w.t.Error("nothing is stored: nothing was tried")
	}
	for name, secret := range secrets {
		if _, body, ok := strings.Cut(secret, "\n"); ok {
			secret = body // of a key: the head is no secret
		}
		// words are stored in lower case, some without what stands before
		core := strings.ToLower(secret[len(secret)-14:])
		for _, r := range w.said {
			if strings.Contains(strings.ToLower(r.out+r.err), core) {
				w.t.Errorf("%s was printed by %.100q", name, r.args)
			}
		}
		for where, data := range stored {
			if strings.Contains(strings.ToLower(data), core) {
				w.t.Errorf("%s is stored in %s", name, where)
			}
		}
	}
}

// askAll runs everything that prints something of the index.
func (w *world) askAll(paths ...string) {
	w.t.Helper()
	for _, q := range []string{"sirenlamp", "sirenlamp key", "private key token login", "return"} {
		w.query(q)
		w.query(q, "--explain")
		w.run("retriever", "query", q, "--root", w.dir, "--k", "50", "--max-chars", "2000", "--max-bytes", "100000",
			"--min-relevance", "0", "--explain", "--deadline", "20s")
	}
	for _, p := range paths {
		w.run("retriever", "why", p, "--root", w.dir)
		w.run("retriever", "why", p, "--root", w.dir, "--json")
	}
	for _, args := range [][]string{
		{"status"},
		{"status", "--json"},
		{"doctor"},
		{"doctor", "--json"},
		{"queue", "list"},
		{"queue", "list", "--json"},
	} {
		w.run("indexer", args...)
	}
}

// TestNoKnownSecretIsPrintedLoggedOrStored: of every known form, as a value, as a name in code, in a comment, in
// another encoding.
func TestNoKnownSecretIsPrintedLoggedOrStored(t *testing.T) {
	both(t, func(t *testing.T, w *world) {
		secrets := tokens(rand.New(rand.NewPCG(11, 12)))
		files, paths := map[string]string{"plain.py": "def sirenlamp():\n    return 1\n"}, []string{}
		for name, s := range secrets {
			files[name+"/value.py"] = fmt.Sprintf("def sirenlamp_%s():\n    return connect(key=\"\"\"%s\"\"\")\n", name,
				s)
			files[name+"/comment.go"] = fmt.Sprintf(
				"package x\n\n// Sirenlamp: log in with\n// %s\nfunc Sirenlamp() {}\n",
				strings.ReplaceAll(s, "\n", "\n// "))
			files[name+"/wide.js"] = "function sirenlamp() { return '" + strings.Repeat("lorem ipsum ", 900) + s +
				"' }\n"
			files[name+"/sixteen.txt"] = utf16of("sirenlamp " + s + "\n")
			if !strings.ContainsAny(s, ".-=\n") {
				files[name+"/symbol.py"] = "def " + s + "():\n    return 'sirenlamp'\n"
				files[name+"/"+s+".py"] = "def sirenlamp_in_a_named_file():\n    return 1\n"
				files["dir-"+s+"/x.py"] = "def sirenlamp_in_a_named_folder():\n    return 1\n"
			}
		}
		for p := range files {
			if p != "plain.py" && !slices.ContainsFunc(maps(secrets), func(s string) bool {
				return strings.Contains(p, s)
			}) {
				paths = append(paths, p)
			}
		}
		slices.Sort(paths)
		w.write(files)
		w.index()
		w.askAll(paths[0], paths[1], paths[2], paths[3], paths[4])
		if got, _ := w.query("sirenlamp"); !slices.Equal(got, []string{"plain.py"}) {
			t.Errorf("served %q, want plain.py alone", got)
		}
		w.seen(secrets)
	})
}

func maps(m map[string]string) (values []string) {
	for _, v := range m {
		values = append(values, v)
	}
	return values
}

func utf16of(s string) string {
	b := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return string(b)
}

// TestASecretThatComesAfterIndexing: the file was indexed when it was clean; from the moment it holds a secret nothing
// of it is served, and after the next refresh nothing of it is stored.
func TestASecretThatComesAfterIndexing(t *testing.T) {
	both(t, func(t *testing.T, w *world) {
		secrets := tokens(rand.New(rand.NewPCG(13, 14)))
		clean, dirty := map[string]string{"other.py": "def sirenlamp_other():\n    return 2\n"}, map[string]string{}
		for name, s := range secrets {
			clean[name+".py"] = "def sirenlamp():\n    return 1\n"
			dirty[name+".py"] = "def sirenlamp():\n    return '''" + s + "'''\n"
		}
		w.write(clean)
		w.index()
		if got, _ := w.query("sirenlamp"); len(got) < 10 {
			t.Fatalf("served %q before", got)
		}
		w.write(dirty)
		for _, flags := range [][]string{{"--no-index"}, {"--no-index", "--stale", "skip"}, {}} {
			got, _ := w.query("sirenlamp", flags...)
			if slices.ContainsFunc(got, func(p string) bool { return p != "other.py" }) {
				t.Errorf("%q: served %q", flags, got)
			}
		}
		w.askAll("aws.py")
		w.index()
		w.askAll("aws.py")
		w.seen(secrets)
	})
}

// TestDeadLettersHoldNoText: what fails for good is kept with paths and a reason, never with a file's text.
func TestDeadLettersHoldNoText(t *testing.T) {
	both(t, func(t *testing.T, w *world) {
		secrets := tokens(rand.New(rand.NewPCG(15, 16)))
		w.write(map[string]string{"a.py": "K = '" + secrets["ghp"] + "'\n", "b.py": "def b():\n    return 1\n"})
		w.index()
		outside := filepath.Join(w.home, "elsewhere")
		must(t, os.Mkdir(outside, 0o755))
		must(t, os.WriteFile(filepath.Join(outside, "a.py"), []byte("K = '"+secrets["aws"]+"'\n"), 0o644))
		w.run("indexer", "enqueue", w.dir, "a.py", "b.py")
		w.run("indexer", "enqueue", outside, "a.py") // the daemon will refuse it
		stop := w.daemon("--allow-root", w.dir)
		until(t, "a dead letter", func() bool {
			return strings.Contains(w.run("indexer", "queue", "list").out, "elsewhere")
		})
		w.askAll("a.py")
		stop()
		w.seen(map[string]string{"ghp": secrets["ghp"], "aws": secrets["aws"]})
	})
}
