//go:build unix

package e2etest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Word is a pronounceable word, another one for each number.
func Word(n int) string {
	var b strings.Builder
	for n += 7919; n > 0; n /= 60 {
		b.WriteByte("bdfgklmnprtvz"[n%60%12])
		b.WriteByte("aeiou"[n%60/12])
	}
	return b.String()
}

// Source is a source file about word i in its revision rev; it defines handle_<word>.
func Source(i, rev, lines int) string {
	var b strings.Builder
	fmt.Fprintf(&b,
		"\"\"\"Module %d, revision %d.\"\"\"\n\n\ndef handle_%s(value):\n    \"\"\"Handle the %s of the order.\"\"\"\n    total = %d\n",
		i, rev, Word(i), Word(i), rev)
	for j := range lines - 8 {
		fmt.Fprintf(&b, "    total += step_%s(value, %d)\n", Word(1000*rev+j), j)
	}
	b.WriteString("    return total\n")
	return b.String()
}

// SourceName is where Source(i, …) lies in a tree.
func SourceName(i int) string { return fmt.Sprintf("pkg%d/mod%d/%s_%d.py", i%7, i%31, Word(i), i) }

// Question finds Source(i, …).
func Question(i int) string { return "handle_" + Word(i) }

// Tree writes the sources from..to-1 below root.
func Tree(root string, from, to, rev, lines int) error {
	for i := from; i < to; i++ {
		if err := Write(root, SourceName(i), Source(i, rev, lines)); err != nil {
			return err
		}
	}
	return nil
}

// Write writes one file below root.
func Write(root, name, text string) error {
	file := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("write %q: %w", name, err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		return fmt.Errorf("write %q: %w", name, err)
	}
	return nil
}

// Git runs git in root, with no settings but these.
func Git(root string, args ...string) error {
	cmd := exec.Command("git",
		append([]string{"-c", "user.name=t", "-c", "user.email=t@t", "-c", "commit.gpgsign=false", "-c", "gc.auto=0",
			"-c", "init.defaultBranch=main", "-C", root}, args...)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=/dev/null"}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(out))
	}
	return nil
}

// Commit makes root a repository if it is none, and commits all of it.
func Commit(root, message string) error {
	if _, err := os.Stat(filepath.Join(root, ".git")); err != nil {
		if err := Git(root, "init", "-q"); err != nil {
			return err
		}
	}
	if err := Git(root, "add", "-A"); err != nil {
		return err
	}
	return Git(root, "commit", "-q", "--allow-empty", "-m", message)
}
