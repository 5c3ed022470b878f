//go:build agents && unix

package agents

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
)

// fetchTime bounds one installation.
const fetchTime = 5 * time.Minute

// npm is the folder node_modules with packages such as "opencode-ai@1.18.33", in the user's cache. The test is skipped
// where npm or its registry is not reached.
func npm(t *testing.T, packages ...string) string {
	t.Helper()
	dir := install(t, "npm", packages, func(ctx context.Context, dir string) *exec.Cmd {
		return exec.CommandContext(ctx, "npm",
			append([]string{"install", "--prefix", dir, "--no-audit", "--no-fund", "--loglevel", "error"},
				packages...)...)
	})
	return filepath.Join(dir, "node_modules")
}

// pip is the folder of a virtual environment with packages such as "mcp==2.3.0", in the user's cache; its Python is
// bin/python. The test is skipped where Python or PyPI is not reached.
func pip(t *testing.T, packages ...string) string {
	t.Helper()
	return install(t, "pip", packages, func(ctx context.Context, dir string) *exec.Cmd {
		script := `python3 -m venv "$0" && "$0/bin/pip" install --quiet --disable-pip-version-check "$@"`
		return exec.CommandContext(ctx, "/bin/sh", append([]string{"-c", script, dir}, packages...)...)
	})
}

// install is a folder of the user's cache that a command has filled, once for all tests and runs. A mark in it says
// that it is whole.
func install(
	t *testing.T, kind string, packages []string, command func(ctx context.Context, dir string) *exec.Cmd,
) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skipf("%s %s: skipped: %v", kind, strings.Join(packages, " "), err)
	}
	name := strings.NewReplacer("/", "-", "@", "-", "=", "-").Replace(kind + "-" + strings.Join(packages, "_"))
	dir := filepath.Join(cache, "contextd-agents", name)
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		t.Fatal(err)
	}
	lock := flock.New(dir + ".lock")
	if err := lock.Lock(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Unlock() }()
	done := filepath.Join(dir, ".complete") // an environment of Python cannot be moved into its place when it is
	if _, err := os.Stat(done); err == nil {
		return dir
	}
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o700)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), fetchTime)
	defer cancel()
	cmd := command(ctx, dir)
	cmd.WaitDelay = time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("%s %s: skipped: not installed: %v\n%s", kind, strings.Join(packages, " "), err, tail(string(out)))
	}
	if err := os.WriteFile(done, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// node is the folder of a Node of at least version 22, to be put first on PATH, from npm where the machine's own is
// older.
func node(t *testing.T) string {
	t.Helper()
	if path, err := exec.LookPath("node"); err == nil {
		var major int
		out, err := exec.Command(path, "--version").Output()
		if _, scanned := fmt.Sscanf(string(out), "v%d.", &major); err == nil && scanned == nil && major >= 22 {
			return filepath.Dir(path)
		}
	}
	return filepath.Join(npm(t, "node@22.23.3"), "node", "bin")
}

// tail is the end of a long text.
func tail(s string) string { return s[max(0, len(s)-3000):] }
