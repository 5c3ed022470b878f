package textfile

import (
	"fmt"

	"github.com/contextd/contextd/internal/code"
)

// MachineWritten is the reason by which the text of the file at name was not written by hand, code.Generated or
// code.Minified, with the rule for people; "" where none of the signs holds.
func MachineWritten(name code.Path, text string) (reason code.Reason, detail string) {
	if rule, line := generated(text); rule != "" {
		return code.Generated, fmt.Sprintf("%q on line %d", rule, line)
	}
	if rule := bundled(name, text); rule != "" {
		return code.Generated, "bundle: " + rule
	}
	if rule := minified(name, text); rule != "" {
		return code.Minified, rule
	}
	return "", ""
}

// extensions makes a look-up table of extensions of files.
func extensions(list ...string) map[string]bool {
	m := make(map[string]bool, len(list))
	for _, x := range list {
		m[x] = true
	}
	return m
}
