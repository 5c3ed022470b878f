package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/contextd/contextd/internal/cli"
)

// terminal opens a pseudo terminal: its far side, and the one that a command sees.
func terminal(t *testing.T) (master, tty *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo terminals here: %v", err)
	}
	t.Cleanup(func() { master.Close() })
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo terminals here: %v", err)
	}
	return master, tty
}

// atTerminal runs the command with its results on a pseudo terminal and returns them.
func atTerminal(t *testing.T, args ...string) string {
	t.Helper()
	master, tty := terminal(t)
	read := make(chan string)
	go func() {
		data, _ := io.ReadAll(master) // ends with an error when the other side is closed
		read <- string(data)
	}()
	var stderr bytes.Buffer
	status := cli.Run(t.Context(), command(), args, tty, &stderr)
	tty.Close()
	if out := <-read; status == 0 {
		return strings.ReplaceAll(out, "\r\n", "\n")
	}
	t.Fatalf("exit %d: %s", status, stderr.String())
	return ""
}

func TestATerminalShowsMoreAndMarksIt(t *testing.T) {
	root := filepath.Join(t.TempDir(), "tree")
	code := "package harbour\n\n// Moor fastens a ship.\nfunc Moor(ship string) {\n" +
		strings.Repeat("\ttighten(\"a rope of the mooring\")\n", 30) + "}\n"
	if err := os.MkdirAll(root, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "moor.go"), []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"NO_COLOR", "TERM", "REDIS_URL", "CONTEXTD_REDIS", "CONTEXTD_CONFIG", "CONTEXTD_STATE_DIR",
	} {
		t.Setenv(name, "")
	}
	t.Setenv("TERM", "xterm")
	args := []string{"query", "Moor", "--root", root, "--state-dir", filepath.Join(t.TempDir(), "state"),
		"--deadline", "10s"}
	var piped bytes.Buffer
	if status := cli.Run(t.Context(), command(), args, &piped, io.Discard); status != 0 {
		t.Fatalf("exit %d", status)
	}
	lines := func(out string) int { return strings.Count(out, "\n") }
	sequences := regexp.MustCompile(`\x1b(\[[0-9;]*m|\]8;;[^\x1b]*\x1b\\)`)

	rich := atTerminal(t, args...)
	for _, want := range []string{
		"\x1b]8;;file://" + filepath.ToSlash(root) + "/moor.go\x1b\\\x1b[1mmoor.go\x1b[0m\x1b]8;;\x1b\\:",
		"func \x1b[1;33mMoor\x1b[0m(ship", "the \x1b[1;33mmooring\x1b[0m\"",
	} {
		if !strings.Contains(rich, want) {
			t.Errorf("at a terminal: %q is not in\n%q", want, rich)
		}
	}
	if n := strings.Count(rich, "tighten("); n < 9 || n > 12 || lines(rich) <= lines(piped.String()) {
		t.Errorf("at a terminal: %d lines of the body in\n%s", n, rich)
	}
	limits := append(args, "--max-chars", "200", "--max-bytes", "2048")
	if got := sequences.ReplaceAllString(atTerminal(t, limits...), ""); got != piped.String() {
		t.Errorf("at a terminal with limits, without marks:\n%s\nwant\n%s", got, piped.String())
	}
	if got := atTerminal(t, append(args, "--json")...); strings.Contains(got, "\x1b") ||
		strings.Count(got, "tighten(") > 6 {
		t.Errorf("JSON at a terminal:\n%s", got)
	}
	for _, plain := range [][2]string{{"TERM", "dumb"}, {"NO_COLOR", "1"}} {
		t.Setenv(plain[0], plain[1])
		if got := atTerminal(t, args...); got != piped.String() {
			t.Errorf("with %s=%s:\n%s\nwant\n%s", plain[0], plain[1], got, piped.String())
		}
		t.Setenv("TERM", "xterm")
	}
}
