package githist

import (
	"compress/zlib"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/contextd/contextd/internal/sandbox"
)

// spaces reads as white space without an end.
type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// hugeCommit adds a commit with a message of n bytes on top of parent, which takes little room on disk, and checks it
// out.
func (r *repo) hugeCommit(parent string, n int64) string {
	r.t.Helper()
	head := fmt.Sprintf("tree %s\nparent %s\nauthor a <a@example.org> 1700000000 +0000\ncommitter a <a@example.org> 1700000000 +0000\n\nhuge",
		r.git("rev-parse", parent+"^{tree}"), parent)
	object := func() io.Reader {
		return io.MultiReader(strings.NewReader(fmt.Sprintf("commit %d\x00%s", int64(len(head))+n, head)),
			io.LimitReader(spaces{}, n))
	}
	sum := sha1.New()
	_, _ = io.Copy(sum, object())
	hash := hex.EncodeToString(sum.Sum(nil))
	name := filepath.Join(r.dir, ".git", "objects", hash[:2], hash[2:])
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		r.t.Fatal(err)
	}
	f, err := os.Create(name)
	if err != nil {
		r.t.Fatal(err)
	}
	w, _ := zlib.NewWriterLevel(f, zlib.BestSpeed)
	_, err = io.Copy(w, object())
	if err = errors.Join(err, w.Close(), f.Close()); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.dir, ".git", "refs", "heads", "main"), []byte(hash+"\n"),
		0o600); err != nil {
		r.t.Fatal(err)
	}
	return hash
}

// TestGitTakesNoMoreMemoryThanItMay: a commit that unpacks to hundreds of megabytes ends git within its limit; the
// reason is said, what was known stays, and the same commit is not tried again. Not parallel: it reads the greatest
// memory of all children.
func TestGitTakesNoMoreMemoryThanItMay(t *testing.T) {
	const limit = 120 << 20
	r := newRepo(t)
	r.commit("add the ledger", "ledger.go")
	old := r.update("", nil)
	head := r.hugeCommit(r.git("rev-parse", "HEAD"), 256<<20)
	blob, err := Update(t.Context(), r.dir, old, Options{Memory: limit})
	if !errors.Is(err, ErrLimit) || errors.Is(err, ErrNone) || !strings.Contains(err.Error(), "120 MB") {
		t.Errorf("error = %v", err)
	}
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &usage); err != nil || usage.Maxrss<<10 > limit {
		t.Errorf("git took %d MB of %d (%v)", usage.Maxrss>>10, limit>>20, err)
	}
	part, err := Open(blob)
	if err != nil || part.Head != head || part.Notes() != 1 {
		t.Errorf("kept: %+v, %v", part, err)
	}
	if again, err := Update(t.Context(), r.dir, blob, Options{Memory: limit}); err != nil ||
		string(again) != string(blob) {
		t.Errorf("it is tried again: %v", err)
	}
	shelf := shelf{}
	if err := Keep(t.Context(), shelf, "p", r.dir, Options{Memory: limit}); !errors.Is(err, ErrLimit) ||
		shelf[Kind] == nil {
		t.Errorf("Keep = %v", err)
	}
}

// TestOrdinaryHistoryFitsTheMemoryThatGitMayTake: the default limit leaves room for what people have.
func TestOrdinaryHistoryFitsTheMemoryThatGitMayTake(t *testing.T) {
	t.Parallel()
	real, err := sandbox.FindRepository(mustAbs(t, filepath.Join("..", "..")))
	if err != nil {
		t.Skip("not in a repository")
	}
	if log, err := Read(t.Context(), real, "", Options{}); err != nil || len(log.Commits) == 0 {
		t.Errorf("%v", err)
	}
}

func mustAbs(t *testing.T, dir string) string {
	t.Helper()
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		t.Fatal(err)
	}
	return abs
}

// shelf is a BlobStore in memory.
type shelf map[string][]byte

func (s shelf) Attach(_ context.Context, _, kind string, blob []byte) error {
	s[kind] = blob
	return nil
}

func (s shelf) Attached(_ context.Context, _, kind string) ([]byte, error) { return s[kind], nil }
