package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/contextd/contextd/internal/gitfile"
)

// repo is a git working tree: what of its git directories bears on ignoring.
type repo struct {
	top               string   // absolute: the top of the working tree
	gitDir, commonDir string   // absolute; they differ in a linked worktree
	outer             *repo    // the one that the working tree lies in; nil at the top
	allowed           *Allowed // folders that the git directories must lie in; nil: anywhere
	strip             int      // bytes of a full path before a path of this repository
	bare, fold        bool
	hashLen           int
	stores            []string // of a confined repository the real paths of its objects' folder and of those that it borrows from

	once  sync.Once
	index *gitfile.Index
	err   error // of reading the index
}

// openRepo is the repository whose working tree has its top at the folder top; nil where there is none, or where its
// git directory is not one of the allowed: see repo.confine.
func openRepo(top string, allowed *Allowed) *repo {
	gitDir := filepath.Join(top, ".git")
	info, err := os.Stat(gitDir)
	if err != nil {
		return nil
	}
	r := &repo{top: top, allowed: allowed, hashLen: 20}
	if !info.IsDir() {
		data, err := r.read(gitDir, maxSideFile)
		to, ok := strings.CutPrefix(string(data), "gitdir:")
		if err != nil || !ok {
			return nil
		}
		if gitDir, ok = joinAbs(top, strings.TrimSpace(to)); !ok {
			return nil
		}
	}
	r.gitDir, r.commonDir = gitDir, gitDir
	if data, err := r.read(filepath.Join(gitDir, "commondir"), maxSideFile); err == nil {
		var ok bool
		if r.commonDir, ok = joinAbs(gitDir, strings.TrimSpace(string(data))); !ok {
			return nil
		}
	}
	if allowed != nil && !r.confine() {
		return nil
	}
	gitDir = r.gitDir
	if !exists(filepath.Join(gitDir, "HEAD")) || !isDir(filepath.Join(r.commonDir, "objects")) || !isDir(filepath.Join(r.commonDir, "refs")) {
		return nil
	}
	if data, err := r.read(filepath.Join(r.commonDir, "config"), maxSideFile); err == nil {
		config := gitfile.Config(data)
		r.bare, r.fold = gitfile.Bool(config["core.bare"]), gitfile.Bool(config["core.ignorecase"])
		if strings.EqualFold(config["extensions.objectformat"], "sha256") {
			r.hashLen = 32
		}
	}
	return r
}

// linked reports whether the working tree is a linked one: its git directory is a part of another.
func (r *repo) linked() bool { return r.gitDir != r.commonDir }

// sameStore reports whether both are working trees of one repository.
func sameStore(a, b *repo) bool {
	if a.commonDir == b.commonDir {
		return true
	}
	ai, aerr := os.Stat(a.commonDir)
	bi, berr := os.Stat(b.commonDir)
	return aerr == nil && berr == nil && os.SameFile(ai, bi)
}

// findRepo is the repository that the folder real lies in, and its top; nil without one.
func findRepo(real string, allowed *Allowed) (r *repo, top string) {
	for dir := real; ; {
		if r := openRepo(dir, allowed); r != nil {
			return r, dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return nil, ""
		}
		dir = up
	}
}
