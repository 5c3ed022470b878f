package compile

import (
	"strings"

	"github.com/contextd/contextd/internal/render"
	"github.com/contextd/contextd/internal/safetext"
)

// quote makes a text that was handed in harmless: one line of plain words stands as it is; what has several lines, or
// could be read as the heading or the fence of something, is fenced.
func quote(text, language string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	if !strings.ContainsAny(text, "\n\r") && !mayBeMarkdown(text) {
		return safetext.Line(text)
	}
	return fence(text, language)
}

// mayBeMarkdown reports whether a line begins with what may be a mark of Markdown.
func mayBeMarkdown(line string) bool {
	return line != "" && strings.ContainsRune("#`~>|-*+=<", rune(line[0]))
}

// label is a name or a path at the start of a line, of which it can be nothing else.
func label(name string) string {
	name = strings.TrimSpace(safetext.Line(name))
	if mayBeMarkdown(name) {
		return "\\" + name
	}
	return name
}

// fence puts a text into a fence that it cannot close, without a final line end.
func fence(text, language string) string {
	return strings.TrimSuffix(render.Fence(safetext.Text(text), language), "\n")
}

// joinNonEmpty joins what is not empty.
func joinNonEmpty(parts ...string) string {
	var kept []string
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, "\n")
}
