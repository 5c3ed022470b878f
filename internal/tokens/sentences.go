package tokens

import "strings"

func joinSentences(units []unit) string {
	var b strings.Builder
	gap := false
	for _, u := range units {
		if u.keep {
			b.WriteString(u.text)
		} else if !gap && strings.TrimSpace(u.text) != "" {
			b.WriteString("… ")
		}
		gap = !u.keep
	}
	return strings.TrimSpace(b.String())
}

// sentences cuts prose after full stops, question and exclamation marks, and line ends; the white space behind belongs
// to the sentence before it.
func sentences(text string) (units []unit) {
	start := 0
	for i := 0; i < len(text); {
		end := 0
		switch {
		case text[i] == '\n':
			end = i + 1
		case strings.IndexByte(".!?", text[i]) >= 0 && i+1 < len(text) && (text[i+1] == ' ' || text[i+1] == '\n'):
			end = i + 1
		case strings.HasPrefix(text[i:], "。"), strings.HasPrefix(text[i:], "！"), strings.HasPrefix(text[i:], "？"):
			end = i + len("。")
		default:
			i++
			continue
		}
		for end < len(text) && (text[end] == ' ' || text[end] == '\n' || text[end] == '\t' || text[end] == '\r') {
			end++
		}
		units = append(units, unit{text: text[start:end]})
		start, i = end, end
	}
	if start < len(text) {
		units = append(units, unit{text: text[start:]})
	}
	return units
}
