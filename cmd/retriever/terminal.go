package main

import (
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/rank"
	"github.com/contextd/contextd/internal/render"
	"github.com/contextd/contextd/internal/retrieve"
)

// Limits at a terminal, where a person reads: whoever pipes an answer has given them.
const (
	terminalChars = 1200
	terminalLines = 12
	terminalBytes = 6 << 10
)

// terminalLimits are the limits at a terminal where the flags name none.
func terminalLimits(flags *pflag.FlagSet, o gates.Options) gates.Options {
	if !flags.Changed("max-chars") {
		o.MaxChars, o.MaxLines = terminalChars, terminalLines
	}
	if !flags.Changed("max-bytes") {
		o.MaxBytes = terminalBytes
	}
	return o
}

// styles are what a terminal adds to an answer.
func styles(r *retrieve.Reply) *render.Terminal {
	return &render.Terminal{Root: filepath.ToSlash(r.Root), Marks: rank.Parse(r.Query).Marks}
}
