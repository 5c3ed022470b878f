package cli

import (
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/sandbox"
)

// Hint adds to err what to do about it.
func Hint(err error, format string, args ...any) error {
	return hinted{err, fmt.Sprintf(format, args...)}
}

type hinted struct {
	error
	hint string
}

func (h hinted) Hint() string  { return h.hint }
func (h hinted) Unwrap() error { return h.error }

// HintOf is the hint of err or of the first error it wraps that has one: any error with a method Hint() string. Errors
// of Redis, and missing folders, have one here.
func HintOf(err error) string {
	var h interface{ Hint() string }
	if errors.As(err, &h) {
		return h.Hint()
	}
	switch {
	case errors.Is(err, sandbox.ErrMissing):
		return "check the path; a relative one counts from the working directory"
	case errors.Is(err, sandbox.ErrNotDirectory):
		return "name the folder that it lies in"
	}
	var op *net.OpError
	switch rdb.Classify(err) {
	case rdb.Unreachable, rdb.Deadline:
		if errors.As(err, &op) { // else it is an error of a file
			return "is Redis running there? --redis off uses the embedded store"
		}
	case rdb.Auth:
		return rdb.AuthHint(err)
	case rdb.Loading:
		return "Redis is still starting; try again in a moment"
	case rdb.ReadOnly:
		return "this Redis is a replica; name the one that takes writes"
	case rdb.Cluster: // of a user who may not ask INFO
		return rdb.ClusterHint
	case rdb.OOM:
		return "Redis is out of memory: raise its maxmemory"
	}
	return ""
}

// Args wants from least to most arguments (most < 0: any number), which are called names in messages.
func Args(names string, least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return seeHelp(cmd, fmt.Errorf("%s: want %s", cmd.CommandPath(), names))
		case most >= 0 && len(args) > most && names == "":
			return seeHelp(cmd, fmt.Errorf("%s: want no argument (got %q)", cmd.CommandPath(), args[most]))
		case most >= 0 && len(args) > most:
			return seeHelp(cmd, fmt.Errorf("%s: want only %s (got %q too)", cmd.CommandPath(), names, args[most]))
		}
		return nil
	}
}

// Group makes cmd a command that only holds others: without one of them, or with one that does not exist, it is an
// error.
func Group(cmd *cobra.Command, subs ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(subs...)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownCommand(cmd, args[0])
		}
		var names []string
		for _, s := range subs {
			names = append(names, s.Name())
		}
		return seeHelp(cmd, fmt.Errorf("%s: want one of %s", cmd.CommandPath(), strings.Join(names, ", ")))
	}
	return cmd
}

func unknownCommand(cmd *cobra.Command, name string) error {
	err := fmt.Errorf("%s: unknown command %q", cmd.CommandPath(), name)
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(name); len(near) > 0 {
		return Hint(err, "did you mean %q?", cmd.CommandPath()+" "+near[0])
	}
	return seeHelp(cmd, err)
}

// inOurWords gives cobra's own errors our words.
func inOurWords(cmd *cobra.Command, err error) error {
	text := err.Error()
	if rest, ok := strings.CutPrefix(text, `unknown command "`); ok {
		if i := strings.LastIndex(rest, `" for "`); i >= 0 {
			return unknownCommand(cmd, rest[:i])
		}
	}
	return err
}

func flagError(cmd *cobra.Command, err error) error {
	var bad *pflag.InvalidValueError
	if !errors.As(err, &bad) {
		return seeHelp(cmd, err)
	}
	want := map[string]string{"int": "a whole number", "int64": "a whole number", "float64": "a number",
		"duration": "a duration such as 200ms or 2s",
		"bool":     "true or false"}[bad.GetFlag().Value.Type()]
	if want == "" {
		return seeHelp(cmd, fmt.Errorf("flag --%s: %q: %w", bad.GetFlag().Name, bad.GetValue(), bad.Unwrap()))
	}
	return seeHelp(cmd, fmt.Errorf("flag --%s: %q: want %s", bad.GetFlag().Name, bad.GetValue(), want))
}

func seeHelp(cmd *cobra.Command, err error) error {
	return Hint(err, "see %s --help", cmd.CommandPath())
}
