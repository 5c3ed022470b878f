package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/safetext"
	"github.com/contextd/contextd/internal/syserr"
)

// StopTime is how long a command may take to stop after a signal before it is ended.
const StopTime = 9 * time.Second

// ErrNothing makes a command exit with status 1 without a word: what it had to say is on stdout.
var ErrNothing = errors.New("nothing found")

// repeatTime is how long after a signal another one counts as the same: supervisors, and people at a terminal, send two
// in a row.
const repeatTime = 200 * time.Millisecond

// errInterrupted is the error of a command that a signal stopped before it was done.
var errInterrupted = errors.New("interrupted")

// Main runs root with the arguments, output and signals of this process and returns its exit status. It is the last
// thing that a process does and leaves its handlers of signals in place: to take them back costs two switches of
// threads for each signal.
func Main(root *cobra.Command) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// With a handler a write to a closed pipe fails with EPIPE instead of ending the process; children get the default.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	context.AfterFunc(ctx, func() {
		time.AfterFunc(repeatTime, stop) // from then on another signal ends the process at once
		time.AfterFunc(StopTime, func() { os.Exit(printError(os.Stderr, errInterrupted)) })
	})
	return Run(ctx, root, os.Args[1:], os.Stdout, os.Stderr)
}

// Run is Main with everything handed in.
func Run(ctx context.Context, root *cobra.Command, args []string, stdout, stderr io.Writer) int {
	out := &output{w: stdout}
	prepare(root)
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil || errors.Is(err, ErrNothing) {
		status := 0
		if err != nil {
			status = 1
		}
		if err := out.flush(); syserr.Ended(err) {
			return status // the reader has what it wanted
		} else if err != nil {
			return printError(stderr, fmt.Errorf("write the answer: %w", err))
		}
		return status
	}
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		err = errInterrupted
	}
	return printError(stderr, stateHint(cmd, inOurWords(cmd, err)))
}

// output keeps what a command prints until it is known to be right. What is over 1 MB is passed on at once.
type output struct {
	w   io.Writer
	buf bytes.Buffer
	err error
}

const holdBytes = 1 << 20

func (o *output) Write(p []byte) (int, error) {
	o.buf.Write(p)
	if o.buf.Len() > holdBytes {
		if err := o.flush(); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// Flush passes on what cmd has printed so far, for a command that has something to do once its answer is out. It must
// not fail after that.
func Flush(cmd *cobra.Command) {
	if o, ok := cmd.OutOrStdout().(*output); ok {
		_ = o.flush() // told at the end
	}
}

func (o *output) flush() error {
	if o.err == nil && o.buf.Len() > 0 {
		_, o.err = o.buf.WriteTo(o.w)
	}
	return o.err
}

// prepare gives all commands below root the manners of this package.
func prepare(root *cobra.Command) {
	root.SilenceErrors, root.SilenceUsage = true, true
	root.DisableSuggestions = true // they are hints here
	root.Version = Version()
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return flagError(cmd, err) })
}

// printError writes err as an error line and, if there is a hint, a hint line; it returns the exit status 2.
func printError(w io.Writer, err error) int {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "error: %s\n", oneLine(err.Error()))
	if hint := HintOf(err); hint != "" {
		fmt.Fprintf(b, "hint: %s\n", oneLine(hint))
	}
	_ = b.Flush() // there is no better place to complain
	return 2
}

// oneLine is text without line breaks and without what a terminal would obey.
func oneLine(text string) string {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return safetext.Line(strings.Join(lines, "; "))
}
