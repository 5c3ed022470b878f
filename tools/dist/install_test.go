//go:build unix

package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// made is a folder with everything that is released for this machine, built once.
var made = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "contextd-dist-test-")
	if err != nil {
		return "", err
	}
	return dir, run(options{out: dir, version: "v0.1.0-rc.1", revision: "0123abcd", platforms: runtime.GOOS + "/" + runtime.GOARCH})
})

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := made(); err == nil {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// released is that folder, made with the top of the repository as the working directory.
func released(t *testing.T) string {
	t.Helper()
	t.Chdir("../..")
	t.Setenv("SOURCE_DATE_EPOCH", "1767323045")
	dir, err := made()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// runIn runs a command in dir and returns what it wrote to both streams.
func runIn(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "npm_config_audit=false", "npm_config_fund=false", "npm_config_offline=true", "PIP_NO_INDEX=1", "PIP_DISABLE_PIP_VERSION_CHECK=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// answers holds that the three ways to start the installed binaries work, and that a status passes through.
func answers(t *testing.T, bin string) {
	t.Helper()
	for want, argv := range map[string][]string{
		"retriever v0.1.0-rc.1": {"retriever", "version"},
		"indexer v0.1.0-rc.1":   {"indexer", "version"},
	} {
		if got := runIn(t, bin, filepath.Join(bin, argv[0]), argv[1:]...); !strings.HasPrefix(got, want) {
			t.Errorf("%q printed %q, want %q", argv, got, want)
		}
	}
	err := exec.Command(filepath.Join(bin, "retriever"), "no-such-command").Run()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 2 {
		t.Errorf("a bad command ended with %v, want status 2", err)
	}
}

func TestTheNpmPackageInstallsFromFiles(t *testing.T) {
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm is not installed")
	}
	dir, to := released(t), t.TempDir()
	files, err := filepath.Glob(filepath.Join(dir, "contextd-*.tgz"))
	if err != nil || len(files) != 3 {
		t.Fatalf("npm packages %q, %v; want that of the platform, that which chooses, the client", files, err)
	}
	runIn(t, to, "npm", append([]string{"install", "--prefix", to}, files...)...)
	bin := filepath.Join(to, "node_modules", ".bin")
	answers(t, bin)
	if got := runIn(t, to, filepath.Join(bin, "contextd"), "indexer", "version"); !strings.HasPrefix(got, "indexer ") {
		t.Errorf("contextd indexer version printed %q", got)
	}
	if got := runIn(t, to, filepath.Join(bin, "contextd"), "version"); !strings.HasPrefix(got, "retriever ") {
		t.Errorf("contextd version printed %q", got)
	}
	if got := runIn(t, to, "node", "--input-type=module", "-e", `import { Contextd } from "contextd-client"; console.log(new Contextd().baseUrl)`); got != "http://127.0.0.1:9465\n" {
		t.Errorf("the client printed %q", got)
	}
}

func TestTheWheelInstallsFromAFile(t *testing.T) {
	if err := exec.Command("python3", "-m", "venv", "--help").Run(); err != nil {
		t.Skip("python3 with venv is not installed")
	}
	dir, to := released(t), t.TempDir()
	if out, err := exec.Command("python3", "-m", "venv", to).CombinedOutput(); err != nil {
		t.Skipf("python3 makes no environment: %s", out)
	}
	bin := filepath.Join(to, "bin")
	runIn(t, to, filepath.Join(bin, "python"), "-m", "pip", "install", "--find-links", dir, "contextd==0.1.0rc1", "contextd-client==0.1.0rc1")
	answers(t, bin)
	if got := runIn(t, to, filepath.Join(bin, "contextd"), "indexer", "version"); !strings.HasPrefix(got, "indexer ") {
		t.Errorf("contextd indexer version printed %q", got)
	}
	if got := runIn(t, to, filepath.Join(bin, "python"), "-m", "pip", "check"); !strings.Contains(got, "No broken") {
		t.Errorf("pip check: %s", got)
	}
	runIn(t, to, filepath.Join(bin, "python"), "-m", "pip", "uninstall", "-q", "-y", "contextd")
	if got := runIn(t, to, filepath.Join(bin, "python"), "-c", "import contextd_client; print(contextd_client.Contextd().base_url)"); got != "http://127.0.0.1:9465\n" {
		t.Errorf("the client printed %q", got)
	}
	if left, _ := filepath.Glob(filepath.Join(bin, "retriever")); left != nil {
		t.Errorf("%q is left after the removal", left)
	}
}

func TestTheInstallScriptChecksSums(t *testing.T) {
	dir := released(t)
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	to := filepath.Join(t.TempDir(), "bin")
	for _, from := range []string{dir, server.URL} { // the second time over binaries that are there
		if got := runIn(t, dir, "sh", "install.sh", "--from", from, "--dir", to); !strings.Contains(got, "installed retriever and indexer 0.1.0-rc.1") {
			t.Errorf("from %q: printed %q", from, got)
		}
	}
	answers(t, to)

	archives, err := filepath.Glob(filepath.Join(dir, "contextd_*.tar.gz"))
	if err != nil || len(archives) != 1 {
		t.Fatalf("archives %q, %v; want one", archives, err)
	}
	script, err := os.ReadFile(filepath.Join(dir, "install.sh"))
	if err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadFile(filepath.Join(dir, sums))
	if err != nil {
		t.Fatal(err)
	}
	bad, to := t.TempDir(), filepath.Join(t.TempDir(), "bin")
	for name, data := range map[string][]byte{"install.sh": script, sums: list, filepath.Base(archives[0]): []byte("something else")} {
		if err := os.WriteFile(filepath.Join(bad, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command("sh", filepath.Join(bad, "install.sh"), "--from", bad, "--dir", to).CombinedOutput()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 2 || !strings.Contains(string(out), "nothing was installed") {
		t.Errorf("a changed archive: %v %s", err, out)
	}
	if _, err := os.Stat(to); err == nil {
		t.Errorf("%q was made for a changed archive", to)
	}
}

func TestTheSumsNameEverything(t *testing.T) {
	dir := released(t)
	text, err := os.ReadFile(filepath.Join(dir, sums))
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 8 {
		t.Errorf("%d files, want archive, two npm packages, wheel, two clients, script, sums", len(entries))
	}
	for _, e := range entries {
		if e.Name() != sums && !strings.Contains(string(text), "  "+e.Name()+"\n") {
			t.Errorf("%s does not name %q", sums, e.Name())
		}
	}
}
