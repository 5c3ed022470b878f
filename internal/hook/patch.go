package hook

import "strings"

// patchStart opens a patch as Codex writes it.
const patchStart = "*** Begin Patch"

// patchActs are the files that a patch changes and makes, each with its lines.
func patchActs(patch, dir string) (acts []Act) {
	_, patch, ok := strings.Cut(patch, patchStart)
	if !ok {
		return nil
	}
	var lines strings.Builder
	open := false // the lines are those of the last of acts
	flush := func() {
		if open {
			acts[len(acts)-1].Text = lines.String()
		}
		lines.Reset()
		open = false
	}
	for line := range strings.Lines(patch) {
		line = strings.TrimRight(line, "\r\n")
		kind, name := "", ""
		for mark, k := range map[string]string{
			"*** Update File: ": editFile,
			"*** Delete File: ": editFile,
			"*** Add File: ":    addFile,
		} {
			if rest, ok := strings.CutPrefix(line, mark); ok {
				kind, name = k, rest
			}
		}
		switch {
		case kind != "":
			flush()
			if len(acts) == maxActs {
				return acts
			}
			if file := absolute(strings.TrimSpace(name), dir); file != "" {
				acts, open = append(acts, Act{Kind: kind, File: file}), true
			}
		case strings.HasPrefix(line, "*** End Patch"):
			flush()
			return acts
		case len(line) > 0 && strings.ContainsRune("+- ", rune(line[0])):
			lines.WriteString(line[1:] + "\n")
		}
	}
	flush()
	return acts
}
