package sandbox

import (
	"os"
	"path/filepath"
	"strings"
)

// gitConfig reads a git configuration file: "section.key", lower case without a subsection, to its last value. Includes
// are not followed. A key without "=" has the value "true".
func gitConfig(data []byte) map[string]string {
	values := map[string]string{}
	section := ""
	text := strings.ReplaceAll(strings.TrimPrefix(string(data), "\ufeff"), "\r\n", "\n")
	for text != "" {
		text = strings.TrimLeft(text, " \t\n")
		if text == "" {
			break
		}
		switch text[0] {
		case '#', ';':
			_, text, _ = strings.Cut(text, "\n")
			continue
		case '[':
			head, rest, ok := strings.Cut(text[1:], "]")
			if !ok {
				return values
			}
			section, text = strings.ToLower(strings.TrimSpace(head)), rest
			continue
		}
		end := strings.IndexAny(text, "=\n#;")
		if end < 0 {
			end = len(text)
		}
		key := section + "." + strings.ToLower(strings.TrimSpace(text[:end]))
		text = text[end:]
		if !strings.HasPrefix(text, "=") {
			values[key] = "true"
			continue
		}
		values[key], text = configValue(text[1:])
	}
	return values
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

// configBool is git's reading of a boolean.
func configBool(value string) bool {
	switch strings.ToLower(value) {
	case "true", "yes", "on", "1":
		return true
	}
	return false
}

// userExcludes is the path of the user's own excludes file, "" where there is none.
func userExcludes() string {
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	xdg := os.Getenv("XDG_CONFIG_HOME")
	if xdg == "" && home != "" {
		xdg = filepath.Join(home, ".config")
	}
	var configs []string
	if global, ok := os.LookupEnv("GIT_CONFIG_GLOBAL"); ok {
		configs = []string{global}
	} else {
		if xdg != "" {
			configs = append(configs, filepath.Join(xdg, "git", "config"))
		}
		if home != "" {
			configs = append(configs, filepath.Join(home, ".gitconfig"))
		}
	}
	file, found := "", false
	for _, name := range configs {
		if data, err := readCapped(name, maxSideFile); err == nil {
			if v, ok := gitConfig(data)["core.excludesfile"]; ok {
				file, found = v, true
			}
		}
	}
	if !found && xdg != "" {
		return filepath.Join(xdg, "git", "ignore")
	}
	if rest, ok := strings.CutPrefix(file, "~/"); ok {
		file = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(file) {
		return ""
	}
	return file
}
