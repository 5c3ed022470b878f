package deploy

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// image is what a stage of a Dockerfile says of the image that it makes.
type image struct {
	entrypoint, cmd []string
	env             map[string]string
	files           map[string]string // path in the image → source, of another stage
}

// stages reads a Dockerfile in the form that ours has: one word a value, lists in brackets.
func stages(t *testing.T, text string) map[string]image {
	t.Helper()
	all := map[string]image{}
	name := ""
	var now image
	list := func(text string) (words []string) {
		if err := json.Unmarshal([]byte(text), &words); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		return words
	}
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch words := strings.Fields(rest); word {
		case "FROM":
			words = slices.DeleteFunc(words, func(w string) bool { return strings.HasPrefix(w, "--") })
			from := all[words[0]]
			name = words[2]
			now = image{from.entrypoint, from.cmd, maps.Clone(from.env), maps.Clone(from.files)}
			if now.env == nil {
				now.env, now.files = map[string]string{}, map[string]string{}
			}
		case "ENV":
			for _, w := range words {
				k, v, _ := strings.Cut(w, "=")
				now.env[k] = v
			}
		case "COPY":
			words = slices.DeleteFunc(words, func(w string) bool { return strings.HasPrefix(w, "--") })
			now.files[words[len(words)-1]] = strings.Join(words[:len(words)-1], " ")
		case "ENTRYPOINT":
			now.entrypoint = list(rest)
		case "CMD":
			now.cmd = list(rest)
		}
		if name != "" {
			all[name] = now
		}
	}
	return all
}
