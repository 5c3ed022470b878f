package sandbox

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/gitfile"
	"github.com/contextd/contextd/internal/ignore"
	"github.com/contextd/contextd/internal/secret"
)

// Bounds of the files that a git configuration includes: git's own depth, and as many as a person keeps.
const (
	maxIncludeDepth = 10
	maxIncludes     = 32
)

// excludesSetting finds the excludes file that git uses in one repository: the last core.excludesFile of the user's and
// the repository's configuration and of the files that these include, else the default one.
type excludesSetting struct {
	repo     *repo // nil outside of any
	home     string
	found    bool
	file     string // the value as written; "" for none
	foreign  bool   // the repository's own configuration names it, not the user
	includes int
	refused  string // a file that the repository's configuration names and that lies outside of the allowed places
}

// find is the path of the excludes file in force in x.repo; "" where there is none. foreign: the repository names it.
// refused is a path that the repository names and that is not read.
func (x *excludesSetting) find() (file string, foreign bool, refused string) {
	x.home, _ = os.UserHomeDir()
	xdg := os.Getenv("XDG_CONFIG_HOME")
	if xdg == "" && x.home != "" {
		xdg = filepath.Join(x.home, ".config")
	}
	if global, ok := os.LookupEnv("GIT_CONFIG_GLOBAL"); ok {
		x.read(global, false, 0)
	} else {
		if xdg != "" {
			x.read(filepath.Join(xdg, "git", "config"), false, 0)
		}
		if x.home != "" {
			x.read(filepath.Join(x.home, ".gitconfig"), false, 0)
		}
	}
	if r := x.repo; r != nil {
		x.read(filepath.Join(r.commonDir, "config"), true, 0)
	}
	if !x.found && xdg != "" {
		return filepath.Join(xdg, "git", "ignore"), false, x.refused
	}
	if file = x.path(x.file, x.top()); file != "" && x.foreign {
		if _, ok := x.allowed(file); !ok {
			return "", true, file
		}
	}
	return file, x.foreign, x.refused
}

// top is the folder that a relative core.excludesFile starts from, "" outside of a repository.
func (x *excludesSetting) top() string {
	if x.repo == nil {
		return ""
	}
	return x.repo.top
}

// read takes the settings of one configuration file and of those that it includes, at the place where it includes them.
func (x *excludesSetting) read(name string, foreign bool, depth int) {
	read := x.reader(foreign)
	if foreign && depth == 0 {
		read = x.repo.readStart
	}
	data, err := read(name, maxSideFile, false)
	if err != nil || len(data) > maxSideFile {
		return
	}
	gitfile.EachSetting(data, func(s gitfile.Setting) {
		switch {
		case s.Section == "core" && s.Sub == "" && s.Key == "excludesfile":
			x.file, x.found, x.foreign = s.Value, true, foreign
		case s.Key == "path" && (s.Section == "include" && s.Sub == "" || s.Section == "includeif" && x.holds(s.Sub, name)):
			x.include(x.path(s.Value, filepath.Dir(name)), foreign, depth+1)
		}
	})
}

func (x *excludesSetting) include(name string, foreign bool, depth int) {
	if x.includes++; name == "" || depth > maxIncludeDepth || x.includes > maxIncludes {
		return
	}
	if foreign {
		if _, ok := x.allowed(name); !ok {
			x.refused = name
			return
		}
	}
	x.read(name, foreign, depth)
}

// reader reads a file that the user's configuration names, or where it is foreign a repository's: of these the real
// path that is allowed is opened without following a link.
func (x *excludesSetting) reader(foreign bool) reader {
	if !foreign {
		return readStart
	}
	return func(name string, limit int64, long bool) ([]byte, error) {
		real, ok := x.allowed(name)
		if !ok || real == "" {
			return nil, fs.ErrNotExist
		}
		return readReal(real, limit, long)
	}
}

// path is the absolute path that a setting means, relative to dir; "" where it means none.
func (x *excludesSetting) path(value, dir string) string {
	if rest, ok := strings.CutPrefix(value, "~/"); ok {
		if x.home == "" {
			return ""
		}
		value = filepath.Join(x.home, filepath.FromSlash(rest))
	}
	if value == "" || dir == "" && !filepath.IsAbs(value) {
		return ""
	}
	abs, ok := joinAbs(dir, value)
	if !ok {
		return ""
	}
	return abs
}

// holds reports whether the condition of an includeIf in the file name holds. Only conditions on the git directory are
// known.
func (x *excludesSetting) holds(condition, name string) bool {
	pattern, fold := strings.CutPrefix(condition, "gitdir/i:")
	if !fold {
		var ok bool
		if pattern, ok = strings.CutPrefix(condition, "gitdir:"); !ok {
			return false
		}
	}
	if x.repo == nil {
		return false
	}
	slashed := filepath.ToSlash
	if rest, ok := strings.CutPrefix(pattern, "~/"); ok {
		pattern = slashed(x.home) + "/" + rest
	} else if rest, ok := strings.CutPrefix(pattern, "./"); ok {
		pattern = slashed(filepath.Dir(name)) + "/" + rest
	} else if !filepath.IsAbs(filepath.FromSlash(pattern)) {
		pattern = "**/" + pattern
	}
	if strings.HasSuffix(pattern, "/") {
		pattern += "**"
	}
	dirs := []string{x.repo.gitDir}
	if real, err := filepath.EvalSymlinks(x.repo.gitDir); err == nil {
		dirs = append(dirs, real)
	}
	return slices.ContainsFunc(dirs, func(dir string) bool {
		return ignore.Match(pattern, slashed(dir), true, fold)
	})
}

// allowed is the real path of a file that a repository's own configuration may name: one in the repository, or one of
// the user's. Any other, such as a file of the system, could be guessed at by which names its lines match. real is ""
// where there is no file.
func (x *excludesSetting) allowed(name string) (real string, ok bool) {
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return "", isMissing(err)
	}
	for _, dir := range []string{x.repo.top, x.repo.gitDir, x.repo.commonDir, x.home} {
		if dir == "" || dir == filepath.Dir(dir) { // a home folder at the very top allows nothing
			continue
		}
		if x.repo.allowed == nil || dir == x.home { // a confined repository's are real paths already, where a link may lie by now
			dir = realOr(dir)
		}
		if rel, err := filepath.Rel(dir, real); err == nil && filepath.IsLocal(rel) {
			return real, !secretPath(filepath.ToSlash(rel))
		}
	}
	return "", false
}

// realOr is dir with its links resolved, or dir where that fails.
func realOr(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}

// refusedExcludes is the warning about a file that a repository's configuration names and that is not read.
func refusedExcludes(name string) string {
	return fmt.Sprintf("the repository's git configuration names %q, which lies neither in the repository nor in the home folder: not read", name)
}

// secretPath reports whether the names in path alone say that the file holds a secret, or are one.
func secretPath(path string) bool {
	if _, found := secret.Find(path); found {
		return true
	}
	for dir, rest, more := strings.Cut(path, "/"); ; dir, rest, more = strings.Cut(rest, "/") {
		name := lowerName(dir)
		if !more {
			return secretName(name) != ""
		}
		if isSecretDir[name] {
			return true
		}
	}
}
