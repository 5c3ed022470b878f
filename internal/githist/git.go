package githist

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/sandbox"
)

// ErrLimit is returned where git needs more memory for a repository than it may have: what it told until then is kept.
var ErrLimit = errors.New("git history cut off")

// ErrNone is returned where there is no history: no git on this machine, no repository, no commit.
var ErrNone = errors.New("no git history")

// ErrChanged is returned where a repository's objects changed while git read them.
var ErrChanged = errors.New("run git: the repository changed meanwhile")

// maxOutput bounds what is read of git, in bytes; maxComplaint what is kept of its errors; maxMemory what it may take
// itself.
const (
	maxOutput    = 64 << 20
	maxComplaint = 1 << 10
	maxMemory    = 1 << 30
)

// Options bound a reading of a repository.
type Options struct {
	Commits int              // at most; 0 means MaxNotes
	Timeout time.Duration    // of all that git does; 0 means 30 s
	Allowed *sandbox.Allowed // folders that a git directory must lie in where a file or a link names it; nil: anywhere
	// of git, in bytes; 0 means 1 GB. Only Linux enforces it; elsewhere git's own settings hold most of it
	Memory int64
}

// WithDefaults fills what is zero.
func (o Options) WithDefaults() Options {
	o.Commits = cmp.Or(o.Commits, MaxNotes)
	o.Timeout = cmp.Or(o.Timeout, 30*time.Second)
	o.Memory = cmp.Or(o.Memory, maxMemory)
	return o
}

// Read returns the commits up to r.Head that changed something below r.Prefix, newest first, but for those up to since
// if that is not empty. Paths are relative to r.Prefix. since is a full hash. With ErrLimit come the commits that git
// told of before.
func Read(ctx context.Context, r sandbox.Repository, since string, o Options) (*Log, error) {
	o = o.WithDefaults()
	if !isHash(r.Head) || since != "" && !isHash(since) {
		return nil, fmt.Errorf("read history to %.70q since %.70q: want full hashes", r.Head, since)
	}
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	args := append(slices.Clone(changeArgs), "--max-count="+strconv.Itoa(o.Commits), "--format=tformat:"+format)
	revs := []string{r.Head}
	if since != "" {
		revs = append(revs, "^"+since)
	}
	if args = append(args, "--"); r.Prefix != "" {
		args = append(args, r.Prefix)
	}
	out, err := git(ctx, &r, o.Memory, revs, args...)
	switch {
	case errors.Is(err, ErrLimit):
		return parse(out, r.Prefix), fmt.Errorf("read history: %w", err)
	case err != nil:
		return nil, fmt.Errorf("read history: %w", err)
	}
	return parse(out, r.Prefix), nil
}

// isAncestor reports whether the commit old is r.Head or lies before it.
func isAncestor(ctx context.Context, r *sandbox.Repository, old string, memory int64) (bool, error) {
	out, err := git(ctx, r, memory, []string{old, "^" + r.Head}, "--max-count=1", "--format=%H", "--")
	return err == nil && len(out) == 0, err
}

func isHash(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// gitArgs are the first arguments of each git command. They disable whatever a configuration could start, although none
// is read.
var gitArgs = []string{"--no-pager", "--no-optional-locks", "--no-replace-objects", "--literal-pathspecs", "-c",
	"core.fsmonitor=false",
	"-c", "core.hooksPath=" + os.DevNull, "-c", "log.showSignature=false", "-c", "diff.external=", "-c",
	"protocol.allow=never",
	"-c", "core.packedGitWindowSize=16m", "-c", "core.packedGitLimit=128m", "-c", "core.deltaBaseCacheLimit=32m", "-c",
	"core.bigFileThreshold=8m",
	"-c", "pack.windowMemory=32m", "-c", "pack.threads=1", "-c", "diff.renameLimit=1000"}

// logArgs are the arguments of the command that lists commits.
var logArgs = []string{"log", "--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-color", "--no-notes",
	"--no-decorate", "--no-mailmap", "--encoding=UTF-8"}

// changeArgs make git list the changed files of each commit, and which of them were only renamed, without reading file
// contents.
var changeArgs = []string{"--no-merges", "-z", "--name-status", "-M100%", "--ignore-submodules=all"}

// environment is all that git gets of ours: no configuration, no way to fetch, no way to ask.
func environment(r *sandbox.Repository) []string {
	env := []string{"GIT_OBJECT_DIRECTORY=" + r.Objects, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_SYSTEM=" + os.DevNull,
		"GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_ATTR_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none",
		"GIT_PAGER=cat", "LC_ALL=C"}
	for _, name := range []string{"PATH", "SystemRoot", "TMPDIR"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// makeGitDir creates an empty git directory to run in. Only its objects are the repository's: the repository's
// configuration, attributes, references and hooks are never looked at.
func makeGitDir(r *sandbox.Repository) (dir string, err error) {
	if dir, err = os.MkdirTemp("", "contextd-history-"); err != nil {
		return "", err
	}
	config := "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
	if r.SHA256 {
		config = "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n"
	}
	files := map[string]string{"HEAD": "ref: refs/heads/none\n", "config": config}
	if r.Shallow != nil {
		files["shallow"] = string(r.Shallow)
	}
	err = os.Mkdir(filepath.Join(dir, "refs"), 0o700)
	for name, text := range files {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)
		}
	}
	if err != nil {
		_ = os.RemoveAll(dir)
	}
	return dir, err
}
