package hook

import (
	"errors"
	"path"
	"path/filepath"
	"strings"
)

// errNoProject tells of a session in a folder that is nobody's project.
var errNoProject = errors.New(
	"no project: the session runs in the home directory, at the top of the file system or in no folder at all")

// maxPath bounds a path of an agent, in bytes.
const maxPath = 4096

// projectDir is the folder whose project is meant: the one that the agent calls its project (Claude Code's
// CLAUDE_PROJECT_DIR), else the working directory. The repository around it is found later.
func projectDir(named, cwd, home string) (string, error) {
	for _, dir := range []string{named, cwd} {
		if !filepath.IsAbs(dir) || len(dir) > maxPath || strings.ContainsRune(dir, 0) {
			continue
		}
		if dir = filepath.Clean(dir); isTop(dir) || home != "" && dir == filepath.Clean(home) {
			return "", errNoProject
		}
		return dir, nil
	}
	return "", errNoProject
}

// isTop reports whether dir is "/" or the top of a drive.
func isTop(dir string) bool { return filepath.Dir(dir) == dir }

// relativeToRoot is a path of an agent relative to one of the names of a root, with slashes; false for what lies
// outside.
func relativeToRoot(file string, roots ...string) (string, bool) {
	file = path.Clean(filepath.ToSlash(file))
	for _, root := range roots {
		if root == "" {
			continue
		}
		if rel, ok := strings.CutPrefix(file, strings.TrimSuffix(filepath.ToSlash(root), "/")+"/"); ok {
			return rel, true
		}
	}
	return "", false
}

// absolute is a path as an agent gives it, made absolute by the folder in which the agent works; "" for none.
func absolute(file, dir string) string {
	switch {
	case file == "" || len(file) > maxPath || strings.ContainsRune(file, 0) || strings.HasPrefix(file, "~"):
		return ""
	case filepath.IsAbs(file):
		return filepath.Clean(file)
	case filepath.IsAbs(dir):
		return filepath.Join(dir, file)
	}
	return ""
}
