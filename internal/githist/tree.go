package githist

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/sandbox"
)

// emptyTrees are the hashes of a tree without files, by the length of a hash.
var emptyTrees = map[int]string{40: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
	64: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"}

// maxBlob is the size of the largest file that Checkout writes, in bytes.
const maxBlob = 1 << 20

// Checkout changes the files below root from those of the commit from, "" for none, to those of the commit to, below
// r.Prefix, and returns the paths that changed. Links, submodules and files over maxBlob are left out. What a tree
// names cannot lead out of root.
func Checkout(ctx context.Context, r sandbox.Repository, root *os.Root, from, to string) ([]code.Path, error) {
	if from == "" {
		from = emptyTrees[len(to)]
	}
	if !isHash(from) || !isHash(to) {
		return nil, fmt.Errorf("check out %.70q: want full hashes", to)
	}
	args := []string{"diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--no-ext-diff", "--no-textconv",
		"--ignore-submodules=all", "--stdin", "--"}
	if r.Prefix != "" {
		args = append(args, r.Prefix)
	}
	trees, err := treesOf(ctx, &r, from, to)
	if err != nil {
		return nil, fmt.Errorf("check out %s: %w", to, err)
	}
	diff, err := run(ctx, &r, strings.NewReader(trees+"\n"), args...)
	if err != nil {
		return nil, fmt.Errorf("check out %s: %w", to, err)
	}
	diff = bytes.TrimLeft(bytes.TrimPrefix(diff, []byte(trees)), "\n\x00") // git repeats what it was asked
	var changed, write []code.Path
	var blobs bytes.Buffer
	fields := bytes.Split(diff, []byte{0})
	for i := 0; i+1 < len(fields); i += 2 {
		// ":old mode, new mode, old hash, new hash, status"
		f := strings.Fields(strings.TrimPrefix(string(fields[i]), ":"))
		p := below(string(fields[i+1]), r.Prefix)
		if len(f) != 5 || p == "" || !filepath.IsLocal(filepath.FromSlash(p)) || hasGit(p) {
			continue
		}
		changed = append(changed, p)
		if f[1] != "100644" && f[1] != "100755" {
			if err := root.Remove(filepath.FromSlash(p)); err != nil && !errors.Is(err, os.ErrNotExist) {
				return nil, fmt.Errorf("check out %s: %w", to, err)
			}
			continue
		}
		write = append(write, p)
		blobs.WriteString(f[3] + "\n")
	}
	if len(write) == 0 {
		return changed, nil
	}
	err = stream(ctx, &r, maxMemory, &blobs, func(out io.Reader) error {
		return unpack(root, write, bufio.NewReaderSize(out, 1<<16))
	}, "cat-file", "--batch")
	if err != nil {
		return nil, fmt.Errorf("check out %s: %w", to, err)
	}
	return changed, nil
}

// unpack writes the files of paths with the contents that "git cat-file --batch" tells in the same order.
func unpack(root *os.Root, paths []code.Path, in *bufio.Reader) error {
	for _, p := range paths {
		line, err := in.ReadString('\n')
		if err != nil {
			return fmt.Errorf("write %q: %w", p, err)
		}
		f := strings.Fields(line)
		if len(f) != 3 { // "hash missing": a part of the repository is not here
			continue
		}
		size, err := strconv.ParseInt(f[2], 10, 64)
		if err != nil || size < 0 {
			return fmt.Errorf("write %q: git says %.80q", p, line)
		}
		body := io.LimitReader(in, size)
		if size <= maxBlob {
			if err := put(root, p, body); err != nil {
				return err
			}
		}
		if _, err := io.Copy(io.Discard, body); err != nil {
			return fmt.Errorf("write %q: %w", p, err)
		}
		if _, err := in.Discard(1); err != nil {
			return fmt.Errorf("write %q: %w", p, err)
		}
	}
	return nil
}

func put(root *os.Root, p code.Path, body io.Reader) error {
	name := filepath.FromSlash(p)
	if dir := path.Dir(p); dir != "." {
		if err := root.MkdirAll(filepath.FromSlash(dir), 0o700); err != nil {
			return fmt.Errorf("write %q: %w", p, err)
		}
	}
	_ = root.RemoveAll(name) // a folder may have become a file
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write %q: %w", p, err)
	}
	_, err = io.Copy(f, body)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("write %q: %w", p, err)
	}
	return nil
}

// hasGit reports whether a path leads into a git directory, which no tree may hold.
func hasGit(p code.Path) bool {
	for part := range strings.SplitSeq(p, "/") {
		if strings.EqualFold(part, ".git") {
			return true
		}
	}
	return false
}

// treesOf is the hashes of the trees of two commits, with a space between. All that git reads is told it over its
// input, since its memory is limited before that (see stream).
func treesOf(ctx context.Context, r *sandbox.Repository, from, to string) (string, error) {
	out, err := run(ctx, r, strings.NewReader(from+"^{tree}\n"+to+"^{tree}\n"), "cat-file",
		"--batch-check=%(objectname)")
	if err != nil {
		return "", err
	}
	hashes := strings.Fields(string(out))
	if len(hashes) != 2 || !isHash(hashes[0]) || !isHash(hashes[1]) {
		return "", fmt.Errorf("%w: no commits of these names", ErrNone)
	}
	return hashes[0] + " " + hashes[1], nil
}
