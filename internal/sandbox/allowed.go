package sandbox

import (
	"fmt"
	"path/filepath"
	"slices"
)

// Allowed are the folders that may be read, as their paths led when Allow was called. A link that is put in the place
// of such a folder later does not move it: the path that was found then has to be reached without a link. Safe for
// concurrent use.
type Allowed struct {
	tops []string // real paths; of a folder that does not exist yet the end as it was given
}

// Allow pins folders, given by absolute paths. Others are dropped. With none, nothing may be read.
func Allow(dirs []string) *Allowed {
	a := &Allowed{}
	for _, dir := range dirs {
		if !filepath.IsAbs(dir) {
			continue
		}
		if real, _, err := resolve(filepath.Clean(dir)); err == nil && !slices.Contains(a.tops, real) {
			a.tops = append(a.tops, real)
		}
	}
	return a
}

// Tops are the real paths of the folders.
func (a *Allowed) Tops() []string { return slices.Clone(a.tops) }

// holds reports whether the real path real is one of the folders or lies in one, judged by its text alone.
func (a *Allowed) holds(real string) bool {
	return slices.ContainsFunc(a.tops, func(top string) bool { return Within(top, real) })
}

// Within reports whether path is dir or lies below it, judged by the text alone.
func Within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// Confine is the real path of the folder dir, links resolved, if it is one of the allowed folders or lies in one of
// them. dir must be absolute. The error wraps ErrNotAllowed where it leads elsewhere, else ErrMissing or
// ErrNotDirectory: a folder that does not exist is judged by the part of its path that does. What is read later is
// checked again as it is opened, see Open.
func (a *Allowed) Confine(dir string) (string, error) {
	if !filepath.IsAbs(dir) {
		return "", fmt.Errorf("root %q: %w: want an absolute path", dir, ErrNotAllowed)
	}
	real, found, err := resolve(filepath.Clean(dir))
	switch {
	case err != nil, !a.holds(real): // one answer: it does not tell what is there
		return "", fmt.Errorf("root %q: %w", dir, ErrNotAllowed)
	case !found:
		return "", fmt.Errorf("root %q: %w", dir, ErrMissing)
	}
	f, err := openReal(real)
	if err != nil {
		return "", fmt.Errorf("root %q: %w", dir, openCause(err))
	}
	return real, f.Close()
}

// Confine is Confine of folders that are pinned now.
func Confine(dir string, allowed []string) (string, error) { return Allow(allowed).Confine(dir) }
