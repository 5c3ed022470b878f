package render

import "strings"

// Fence puts text between two lines of backticks, more of them than the text has in a row anywhere and at least three,
// so that no line of it can end the block, in Markdown or to a reader. language is named behind the first if it is made
// of letters, digits and "+#.-_" alone. The result ends with a line end.
func Fence(text, language string) string {
	longest, run := 2, 0
	for i := range len(text) {
		if text[i] == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	fence := strings.Repeat("`", longest+1)
	if strings.ContainsFunc(language, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' ||
			strings.ContainsRune("+#.-_", r))
	}) {
		language = ""
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return fence + language + "\n" + text + fence + "\n"
}
