package sandbox

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/contextd/contextd/internal/code"
)

// maxSymbolic is how many references may lead one to another.
const maxSymbolic = 5

// headRefs are the references outside of refs/ that a name may mean.
var headRefs = []string{"HEAD", "ORIG_HEAD", "FETCH_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD"}

// FindRepositoryAt is FindRepositoryIn with Head the hash that a reference has: a branch, a tag, a branch of a remote,
// HEAD, in the order in which git tries them. It may be that of a tag. Head is "" where no reference has this name.
func FindRepositoryAt(dir string, allowed *Allowed, name string) (Repository, error) {
	return findRepository(dir, allowed, func(r *repo) string { return (&refs{repo: r}).named(name) })
}

// refs reads the references of a repository.
type refs struct {
	*repo
	packed []byte
	loaded bool // packed was read
}

// named is the hash of what a name means; "" for nothing.
func (r *refs) named(name string) string {
	if strings.HasPrefix(name, "refs/") || slices.Contains(headRefs, name) {
		if hash := r.reference(name, maxSymbolic); hash != "" {
			return hash
		}
	}
	for _, full := range []string{"refs/" + name, "refs/tags/" + name, "refs/heads/" + name, "refs/remotes/" + name, "refs/remotes/" + name + "/HEAD"} {
		if hash := r.reference(full, maxSymbolic); hash != "" {
			return hash
		}
	}
	return ""
}

// reference is the hash of a reference by its full name. One that leads to others is followed up to depth of them.
func (r *refs) reference(name string, depth int) string {
	if !isRefName(name) || depth == 0 {
		return ""
	}
	for _, dir := range []string{r.gitDir, r.commonDir} {
		data, err := r.read(filepath.Join(dir, filepath.FromSlash(name)), maxSideFile)
		if err != nil {
			continue
		}
		text := strings.TrimSpace(string(data))
		if to, symbolic := strings.CutPrefix(text, "ref:"); symbolic {
			if to = strings.TrimSpace(to); !strings.HasPrefix(to, "refs/") {
				return ""
			}
			return r.reference(to, depth-1)
		}
		if name == "FETCH_HEAD" {
			text, _, _ = strings.Cut(text, "\t") // it says more
		}
		return r.hash(text)
	}
	if !r.loaded {
		r.packed, _ = r.read(filepath.Join(r.commonDir, "packed-refs"), maxPackedRefs) // without it none is packed
		r.loaded = true
	}
	for line := range bytes.Lines(r.packed) {
		if hash, ref, ok := bytes.Cut(bytes.TrimRight(line, "\r\n"), []byte{' '}); ok && string(ref) == name {
			return r.hash(string(hash))
		}
	}
	return ""
}

// isRefName reports whether a reference may have a name. No such name leads out of the folder of references.
func isRefName(name string) bool {
	odd := func(r rune) bool {
		return r == unicode.ReplacementChar || r < ' ' || strings.ContainsRune(" ~^:?*[\\\x7f", r)
	}
	return len(name) <= maxPathText && filepath.IsLocal(filepath.FromSlash(name)) && !strings.Contains(name, "..") && strings.IndexFunc(name, odd) < 0
}

// Largest is the size up to which the file at p is read, in bytes.
func (o Options) Largest(p code.Path) int64 {
	if o = o.WithDefaults(); isNotebook(p) {
		return withOutputs * o.MaxFileBytes
	}
	return o.MaxFileBytes
}
