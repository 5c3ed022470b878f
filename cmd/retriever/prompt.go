package main

import (
	"fmt"
	"io"

	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/prompt"
)

// printPrompt writes a prompt that was compiled again for people: its messages, then what each part is.
func printPrompt(w io.Writer, p *prompt.Prompt) {
	printMessages(w, p.Messages)
	t := cli.NewTable([]string{"STATE", "SECTION", "SOURCE", "KIND", "GRADE", "AS", "TOKENS", "WHY"}, 6)
	for _, x := range p.Parts {
		t.Row(x.State, x.Section, x.Source, x.Kind, x.Grade, string(x.Decision), x.Tokens, x.Reason)
	}
	t.Print(w)
	line := "exactly as it was sent"
	if !p.Exact {
		line = "not exactly as it was sent: parts are not the same, or too little is known of it"
	}
	fmt.Fprintf(w, "%s (%d tokens)\n", line, p.Tokens)
}
