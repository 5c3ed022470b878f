package retrieve

import (
	"fmt"
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/safetext"
)

// Text is the usages for people and models: the definitions, then the files with their lines, each line as path:line:
// text. What stands in files is neutralised.
func (u *Usages) Text() string {
	var b strings.Builder
	name := safetext.Line(u.Name)
	switch {
	case u.None() && u.Generation == 0 && len(u.Reasons) > 0:
		b.WriteString("No answer: nothing could be searched.\n")
	case u.None():
		fmt.Fprintf(&b, "%q stands nowhere", name)
		if len(u.NearestNames) > 0 {
			b.WriteString("; nearest names: " + safetext.Line(strings.Join(u.NearestNames, ", ")))
		}
		b.WriteString(".\n")
	default:
		fmt.Fprintf(&b, "%s: %d definitions shown; it stands in %d lines of %d files\n", name, len(u.Definitions),
			u.FoundLines, u.FoundFiles)
	}
	if len(u.Reasons) > 0 && u.Status == Degraded {
		reasons := make([]string, len(u.Reasons))
		for i, r := range u.Reasons {
			reasons[i] = string(r)
		}
		fmt.Fprintf(&b, "\nDegraded: %s.\n", strings.Join(reasons, ", "))
	}
	if len(u.Definitions) > 0 {
		b.WriteString("\nDefined:\n")
	}
	for _, d := range u.Definitions {
		fmt.Fprintf(&b, "%s:%d: %s\n", safetext.Line(d.Path), d.Line, d.Text)
	}
	class := Class("")
	for _, f := range u.Files {
		if f.Class != class {
			class = f.Class
			fmt.Fprintf(&b, "\nNamed in %s:\n", map[Class]string{ClassCode: "code and documents", ClassTest: "tests",
				ClassGenerated: "generated files"}[class])
		} else {
			b.WriteString("\n")
		}
		for _, l := range f.Lines {
			fmt.Fprintf(&b, "%s:%d: %s\n", safetext.Line(f.Path), l.Line, l.Text)
		}
	}
	for _, c := range []struct{ bound, says string }{{"lines", "more lines were found than are shown"},
		{"files", "more files hold the name than were read"},
		{"deadline", "the time was over before all files were read"}} {
		if slices.Contains(u.Cut, c.bound) {
			b.WriteString("\nCut: " + c.says + ".\n")
		}
	}
	return b.String()
}
