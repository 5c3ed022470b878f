package githist

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/sandbox"
)

// ErrNone is returned where there is no history: no git on this machine, no repository, no commit.
var ErrNone = errors.New("no git history")

// maxOutput bounds what is read of git, in bytes; maxComplaint what is kept of its errors.
const (
	maxOutput    = 64 << 20
	maxComplaint = 1 << 10
)

// Options bound a reading of a repository.
type Options struct {
	Commits int              // at most; 0 means MaxNotes
	Timeout time.Duration    // of all that git does; 0 means 30 s
	Allowed *sandbox.Allowed // folders that a git directory must lie in where a file or a link names it; nil: anywhere
}

// WithDefaults fills what is zero.
func (o Options) WithDefaults() Options {
	o.Commits = cmp.Or(o.Commits, MaxNotes)
	o.Timeout = cmp.Or(o.Timeout, 30*time.Second)
	return o
}

// arguments begin each command. What a configuration could start is off, although there is none.
var arguments = []string{"--no-pager", "--no-optional-locks", "--no-replace-objects", "--literal-pathspecs", "-c", "core.fsmonitor=false",
	"-c", "core.hooksPath=" + os.DevNull, "-c", "log.showSignature=false", "-c", "diff.external=", "-c", "protocol.allow=never"}

// logging is the command that tells of commits.
var logging = []string{"log", "--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-color", "--no-notes", "--no-decorate", "--no-mailmap", "--encoding=UTF-8"}

// changes make git tell the changed files of a commit, and which of them were only renamed, without reading a file's content.
var changes = []string{"--no-merges", "-z", "--name-status", "-M100%", "--ignore-submodules=all"}

// environment is all that git gets of ours: no configuration, no way to fetch, no way to ask.
func environment(r *sandbox.Repository) []string {
	env := []string{"GIT_OBJECT_DIRECTORY=" + r.Objects, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_SYSTEM=" + os.DevNull, "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_ATTR_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_PAGER=cat", "LC_ALL=C"}
	for _, name := range []string{"PATH", "SystemRoot", "TMPDIR"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// stand makes an empty git directory to run in, of which nothing but the objects is the repository's: its configuration,
// attributes, references and hooks are never looked at.
func stand(r *sandbox.Repository) (dir string, err error) {
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

// git runs "git log" over a repository's commits and returns what it wrote, if need be without the end.
func git(ctx context.Context, r *sandbox.Repository, args ...string) ([]byte, error) {
	text, err := run(ctx, r, nil, slices.Concat(logging, args)...)
	var long *longError
	if errors.As(err, &long) { // what came is enough: the oldest commits are missing
		return text[:bytes.LastIndexByte(text, 0)+1], nil
	}
	return text, err
}

// longError is returned with the first maxOutput bytes of a longer output.
type longError struct{}

func (*longError) Error() string { return fmt.Sprintf("git: output of more than %d MB", maxOutput>>20) }

// run runs git over a repository's objects and returns what it wrote.
func run(ctx context.Context, r *sandbox.Repository, in io.Reader, args ...string) (text []byte, err error) {
	err = stream(ctx, r, in, func(out io.Reader) error {
		text, err = io.ReadAll(io.LimitReader(out, maxOutput+1))
		if len(text) > maxOutput {
			text, err = text[:maxOutput], &longError{}
		}
		return err
	}, args...)
	return text, err
}

// stream runs git over a repository's objects and has its output read. An error of read ends it.
func stream(ctx context.Context, r *sandbox.Repository, in io.Reader, read func(io.Reader) error, args ...string) error {
	name, err := exec.LookPath("git")
	if err != nil {
		return fmt.Errorf("%w: git is not installed", ErrNone)
	}
	dir, err := stand(r)
	if err != nil {
		return fmt.Errorf("run git: %w", err)
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, slices.Concat([]string{"--git-dir=" + dir}, arguments, args)...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, environment(r), time.Second
	complaint := &head{max: maxComplaint}
	cmd.Stderr, cmd.Stdin = complaint, in
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("run git: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("run git: %w", err)
	}
	readErr := read(out)
	ended := ctx.Err()
	if readErr != nil {
		cancel()
	}
	err = cmd.Wait()
	switch {
	case ended != nil:
		return fmt.Errorf("run git: %w", ended)
	case readErr != nil:
		return readErr
	case err != nil:
		return fmt.Errorf("%w: git: %w: %s", ErrNone, err, strings.TrimSpace(complaint.String()))
	}
	return nil
}

// head keeps the beginning of what is written to it.
type head struct {
	bytes.Buffer
	max int
}

func (h *head) Write(p []byte) (int, error) {
	h.Buffer.Write(p[:min(len(p), h.max-h.Len())])
	return len(p), nil
}

// Read returns the commits up to r.Head that changed something below r.Prefix, newest first, but for those up to since if that is not
// empty. Paths are relative to r.Prefix. since is a full hash.
func Read(ctx context.Context, r sandbox.Repository, since string, o Options) (*Log, error) {
	o = o.WithDefaults()
	if !isHash(r.Head) || since != "" && !isHash(since) {
		return nil, fmt.Errorf("read history to %.70q since %.70q: want full hashes", r.Head, since)
	}
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	args := append(slices.Clone(changes), "--max-count="+strconv.Itoa(o.Commits), "--format=tformat:"+format, r.Head)
	if since != "" {
		args = append(args, "^"+since)
	}
	if args = append(args, "--"); r.Prefix != "" {
		args = append(args, r.Prefix)
	}
	out, err := git(ctx, &r, args...)
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	return parse(out, r.Prefix), nil
}

// isAncestor reports whether the commit old is r.Head or lies before it.
func isAncestor(ctx context.Context, r *sandbox.Repository, old string) bool {
	out, err := git(ctx, r, "--max-count=1", "--format=%H", old, "^"+r.Head, "--")
	return err == nil && len(out) == 0
}

func isHash(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}
