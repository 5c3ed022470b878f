package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/contextd/contextd/internal/cli"
)

// watched is a store with one project and one context, as the flags of commands.
func watched(t *testing.T) []string {
	t.Helper()
	for _, name := range []string{"NO_COLOR", "REDIS_URL", "CONTEXTD_REDIS", "CONTEXTD_CONFIG", "CONTEXTD_STATE_DIR"} {
		t.Setenv(name, "")
	}
	t.Setenv("TERM", "xterm")
	dir := t.TempDir()
	root, task := filepath.Join(dir, "harbour"), filepath.Join(dir, "task.json")
	if err := os.MkdirAll(root, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		filepath.Join(root, "moor.go"): "package harbour\n\n// Moor fastens a ship.\nfunc Moor() {}\n",
		task:                           `{"id": "t-7", "title": "Fasten ships", "description": "Moor a ship in moor.go."}`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	flags := []string{"--state-dir", filepath.Join(dir, "state")}
	for _, args := range [][]string{
		{"query", "Moor", "--root", root, "--deadline", "10s"},
		{"context", "--agent", "knight", "--agent-id", "knight-1", "--root", root, "--deadline", "10s",
			"--task-file", task},
	} {
		var out, stderr bytes.Buffer
		if status := cli.Run(t.Context(), command(), append(args, flags...), &out, &stderr); status != 0 {
			t.Fatalf("%v: exit %d: %s%s", args, status, out.String(), stderr.String())
		}
	}
	return flags
}

// play runs top on a terminal of a width. After two frames it does what ends it, and returns what was drawn.
func play(
	t *testing.T, flags []string, width uint16, end func(master *os.File, cancel func()),
) (drawn string, status int, kept bool) {
	t.Helper()
	master, tty := terminal(t)
	if err := unix.IoctlSetWinsize(int(tty.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: width, Row: 24}); err != nil {
		t.Fatal(err)
	}
	before, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	all := make(chan string)
	go func() {
		var b strings.Builder
		buf, ended := make([]byte, 4096), false
		for {
			n, err := master.Read(buf)
			b.Write(buf[:n])
			if !ended && strings.Count(b.String(), "\x1b[?2026l") >= 2 {
				ended = true
				end(master, cancel)
			}
			if err != nil {
				all <- b.String()
				return
			}
		}
	}()
	root := command()
	root.SetIn(tty)
	var stderr bytes.Buffer
	status = cli.Run(ctx, root, append([]string{"top", "--interval", "100ms"}, flags...), tty, &stderr)
	after, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
	kept = err == nil && *after == *before
	tty.Close()
	if stderr.Len() > 0 {
		t.Error(stderr.String())
	}
	return <-all, status, kept
}

func TestTopRedrawsUntilAKeyOrASignalAndGivesTheTerminalBack(t *testing.T) {
	flags := watched(t)
	for name, end := range map[string]func(master *os.File, cancel func()){
		"q":      func(master *os.File, _ func()) { _, _ = master.WriteString("xq") },
		"signal": func(_ *os.File, cancel func()) { cancel() }, // Main's context ends so
	} {
		drawn, status, kept := play(t, flags, 100, end)
		if status != 0 || !kept {
			t.Errorf("%s: exit %d, terminal as before: %t", name, status, kept)
		}
		if !strings.HasPrefix(drawn, "\x1b[?1049h\x1b[?25l") || !strings.HasSuffix(drawn, "\x1b[?25h\x1b[?1049l") ||
			strings.Count(drawn, "\x1b[2J") != 1 || strings.Contains(drawn, "xq") {
			t.Errorf("%s: %q", name, drawn)
		}
		for _, want := range []string{"embedded, no daemon", "harbour", "fresh", "knight-1", "t-7", "q ends"} {
			if !strings.Contains(drawn, want) {
				t.Errorf("%s: %q is not in\n%s", name, want, drawn)
			}
		}
	}
}

func TestTopFitsANarrowTerminal(t *testing.T) {
	drawn, _, _ := play(t, watched(t), 32, func(master *os.File, _ func()) { _, _ = master.WriteString("q") })
	sequences := regexp.MustCompile(`\x1b\[[?0-9;]*[A-Za-z]`)
	for line := range strings.SplitSeq(drawn, "\r\n") {
		for part := range strings.SplitSeq(line, "\x1b[H") {
			if text := strings.TrimRight(sequences.ReplaceAllString(part, ""),
				"\r"); utf8.RuneCountInString(text) > 32 {
				t.Errorf("line %q of %d characters", text, utf8.RuneCountInString(text))
			}
		}
	}
}

func TestTopPrintsOneFrameOfPlainTextWhenPiped(t *testing.T) {
	flags := watched(t)
	var out bytes.Buffer
	if status := cli.Run(t.Context(), command(), append([]string{"top"}, flags...), &out, io.Discard); status != 0 {
		t.Fatalf("exit %d", status)
	}
	text := out.String()
	if strings.Contains(text, "\x1b") || strings.Contains(text, "q ends") || strings.Count(text, "contextd  ") != 1 ||
		!strings.Contains(text, "harbour") || !strings.Contains(text, "knight-1") {
		t.Errorf("got\n%s", text)
	}
	out.Reset()
	if status := cli.Run(t.Context(), command(), append([]string{"top", "--project", "other"}, flags...), &out,
		io.Discard); status != 0 || strings.Contains(out.String(), "knight") {
		t.Errorf("another project: exit %d\n%s", status, out.String())
	}
	if status := cli.Run(t.Context(), command(), append([]string{"top", "--interval", "1ms"}, flags...), &out,
		io.Discard); status != 2 {
		t.Errorf("an interval of 1 ms: exit %d", status)
	}
}
