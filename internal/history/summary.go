package history

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of what is made, in characters.
const (
	maxIntent  = 120
	maxSummary = 400
)

// IntentOf is what a text asks for, in one line: the rules stand in the package comment.
func IntentOf(text string) string {
	for line := range strings.Lines(text) {
		line = strings.Join(strings.Fields(line), " ")
		line = strings.TrimLeft(line, "#>*-+• ")
		if strings.IndexFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) < 0 {
			continue
		}
		return cut(strings.TrimRight(firstSentence(line), ".:;, "), maxIntent)
	}
	return ""
}

// firstSentence ends where a sentence mark is followed by a space and what begins a sentence.
func firstSentence(line string) string {
	for i, r := range line {
		if r != '.' && r != '!' && r != '?' {
			continue
		}
		next := line[i+1:]
		if len(next) < 2 || next[0] != ' ' {
			continue
		}
		first, _ := utf8.DecodeRuneInString(next[1:])
		if unicode.IsUpper(first) || unicode.IsDigit(first) || !unicode.IsLower(first) && unicode.IsLetter(first) {
			return line[:i+1]
		}
	}
	return line
}

// cut shortens text to n characters at most, between words if it can.
func cut(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	runes := []rune(text)[:n-1]
	if i := lastSpace(runes); i > n/2 {
		runes = runes[:i]
	}
	return strings.TrimRight(string(runes), " ,;:") + "…"
}

func lastSpace(runes []rune) int {
	for i := len(runes) - 1; i >= 0; i-- {
		if runes[i] == ' ' {
			return i
		}
	}
	return -1
}

// SummaryOf says in one line what a task did: the rules stand in the package comment. intent is the task's, as IntentOf
// makes it.
func SummaryOf(intent string, t Task) string {
	if given := strings.Join(strings.Fields(t.Summary), " "); given != "" {
		return cut(given, maxSummary)
	}
	var parts []string
	if end := map[Outcome]string{Succeeded: "Succeeded", Failed: "Failed"}[t.Outcome()]; end != "" {
		parts = append(parts, end)
	}
	parts = append(parts, folders(t.ChangedFiles)...)
	if facts := reportFacts(t.ValidationReport); len(facts) > 0 {
		parts = append(parts, strings.Join(facts, ", "))
	}
	text := strings.Join(parts, "; ")
	if intent != "" && text != "" {
		text = intent + ". " + text
	} else if intent != "" {
		text = intent
	}
	return cut(text, maxSummary)
}

// folders tells how many files changed and where.
func folders(files []string) []string {
	if len(files) == 0 {
		return nil
	}
	count := map[string]int{}
	for _, f := range files {
		count[path.Dir(strings.ReplaceAll(f, `\`, "/"))]++
	}
	names := slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b))
	})
	more := len(names) - 3
	if more > 0 {
		names = names[:3]
	}
	for i, name := range names {
		if n := count[name]; n > 1 {
			names[i] = fmt.Sprintf("%s (%d)", name, n)
		}
	}
	text := fmt.Sprintf("%d files changed: ", len(files))
	if len(files) == 1 {
		text = "1 file changed: "
	}
	text += strings.Join(names, ", ")
	if more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return []string{text}
}

// reportFacts are the first fields of a report, by name, that say something in a word.
func reportFacts(report json.RawMessage) (facts []string) {
	var f map[string]any
	if json.Unmarshal(report, &f) != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(f)) {
		text := ""
		switch v := f[name].(type) {
		case float64:
			text = fmt.Sprint(v)
		case bool:
			text = map[bool]string{true: "ok", false: "failed"}[v]
		case []any:
			text = fmt.Sprint(len(v))
		}
		if text != "" && len(facts) < 4 {
			facts = append(facts, strings.Join(strings.Fields(cut(name, 40)), " ")+" "+text)
		}
	}
	return facts
}
