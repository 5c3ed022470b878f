package sandbox

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/code"
)

var update = flag.Bool("update", false, "write docs/SKIPPED_FILES.md again")

const skippedDoc = "../../docs/SKIPPED_FILES.md"

// TestDocsNameTheSkipped: the page in docs/ holds exactly the names that the code knows.
func TestDocsNameTheSkipped(t *testing.T) {
	t.Parallel()
	row := func(reason, what string, names []string) string {
		return fmt.Sprintf("| `%s` | %s | `%s` |\n", reason, what, strings.Join(names, "` `"))
	}
	table := "| reason | what | names |\n|---|---|---|\n" +
		row("vcs", "folders (and a file `.git`), bare repositories", vcsDirs) +
		row("ignored", "ignore files obeyed besides `.gitignore` and `"+ownFile+"`", agentFiles) +
		row("secret_name", "files", secretFiles) +
		row("secret_name", "folders", secretDirs) +
		row("secret_name", "not for an environment file with one of these words first or last in its name", secretTemplates) +
		row("vendored", "folders", vendoredDirs) +
		row("vendored", "a folder `vendor` that holds one of these files", vendorMarks) +
		row("build_output", "folders in which git tracks nothing", buildDirs) +
		row("lockfile", "files", lockfiles)
	data, err := os.ReadFile(skippedDoc)
	must(t, err)
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	head, rest, ok := strings.Cut(text, "<!-- names -->\n")
	_, tail, ok2 := strings.Cut(rest, "<!-- /names -->\n")
	if !ok || !ok2 {
		t.Fatal("the marks around the table are missing")
	}
	if want := head + "<!-- names -->\n" + table + "<!-- /names -->\n" + tail; want != text {
		if !*update {
			t.Fatal("docs/SKIPPED_FILES.md differs from the code: run go test ./internal/sandbox -run Docs -update")
		}
		must(t, os.WriteFile(skippedDoc, []byte(want), 0o644))
	}
	for _, list := range [][]string{vcsDirs, agentFiles, secretFiles, secretDirs, secretTemplates, vendoredDirs, vendorMarks, buildDirs, lockfiles} {
		if !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) != len(list) {
			t.Errorf("not sorted, or a name twice: %q", list)
		}
	}
}

// TestNames: what a name alone decides, wherever it stands.
func TestNames(t *testing.T) {
	t.Parallel()
	want := map[string]code.Reason{}
	for reason, list := range map[code.Reason][]string{
		code.SecretName: {".env", ".env.local", ".env.production.local", ".envrc", ".env-prod", "prod.env", "id_rsa", "id_ed25519", "server.pem", "SERVER.PEM",
			"a.key", ".netrc", "_netrc", "credentials", "credentials.json", "client_secret_1.apps.json", "service-account-x.json", "x.tfstate", "x.tfstate.backup",
			".ssh/config", ".npmrc", "store.jks", "kubeconfig"},
		"": {".env.example", ".env.sample", "example.env", ".env.production.template", ".env.dist", "id_rsa.pub", "credentials.py", "secrets.go", "environment.ts",
			".environment", "pem.go", "keys.go", "env", "lock.go", "vendor/own.go", "docs/dist.md", "cargo.toml", ".gitattributes", ".github/workflows/ci.yml",
			".hidden.py", "release/x.go", "HEAD", "hg", "target.go"},
		code.Vendored:    {"node_modules/a.js", "a/bower_components/x.js", "lib/python3/site-packages/x.py", "Pods/x.m", "php/vendor/x.php", "go/vendor/x/y.go"},
		code.BuildOutput: {"dist/a.js", "build/x", "target/debug/x.d", "out/x", ".next/x.js", "a/__pycache__/x.py", ".venv/bin/x"},
		code.Lockfile:    {"package-lock.json", "yarn.lock", "go.sum", "sub/Cargo.lock", "Gemfile.lock", "pnpm-lock.yaml", "uv.lock"},
		code.VCS:         {".hg/store", ".svn/entries", ".jj/x", "sub/.git", "bare/HEAD", "bare/objects/x"},
	} {
		for _, path := range list {
			want[path] = reason
		}
	}
	files := map[string]string{"php/vendor/autoload.php": "x\n", "go/vendor/modules.txt": "x\n", "bare/refs/": ""}
	for path := range want {
		files[path] = "x\n"
	}
	r := open(t, write(t, t.TempDir(), files))
	tree := walk(t, r)
	for path, reason := range want {
		if _, got := r.Check(path); got.Reason != reason {
			t.Errorf("Check(%q) = %q (%s), want %q", path, got.Reason, got.Detail, reason)
		}
		if in := slices.Contains(paths(tree), path); in != (reason == "") {
			t.Errorf("%q in the walk: %v", path, in)
		}
	}
}

// TestFirstReasonWins: of several reasons the first in the documented order is given, also below a folder left out for
// a later one.
func TestFirstReasonWins(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 600)
	root := write(t, t.TempDir(), map[string]string{".gitignore": "hid/\n", "hid/.env": "x", "hid/node_modules/x.js": "x", "hid/logo.dat": "\x00", ".env": "\x00",
		"id_rsa": long, "dist/package-lock.json": "{}", "package-lock.json": long, "big.dat": "\x00" + long, "dist/.env": "x", "dist/node_modules/x.js": "x",
		"node_modules/.env": "x", "node_modules/p/.gitignore": "x.js\n", "node_modules/p/x.js": "x", "node_modules/yarn.lock": "x",
		".git/x.pem": "x", "hid/.git/x": "x", "caf\xe9/.env": "x", "dist/caf\xe9.py": "x", "dist/ok.js": "x"})
	r := open(t, root, Options{MaxFileBytes: 500})
	for path, reason := range map[string]code.Reason{"hid/.env": code.Ignored, "hid/node_modules/x.js": code.Ignored, "hid/logo.dat": code.Ignored,
		".env": code.SecretName, "id_rsa": code.SecretName, "dist/package-lock.json": code.BuildOutput, "package-lock.json": code.Lockfile,
		"big.dat": code.TooLarge, "dist/.env": code.SecretName, "dist/node_modules/x.js": code.Vendored, "node_modules/.env": code.SecretName,
		"node_modules/p/x.js": code.Ignored, "node_modules/yarn.lock": code.Vendored, ".git/x.pem": code.VCS, "hid/.git/x": code.VCS,
		"hid/none.pem": code.Missing, "caf\xe9/.env": code.NameEncoding, "dist/caf\xe9.py": code.NameEncoding, "dist": code.BuildOutput, "hid": code.Ignored} {
		if got := r.Why(t.Context(), path); got.Reason != reason {
			t.Errorf("Why(%q) = %q (%s), want %q", path, got.Reason, got.Detail, reason)
		}
	}
	if got := r.Why(t.Context(), "hid/.env").Detail; got != `rule "hid/" at .gitignore:1` {
		t.Errorf("Detail = %s", got)
	}
	want := []string{"build_output dist/", "ignored hid/", "lockfile package-lock.json", "name_encoding caf\xe9/", "secret_name .env", "secret_name id_rsa",
		"too_large big.dat", "vcs .git/", "vendored node_modules/"}
	if got := skips(walk(t, r)); !slices.Equal(got, want) {
		t.Errorf("skipped = %q, want %q", got, want)
	}
}
