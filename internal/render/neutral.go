package render

import "github.com/contextd/contextd/internal/obs"

// Neutral makes text of many lines harmless to print: line ends and tabs stay, whatever else obs.Clean knows is shown
// as its escape, such as \x1b or \u202e. Text without any of these is returned as it is.
func Neutral(s string) string { return obs.Clean(s, true) }

// NeutralLine is Neutral for text that must stay on its line, such as a path: line ends and tabs are shown as escapes
// too.
func NeutralLine(s string) string { return obs.Clean(s, false) }
