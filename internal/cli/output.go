package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/safetext"
)

// PrintJSON writes v as the one document of --json. HTML characters stay as they are; what a terminal would obey, or
// what turns or hides text, is written as an escape, which means the same.
func PrintJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	if err == nil {
		_, err = w.Write(escapeJSON(b.Bytes()))
	}
	if err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return nil
}

// Answer prints v as JSON, where that is wanted, or what text prints for people. Where nothing was found the command
// exits with [ErrNothing]. What cannot be written to the output of a command is told when it ends.
func Answer(cmd *cobra.Command, asJSON bool, v any, found bool, text func(w io.Writer)) error {
	if !asJSON {
		text(cmd.OutOrStdout())
	} else if err := PrintJSON(cmd.OutOrStdout(), v); err != nil {
		return err
	}
	if !found {
		return ErrNothing
	}
	return nil
}

// AnswerCount prints to how many of those wanted something was done, under its name: fewer are not found.
func AnswerCount(cmd *cobra.Command, asJSON bool, done string, n, wanted int) error {
	unknown := ""
	if n < wanted {
		unknown = fmt.Sprintf(", %d unknown", wanted-n)
	}
	return Answer(cmd, asJSON, map[string]int{done: n}, n >= wanted, Line("%s %d%s", done, n, unknown))
}

// Line prints one line, for [Answer]: what a terminal would obey is cleaned away.
func Line(format string, args ...any) func(w io.Writer) {
	return func(w io.Writer) { fmt.Fprintln(w, safetext.Line(fmt.Sprintf(format, args...))) }
}

// escapeJSON writes the characters of a JSON document that are not seen, which can stand only in its strings, as
// \uXXXX.
func escapeJSON(doc []byte) []byte {
	odd := func(r rune) bool { return r >= 0x7f && safetext.Hidden(r) }
	if bytes.IndexFunc(doc, odd) < 0 {
		return doc
	}
	out := make([]byte, 0, len(doc)+64)
	for _, r := range string(doc) { // the encoder wrote valid UTF-8
		switch {
		case !odd(r):
			out = utf8.AppendRune(out, r)
		case r > 0xffff:
			hi, lo := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}

// Table is text in aligned columns. Cells are made safe for a terminal.
type Table struct {
	rows  [][]string
	right map[int]bool
}

// NewTable makes a table with a head; columns named in right are aligned there.
func NewTable(head []string, right ...int) *Table {
	t := &Table{right: map[int]bool{}}
	for _, c := range right {
		t.right[c] = true
	}
	if head != nil {
		t.rows = append(t.rows, head)
	}
	return t
}

// Row adds a row.
func (t *Table) Row(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = safetext.Line(fmt.Sprint(c))
	}
	t.rows = append(t.rows, row)
}

// Print writes the table to the output of a command.
func (t *Table) Print(w io.Writer) {
	var width []int
	for _, row := range t.rows {
		for i, c := range row {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], utf8.RuneCountInString(c))
		}
	}
	var b strings.Builder
	for _, row := range t.rows {
		var line strings.Builder
		for i, c := range row {
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(c))
			if i > 0 {
				line.WriteString("  ")
			}
			if t.right[i] {
				line.WriteString(pad + c)
			} else {
				line.WriteString(c + pad)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	_, _ = io.WriteString(w, b.String()) // told at the end
}

// Age is a duration for people: 340ms, 12s, 5m, 3h, 2d.
func Age(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%dms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours())/24)
}
