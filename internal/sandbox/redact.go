package sandbox

import (
	"slices"
	"strings"
)

// Redact puts "[redacted: AWS access key]" in the place of each secret that [HasSecret] knows and names their rules, each
// once, in the order met. Of a private key all lines go. A text without secrets comes back as it is, with no rules.
func Redact(text string) (clean string, rules []string) {
	for {
		r, start, end := nextSecret(text, 0)
		if r == nil {
			return text, rules
		}
		var b strings.Builder
		for from := 0; ; r, start, end = nextSecret(text, from) {
			if r == nil {
				b.WriteString(text[from:])
				break
			}
			if !slices.Contains(rules, r.name) {
				rules = append(rules, r.name)
			}
			b.WriteString(text[from:max(from, start)])
			b.WriteString("[redacted: " + r.name + "]")
			from = end
		}
		text = b.String() // once more: what stood glued to a secret may be one of its own now
	}
}

// minKeyTail is the number of base64 characters in a row that still count as a line of a key that has no last line.
const minKeyTail = 16

// keyEnd is where the private key whose first line holds the words that end at at is over: behind its last line, or, where
// there is none, behind its last line of base64.
func keyEnd(text string, at int) int {
	rest := text[at:]
	if i := strings.Index(rest, keyBegin); i >= 0 {
		rest = rest[:i]
	}
	if i := strings.Index(rest, keyFinish); i >= 0 {
		line := rest[i+len(keyFinish):]
		if j := strings.IndexAny(line, "-\n"); j >= 0 {
			line = line[j:]
		} else {
			line = ""
		}
		return at + len(rest) - len(strings.TrimLeft(line, "-"))
	}
	end := 0
	for i := 0; i < len(rest); {
		if i = len(rest) - len(skipGlue(rest[i:])); i == len(rest) {
			break
		}
		run := 0
		for i+run < len(rest) && base64Char(rest[i+run]) {
			run++
		}
		switch {
		case run >= minKeyTail:
			end = i + run
		case end > 0:
			return at + end
		}
		i += max(run, 1)
	}
	return at + end
}
