//go:build unix

package e2etest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
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

// everyday are words of real code, which have vectors; the words of Word have none.
var everyday = strings.Fields("value name key index list size count path file line text node item type data error " +
	"result state user request response config option table row column query cache store buffer stream socket " +
	"client server message event handler queue task worker thread lock timer clock date time token parser lexer " +
	"symbol scope module package import export version build test log metric trace span graph edge tree leaf root " +
	"branch merge commit diff patch hash digest cipher password secret permission role account order invoice price " +
	"payment customer address email phone image pixel color shape point vector matrix score weight model layer batch " +
	"sample label filter map reduce sort search match replace split join encode decode compress read write open close")

// Module is a source file like Source(i, …) with more definitions, each a chunk of about 1,200 bytes: of words as they
// are spread in real code, where a few stand everywhere and most stand seldom.
func Module(i, rev, definitions int) string {
	const words, lines = 60_000, 20
	r := rand.New(rand.NewPCG(uint64(i), uint64(rev)))
	spread := rand.NewZipf(r, 1.07, 20, words)
	word := func() string {
		n := int(spread.Uint64())
		if n < len(everyday)*8 && n%8 == i%8 {
			return everyday[n/8]
		}
		return Word(n)
	}
	var b strings.Builder
	b.WriteString(Source(i, rev, 10))
	for d := range definitions - 1 {
		fmt.Fprintf(&b, "\n\ndef %s_%s_%d(value):\n", word(), Word(i), d)
		for range lines {
			fmt.Fprintf(&b, "    %s_%s = value.%s(%s, %s)  # %s %s\n", word(), word(), word(), word(), word(), word(), word())
		}
		b.WriteString("    return value\n")
	}
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
