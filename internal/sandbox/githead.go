package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/contextd/contextd/internal/code"
)

// maxPackedRefs is the size of the largest file of packed references that is read, in bytes.
const maxPackedRefs = 64 << 20

// ErrNoRepository is returned for a folder that lies in no repository, or in one without a commit.
var ErrNoRepository = errors.New("no git repository with a commit")

// Repository is what a reader of a repository's history must know. It names no configuration: nothing of that is read.
type Repository struct {
	Objects string    // its objects' folder
	Head    string    // the commit that is checked out, lower-case hexadecimal
	Prefix  code.Path // the folder below its top; "" for the top
	Shallow []byte    // content of its file "shallow"; nil for a whole history
	SHA256  bool      // its hashes are of 32 bytes
	stores  []string  // see repo.stores; nil: all is read by path
}

// FindRepository finds the repository that the real path dir lies in.
func FindRepository(dir string) (Repository, error) { return FindRepositoryIn(dir, nil) }

// FindRepositoryIn is FindRepository where a git directory that a file or a link names must lie in an allowed folder;
// nil: anywhere.
func FindRepositoryIn(dir string, allowed *Allowed) (Repository, error) {
	out, err := findRepository(dir, allowed, (*repo).head)
	if err == nil && out.Head == "" {
		return Repository{}, ErrNoRepository
	}
	return out, err
}

// findRepository is the repository that dir lies in, with the Head that a function tells.
func findRepository(dir string, allowed *Allowed, head func(*repo) string) (Repository, error) {
	r, top := findRepo(dir, allowed)
	if r == nil {
		return Repository{}, ErrNoRepository
	}
	out := Repository{Objects: filepath.Join(r.commonDir, "objects"), Head: head(r), SHA256: r.hashLen == 32, stores: r.stores}
	if runtime.GOOS == "windows" && exists(filepath.Join(out.Objects, "info", "alternates")) { // they may name a share of another machine
		return Repository{}, ErrNoRepository
	}
	if rel, err := filepath.Rel(top, dir); err != nil {
		return Repository{}, ErrNoRepository
	} else if rel != "." {
		out.Prefix = filepath.ToSlash(rel)
	}
	shallow, err := r.read(filepath.Join(r.commonDir, "shallow"), maxSideFile)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return Repository{}, ErrNoRepository
	}
	out.Shallow = shallow
	return out, nil
}

// head is the hash of the commit that is checked out; "" where there is none, or it cannot be told.
func (r *repo) head() string {
	data, err := r.read(filepath.Join(r.gitDir, "HEAD"), maxSideFile)
	if err != nil {
		return ""
	}
	text := strings.TrimSpace(string(data))
	name, symbolic := strings.CutPrefix(text, "ref:")
	if !symbolic {
		return r.hash(text)
	}
	if name = strings.TrimSpace(name); !strings.HasPrefix(name, "refs/") {
		return ""
	}
	return (&refs{repo: r}).reference(name, 1)
}

// hash is text if it is one of this repository, else "".
func (r *repo) hash(text string) string {
	if len(text) != 2*r.hashLen || strings.Trim(text, "0123456789abcdef") != "" {
		return ""
	}
	return text
}
