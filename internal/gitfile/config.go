package gitfile

import "strings"

// Bounds of what is read of a git configuration.
const (
	maxConfigName = 256     // bytes of a section's or a key's name; a longer one is none that is asked for
	maxConfigText = 4 << 10 // bytes of a subsection or a value that are kept: those read here are paths and words
)

// Setting is one line of a git configuration. Section and key are in lower case.
type Setting struct{ Section, Sub, Key, Value string }

// wantedSettings are the settings that decide which files count. Nothing else of a configuration is kept.
var wantedSettings = map[string]bool{"core.bare": true, "core.ignorecase": true, "core.excludesfile": true,
	"extensions.objectformat": true}

// Config reads a git configuration file: those of wantedSettings that it holds, each to its last value. Includes are
// not followed: EachSetting shows them.
func Config(data []byte) map[string]string {
	values := map[string]string{}
	EachSetting(data, func(x Setting) {
		if name := x.Section + "." + x.Key; x.Sub == "" && wantedSettings[name] {
			values[name] = x.Value
		}
	})
	return values
}

// EachSetting calls visit with the settings of a git configuration file in their order. A key without "=" has the value
// "true". Settings with a name or a value too long to be one that is asked for are left out. Time and memory are linear
// in data.
func EachSetting(data []byte, visit func(Setting)) {
	var at Setting
	known := false // the section has a name that may matter
	text := strings.ReplaceAll(strings.TrimPrefix(string(data), "\ufeff"), "\r\n", "\n")
	for {
		text = strings.TrimLeft(text, " \t\n")
		if text == "" {
			return
		}
		switch text[0] {
		case '#', ';':
			_, text, _ = strings.Cut(text, "\n")
			continue
		case '[':
			head, rest, ok := configHead(text[1:])
			if !ok {
				return
			}
			at, text = Setting{}, rest
			at.Section, at.Sub, known = sectionName(head)
			continue
		}
		end := strings.IndexAny(text, "=\n#;")
		if end < 0 {
			end = len(text)
		}
		name := strings.TrimSpace(text[:end])
		text = text[end:]
		value := "true"
		if strings.HasPrefix(text, "=") {
			value, text = configValue(text[1:])
		}
		if known && len(name) <= maxConfigName && len(value) <= maxConfigText {
			at.Key, at.Value = strings.ToLower(name), strings.Clone(value)
			visit(at)
		}
	}
}

// configHead cuts a section's head at the bracket that closes it; one inside of quotes does not.
func configHead(text string) (head, rest string, ok bool) {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n':
			return "", "", false
		case c == '"':
			quoted = !quoted
		case c == '\\' && quoted:
			i++
		case c == ']' && !quoted:
			return text[:i], text[i+1:], true
		}
	}
	return "", "", false
}

// sectionName reads what stands between the brackets: a name and perhaps a quoted subsection. ok is false for one too
// long.
func sectionName(head string) (name, sub string, ok bool) {
	name, sub, _ = strings.Cut(head, `"`)
	name = strings.TrimSpace(name)
	if len(name) > maxConfigName || len(sub) > maxConfigText {
		return "", "", false
	}
	var b strings.Builder
	for i := 0; i < len(sub) && sub[i] != '"'; i++ {
		if sub[i] == '\\' && i+1 < len(sub) {
			i++
		}
		b.WriteByte(sub[i])
	}
	return strings.ToLower(name), b.String(), true
}

// configValue reads the value at the start of text, up to the end of its line.
func configValue(text string) (value, rest string) {
	text = strings.TrimLeft(text, " \t")
	var b strings.Builder
	kept, quoted := 0, false // bytes of b that are no white space at the end
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\n', !quoted && (c == '#' || c == ';'):
			_, rest, _ = strings.Cut(text[i:], "\n")
			return b.String()[:kept], rest
		case c == '"':
			quoted = !quoted
		case c == '\\' && i+1 < len(text):
			i++
			switch text[i] {
			case '\n': // the line goes on
				continue
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			default:
				b.WriteByte(text[i])
			}
			kept = b.Len()
		default:
			b.WriteByte(c)
			if quoted || c != ' ' && c != '\t' {
				kept = b.Len()
			}
		}
	}
	return b.String()[:kept], ""
}

// Bool is git's reading of a boolean.
func Bool(value string) bool {
	switch strings.ToLower(value) {
	case "true", "yes", "on", "1":
		return true
	}
	return false
}
