package githist

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/contextd/contextd/internal/safetext"
	"github.com/contextd/contextd/internal/sandbox"
)

// Revision is a commit that a name means, and the tree of its files.
type Revision struct {
	Commit  string // full hash
	Tree    string // full hash of the folder that was asked about, which may lie below the top of the repository
	Objects string // folder of the repository's objects: all its working trees share it
	repo    sandbox.Repository
}

// RevisionError is returned for a name that means no commit.
type RevisionError struct{ Name, Cause string }

func (e *RevisionError) Error() string { return fmt.Sprintf("revision %q: %s", e.Name, e.Cause) }

// Hint tells what to do about it.
func (e *RevisionError) Hint() string {
	return "name a branch, a tag or a commit of the repository, such as main, v1.2, 3f2a91c or HEAD~3"
}

// maxName is the length of the longest name of a revision, in bytes.
const maxName = 1024

var (
	steps       = regexp.MustCompile(`^(?:[~^][0-9]{0,6}|\^\{(?:commit|tag)?\})*$`)
	abbreviated = regexp.MustCompile(`^[0-9a-fA-F]{4,64}$`)
	described   = regexp.MustCompile(`-g([0-9a-f]{4,64})$`) // as "git describe" writes it
)

// split takes a name apart: what git looks up, and the steps from there.
func split(name string) (base, walk string, ok bool) {
	base = name
	if i := strings.IndexAny(name, "~^"); i >= 0 {
		base, walk = name[:i], name[i:]
	}
	if base == "@" {
		base = "HEAD"
	}
	odd := base == "" || len(name) > maxName || strings.Contains(name, "..") || strings.Contains(name, "@{") ||
		strings.Contains(base, ":") || strings.IndexFunc(name, safetext.Hidden) >= 0
	return base, walk, !odd && steps.MatchString(walk)
}

// FindRevision finds the commit that a name means in the repository of the real path dir: a branch, a tag, a hash or
// the beginning of one, each with steps such as "~3" behind it. References are read here; git gets hashes alone. An
// error is a *RevisionError where the name is at fault.
func FindRevision(ctx context.Context, dir, name string, o Options) (Revision, error) {
	o = o.WithDefaults()
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	base, walk, ok := split(name)
	if !ok {
		return Revision{}, &RevisionError{name, "not the name of one commit"}
	}
	for try := 1; ; try++ {
		if v, err := findRevision(ctx, dir, name, base, walk, o); try == maxTries || !errors.Is(err, ErrChanged) {
			return v, err
		}
	}
}

func findRevision(ctx context.Context, dir, name, base, walk string, o Options) (Revision, error) {
	r, err := sandbox.FindRepositoryAt(dir, o.Allowed, base)
	if err != nil {
		return Revision{}, &RevisionError{name, fmt.Sprintf("%q lies in no git repository", dir)}
	}
	from := r.Head
	switch m := described.FindStringSubmatch(base); {
	case isHash(base):
		from = base
	case from != "":
	case abbreviated.MatchString(base):
		from = strings.ToLower(base)
	case m != nil:
		from = m[1]
	default:
		return Revision{}, &RevisionError{name, "no such branch, tag or commit"}
	}
	commit := from + walk + "^{commit}"
	tree := commit + "^{tree}"
	if r.Prefix != "" {
		tree = commit + ":" + r.Prefix
	}
	if strings.Contains(r.Prefix, "\n") {
		return Revision{}, &RevisionError{name, fmt.Sprintf("the folder %q cannot be asked for", r.Prefix)}
	}
	out, err := run(ctx, &r, strings.NewReader(commit+"\n"+tree+"\n"), "cat-file",
		"--batch-check=%(objectname) %(objecttype)")
	if err != nil {
		return Revision{}, fmt.Errorf("revision %q: %w", name, err)
	}
	lines := strings.SplitN(string(out), "\n", 2)
	hash, isCommit := strings.CutSuffix(lines[0], " commit")
	switch {
	case strings.HasSuffix(lines[0], " ambiguous"):
		return Revision{}, &RevisionError{name, "several objects begin with this; give more digits"}
	case !isCommit || !isHash(hash) || len(lines) < 2:
		return Revision{}, &RevisionError{name, "no such branch, tag or commit"}
	}
	below, isTree := strings.CutSuffix(strings.TrimSpace(lines[1]), " tree")
	if !isTree || !isHash(below) {
		return Revision{}, &RevisionError{name, fmt.Sprintf("it has no folder %q", r.Prefix)}
	}
	return Revision{Commit: hash, Tree: below, Objects: r.Objects, repo: r}, nil
}
