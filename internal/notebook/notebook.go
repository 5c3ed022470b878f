// Package notebook reads Jupyter notebooks: JSON files of cells, each code or text, with their outputs.
//
// A notebook is shown as a script of its cells that has the same lines as the file, so that a line of the one is the
// line of the other: where the file holds a line of a cell, the script has that line decoded, text as a comment; where
// a cell begins stands a mark; all other lines, outputs among them, are blank.
//
//	# %% notebook python
//	# %% cell 1 [markdown]
//	# Orders of a day
//	# %% cell 2 [code]
//	def load(day):
//
// Everything here is pure, and takes time and memory in proportion to the file.
package notebook

import (
	"fmt"
	"strings"
)

// Ext is the extension of notebooks.
const Ext = ".ipynb"

const (
	title = "%% notebook " // then the language, on the first line
	mark  = "%% cell "     // then the number of the cell and its kind

	// Fold stands for a line end within a line of the file: a cell that the file holds as one string.
	Fold = "↵"
)

// Script is the script of a notebook of nbformat 3 or 4. ok is false for what is none.
func Script(text string) (script string, ok bool) {
	r := newReader(text)
	if !r.read() {
		return "", false
	}
	language, comment := cellLanguage(r.language, r.kernel)
	var b strings.Builder
	b.Grow(len(text) / 2)
	at, begun := 0, false // the line that is written, and whether it has something
	put := func(line int, before, s string) {
		for ; at < line; at++ { // cells and their pieces are in the order of lines
			b.WriteByte('\n')
			begun = false
		}
		if begun {
			b.WriteString(Fold)
		}
		b.WriteString(before)
		b.WriteString(s)
		begun = true
	}
	put(0, comment, " "+title+language)
	for i := range r.cells {
		c := &r.cells[i]
		kind, before := "code", ""
		if c.kind != "code" {
			kind, before = "markdown", comment+" "
		}
		put(c.line, comment, fmt.Sprintf(" %s%d [%s]", mark, i+1, kind))
		for _, p := range c.pieces {
			put(p.line, before, p.text)
		}
	}
	for range strings.Count(text, "\n") - at {
		b.WriteByte('\n')
	}
	return b.String(), true
}

// Language is the language that the first line of a script names, "" if it is no script.
func Language(script string) string {
	first, _, _ := strings.Cut(script, "\n")
	_, rest, found := strings.Cut(first, " "+title)
	if !found || len(first) > len(rest)+len(title)+4 {
		return ""
	}
	if end := strings.IndexFunc(rest, func(r rune) bool { return r < 'a' || r > 'z' }); end >= 0 {
		rest = rest[:end]
	}
	return rest
}

// CellMark is the number of the cell that begins on a line of a script, and whether it is code.
func CellMark(line string) (number int, code, ok bool) {
	comment, rest, found := strings.Cut(line, " "+mark)
	if !found || len(comment) > 2 {
		return 0, false, false
	}
	for len(rest) > 0 && rest[0] >= '0' && rest[0] <= '9' && number < 1<<24 {
		number, rest = 10*number+int(rest[0]-'0'), rest[1:]
	}
	return number, strings.HasPrefix(rest, " [code]"), strings.HasPrefix(rest, " [")
}

// cellLanguage is the language of the cells as package code names it, and how its comments begin.
func cellLanguage(language, name string) (lang, comment string) {
	lang = strings.ToLower(language)
	if lang == "" {
		lang = strings.ToLower(name)
	}
	lang = strings.TrimLeft(lang, ".")
	for prefix, known := range map[string]string{"python": "python", "ipython": "python", "c++": "cpp", "cpp": "cpp",
		"xcpp": "cpp", "c#": "csharp", "csharp": "csharp",
		"net-csharp": "csharp", "f#": "fsharp", "fsharp": "fsharp", "net-fsharp": "fsharp", "javascript": "javascript",
		"typescript": "typescript", "deno": "typescript",
		"scala": "scala", "spylon": "scala", "julia": "julia", "kotlin": "kotlin", "rust": "rust", "ruby": "ruby",
		"bash": "bash", "sql": "sql", "haskell": "haskell",
		"groovy": "groovy", "powershell": "powershell", "elixir": "elixir", "perl": "perl", "swift": "swift",
		"gonb": "go", "gophernotes": "go"} {
		if strings.HasPrefix(lang, prefix) {
			lang = known
			break
		}
	}
	switch lang {
	case "r", "ir":
		return "r", "#"
	case "python", "julia", "bash", "ruby", "perl", "elixir", "powershell":
		return lang, "#"
	case "sql", "haskell", "lua":
		return lang, "--"
	case "cpp", "c", "csharp", "fsharp", "javascript", "typescript", "scala", "kotlin", "rust", "groovy", "swift",
		"go", "java":
		return lang, "//"
	}
	return "python", "#" // what nearly all are
}
