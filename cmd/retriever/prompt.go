package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/prompt"
	"github.com/contextd/contextd/internal/safetext"
)

// printPrompt writes a prompt that was compiled again for people: its messages, then what each part is.
func printPrompt(w io.Writer, p *prompt.Prompt) error {
	for _, m := range p.Messages {
		if _, err := fmt.Fprintf(w, "=== %s ===\n%s\n\n", safetext.Line(m.Role),
			strings.TrimRight(safetext.Text(m.Content), "\n")); err != nil {
			return err
		}
	}
	t := cli.NewTable([]string{"STATE", "SECTION", "SOURCE", "KIND", "GRADE", "AS", "TOKENS", "WHY"}, 6)
	for _, x := range p.Parts {
		t.Row(x.State, x.Section, x.Source, x.Kind, x.Grade, string(x.Decision), x.Tokens, x.Reason)
	}
	if _, err := t.WriteTo(w); err != nil {
		return err
	}
	line := "exactly as it was sent"
	if !p.Exact {
		line = "not exactly as it was sent: parts are not the same, or too little is known of it"
	}
	_, err := fmt.Fprintf(w, "%s (%d tokens)\n", line, p.Tokens)
	return err
}
