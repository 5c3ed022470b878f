package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
)

// Confine is the real path of the folder dir, links resolved, if it is one of the allowed folders or lies in one of them.
// dir must be absolute. The error wraps ErrNotAllowed where it leads elsewhere, else ErrMissing or ErrNotDirectory: a folder that
// does not exist is judged by the part of its path that does.
func Confine(dir string, allowed []string) (string, error) {
	if !filepath.IsAbs(dir) {
		return "", fmt.Errorf("root %q: %w: want an absolute path", dir, ErrNotAllowed)
	}
	real, found, err := resolve(filepath.Clean(dir))
	if err != nil {
		return "", fmt.Errorf("root %q: %w", dir, err)
	}
	inside := false
	for _, root := range allowed {
		if !filepath.IsAbs(root) {
			continue
		}
		top, _, err := resolve(filepath.Clean(root))
		if err != nil {
			continue
		}
		if rel, err := filepath.Rel(top, real); err == nil && filepath.IsLocal(rel) {
			inside = true
			break
		}
	}
	switch {
	case !inside:
		return "", fmt.Errorf("root %q: %w", dir, ErrNotAllowed)
	case !found:
		return "", fmt.Errorf("root %q: %w", dir, ErrMissing)
	}
	if info, err := os.Stat(real); err != nil {
		return "", fmt.Errorf("root %q: %w", dir, bare(err))
	} else if !info.IsDir() {
		return "", fmt.Errorf("root %q: %w", dir, ErrNotDirectory)
	}
	return real, nil
}

// resolve resolves the links of a path of which the end may not exist; found says whether all of it does.
func resolve(path string) (real string, found bool, err error) {
	for at, tail := path, ""; ; {
		real, err := filepath.EvalSymlinks(at)
		if err == nil {
			return filepath.Join(real, tail), tail == "", nil
		}
		// A link to nothing leads somewhere else tomorrow: it is not judged by its name.
		if up := filepath.Dir(at); isMissing(err) && up != at && !isLink(at) {
			tail, at = filepath.Join(filepath.Base(at), tail), up
			continue
		}
		return "", false, bare(err)
	}
}
