package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/config"
	"github.com/contextd/contextd/internal/safetext"
)

// command is a small tree of commands that uses everything.
func command() *cobra.Command {
	root := &cobra.Command{Use: "tool", Short: "a tool"}
	var k int
	var wait time.Duration
	greet := &cobra.Command{Use: "greet NAME", Args: Args("NAME", 1, 1), RunE: func(
		cmd *cobra.Command, args []string,
	) error {
		if args[0] == "nobody" {
			fmt.Fprintln(cmd.OutOrStdout(), "nobody there")
			return ErrNothing
		}
		fmt.Fprintf(cmd.OutOrStdout(), "hello %s\n", args[0])
		switch args[0] {
		case "bad\x1b[31m":
			return Hint(errors.New("greet \"bad\x1b[31m\":\n\tno such\u202e name"), "try\nanother")
		case "cancel":
			<-cmd.Context().Done()
			return fmt.Errorf("greet: %w", cmd.Context().Err())
		}
		return nil
	}}
	greet.Flags().IntVar(&k, "k", 3, "")
	greet.Flags().DurationVar(&wait, "wait", 0, "")
	list := &cobra.Command{Use: "list", Args: Args("", 0, 0), RunE: func(*cobra.Command, []string) error { return nil }}
	root.AddCommand(greet, Group(&cobra.Command{Use: "queue"}, list))
	return root
}

func TestExitStatusAndOutput(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args   string
		status int
		stdout string
		stderr string
	}{
		{"greet you", 0, "hello you\n", ""},
		{"greet --k 2 you --wait 1s", 0, "hello you\n", ""},
		{"greet nobody", 1, "nobody there\n", ""},
		{"greet bad\x1b[31m", 2, "", "error: greet \"bad\\x1b[31m\":; no such\\u202e name\nhint: try; another\n"},
		{"greet", 2, "", "error: tool greet: want NAME\nhint: see tool greet --help\n"},
		{"greet a b", 2, "", "error: tool greet: want only NAME (got \"b\" too)\nhint: see tool greet --help\n"},
		{"queue list x", 2, "",
			"error: tool queue list: want no argument (got \"x\")\nhint: see tool queue list --help\n"},
		{"greet a --k many", 2, "", "error: flag --k: \"many\": want a whole number\nhint: see tool greet --help\n"},
		{"greet a --wait soon", 2, "",
			"error: flag --wait: \"soon\": want a duration such as 200ms or 2s\nhint: see tool greet --help\n"},
		{"greet a --no-such-flag", 2, "", "error: unknown flag: --no-such-flag\nhint: see tool greet --help\n"},
		{"frobnicate", 2, "", "error: tool: unknown command \"frobnicate\"\nhint: see tool --help\n"},
		{"gret", 2, "", "error: tool: unknown command \"gret\"\nhint: did you mean \"tool greet\"?\n"},
		{"queue", 2, "", "error: tool queue: want one of list\nhint: see tool queue --help\n"},
		{"queue lst", 2, "", "error: tool queue: unknown command \"lst\"\nhint: did you mean \"tool queue list\"?\n"},
	} {
		var out, errOut bytes.Buffer
		status := Run(t.Context(), command(), strings.Split(tt.args, " "), &out, &errOut)
		if status != tt.status || out.String() != tt.stdout || errOut.String() != tt.stderr {
			t.Errorf("%q: exit %d, stdout %q, stderr %q; want %d, %q, %q", tt.args, status, out.String(),
				errOut.String(), tt.status, tt.stdout, tt.stderr)
		}
	}
}

func TestVersionNamesGo(t *testing.T) {
	t.Parallel()
	var out, errOut bytes.Buffer
	if status := Run(t.Context(), command(), []string{"--version"}, &out, &errOut); status != 0 ||
		!strings.HasPrefix(out.String(), "tool ") || !strings.Contains(out.String(), "go1.") {
		t.Errorf("exit %d: %q %q", status, out.String(), errOut.String())
	}
}

func TestInterruptedIsOneLine(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errOut bytes.Buffer
	if status := Run(ctx, command(), []string{"greet", "cancel"}, &out, &errOut); status != 2 ||
		errOut.String() != "error: interrupted\n" || out.Len() > 0 {
		t.Errorf("exit %d: %q %q", status, out.String(), errOut.String())
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestWriteErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err    error
		status int
		stderr string
	}{
		{syscall.EPIPE, 0, ""},
		{errors.New("no space left on device"), 2, "error: write the answer: no space left on device\n"},
	} {
		var errOut bytes.Buffer
		if status := Run(t.Context(), command(), []string{"greet", "you"}, failing{tt.err},
			&errOut); status != tt.status || errOut.String() != tt.stderr {
			t.Errorf("%v: exit %d, stderr %q", tt.err, status, errOut.String())
		}
	}
}

func TestTableIsAligned(t *testing.T) {
	t.Parallel()
	tab := NewTable([]string{"project", "files", "state"}, 1)
	tab.Row("web", 12, "")
	tab.Row("größer-1", 3, "stale\x1b")
	var b strings.Builder
	tab.Print(&b)
	if want := "project   files  state\nweb          12\ngrößer-1      3  stale\\x1b\n"; b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

func TestStylesAreForTerminalsThatShowThem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		system string
		env    map[string]string
		want   bool
	}{
		{"linux", nil, true}, {"linux", map[string]string{"TERM": "xterm"}, true},
		{"linux", map[string]string{"TERM": "dumb"}, false},
		{"linux", map[string]string{"TERM": "xterm", "NO_COLOR": "1"}, false},
		{"linux", map[string]string{"NO_COLOR": ""}, true},
		{"windows", nil, false}, {"windows", map[string]string{"WT_SESSION": "1"}, true},
	} {
		if got := styled(c.system, func(name string) string { return c.env[name] }); got != c.want {
			t.Errorf("%s with %v: %v", c.system, c.env, got)
		}
	}
	cmd := &cobra.Command{}
	cmd.SetOut(&output{w: io.Discard})
	if Styled(cmd) {
		t.Error("io.Discard is no terminal")
	}
}

func TestBarIsSilentAwayFromATerminal(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	bar := NewBar(&b, "indexing")
	bar.Set(1, 2)
	bar.Clear()
	if b.Len() > 0 {
		t.Errorf("wrote %q", b.String())
	}
	if a, z := barText("indexing", 0, 1000), barText("indexing", 5000, 1000); len(a) != len(z) {
		t.Errorf("%q and %q differ in length", a, z)
	}
	if IsTerminal(io.Discard) {
		t.Error("io.Discard is no terminal")
	}
}

func TestAges(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		340 * time.Millisecond: "340ms",
		12 * time.Second:       "12s",
		5 * time.Minute:        "5m",
		3 * time.Hour:          "3h",
		50 * time.Hour:         "2d",
	} {
		if got := Age(d); got != want {
			t.Errorf("Age(%v) = %q, want %q", d, got, want)
		}
	}
}

// A document reads back as it was, and holds nothing that a terminal would obey.
func TestJSONIsHarmlessAndTheSame(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		"", "größer 日本 🎉 <&>", "a\x1b[31m\x00\x7f\u009b", "\u202egnp.exe\u2066\u200b\ufeff", "\U000e0041x\u2028",
		"back\\slash \\u202e",
	} {
		var b bytes.Buffer
		if err := PrintJSON(&b, map[string]string{"k": in}); err != nil {
			t.Fatal(err)
		}
		var out map[string]string
		if err := json.Unmarshal(b.Bytes(), &out); err != nil || out["k"] != in {
			t.Errorf("%q came back as %q, %v from %s", in, out["k"], err, b.String())
		}
		if got := safetext.Text(b.String()); got != b.String() {
			t.Errorf("%q is printed as %s", in, b.String())
		}
	}
}

// Whatever a log attribute holds, in whatever form, a line of the log is one line without what a terminal obeys.
func TestLogLinesAreHarmless(t *testing.T) {
	t.Parallel()
	evil := "a\x1b[31m\n{\"level\":\"ERROR\"}\u202e\u009b"
	for _, format := range []string{"json", "text"} {
		var b bytes.Buffer
		log := Logger(config.Config{LogFormat: format, LogLevel: slog.LevelDebug}, &b).With("with", evil)
		log.Debug("event", "text", evil, "error", errors.New(evil), "list", []string{evil}, "kind", code.Reason(evil),
			"stringer", stringer(evil), slog.Group("group", "inner", evil))
		if strings.Count(b.String(), "\n") != 1 || safetext.Text(b.String()) != b.String() ||
			strings.Count(b.String(), "31m") != 7 {
			t.Errorf("%s: %q", format, b.String())
		}
	}
}

type stringer string

func (s stringer) String() string { return string(s) }

// What a command does after Flush keeps nobody waiting for its answer.
func TestFlushedOutputIsOutBeforeTheCommandEnds(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	seen := ""
	root := &cobra.Command{Use: "tool", RunE: func(cmd *cobra.Command, _ []string) error {
		fmt.Fprint(cmd.OutOrStdout(), "answer\n")
		Flush(cmd)
		seen = out.String()
		fmt.Fprint(cmd.OutOrStdout(), "more\n")
		return nil
	}}
	if status := Run(t.Context(), root, nil, &out, &bytes.Buffer{}); status != 0 || seen != "answer\n" ||
		out.String() != "answer\nmore\n" {
		t.Errorf("exit %d, seen %q, then %q", status, seen, out.String())
	}
}
