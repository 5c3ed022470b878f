package githist

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/syserr"
)

// ExportLimits bound what Export writes.
type ExportLimits struct {
	Files   int                     // number of files; 0 means 100,000
	Bytes   int64                   // of all files; 0 means 1 GB
	Largest func(p code.Path) int64 // size of the file at p, in bytes; nil: any
	Timeout time.Duration           // of all that git does; 0 means 5 minutes
}

func (l ExportLimits) withDefaults() ExportLimits {
	l.Files = cmp.Or(l.Files, 100_000)
	l.Bytes = cmp.Or(l.Bytes, 1_000_000_000)
	if l.Largest == nil {
		l.Largest = func(code.Path) int64 { return l.Bytes }
	}
	l.Timeout = cmp.Or(l.Timeout, 5*time.Minute)
	return l
}

// Blob is a file that was written, and the hash by which its tree names its content.
type Blob struct {
	Path code.Path
	Hash string
	size int64
}

// Exported is what Export wrote.
type Exported struct {
	Blobs   []Blob // in the order of the tree
	Bytes   int64
	LeftOut int // files that are over a limit, or whose path no folder can hold
}

// ErrDamaged is returned for content that is not what its hash names.
var ErrDamaged = errors.New("damaged git object")

// Export writes the files of a revision below root, an empty folder. Links and submodules are not written, nor what
// leads out of root or into a git directory. Each file's content is checked against the hash that its tree names.
func (v Revision) Export(ctx context.Context, root *os.Root, l ExportLimits) (Exported, error) {
	if !isHash(v.Commit) || !isHash(v.Tree) {
		return Exported{}, fmt.Errorf("write out %.70q: want full hashes", v.Tree)
	}
	l = l.withDefaults()
	ctx, cancel := context.WithTimeout(ctx, l.Timeout)
	defer cancel()
	var out Exported
	list, err := v.list(ctx, l, &out)
	if err == nil {
		list, err = v.measure(ctx, list, l, &out)
	}
	if err == nil && len(list) > 0 {
		var hashes bytes.Buffer
		for _, b := range list {
			hashes.WriteString(b.Hash + "\n")
		}
		err = stream(ctx, &v.repo, maxMemory, &hashes, func(in io.Reader) error {
			return writeAll(root, list, bufio.NewReaderSize(in, 1<<16), &out)
		}, "cat-file", "--batch")
	}
	if err != nil {
		return Exported{}, fmt.Errorf("write out commit %.12s: %w", v.Commit, err)
	}
	return out, nil
}

// list lists the files of the tree. What is not told within maxOutput does not count. "git ls-tree" tells as it reads:
// a tree that unfolds to any size takes no memory, as it would with "git diff-tree". So it does no harm that its limit
// is set after its start.
func (v Revision) list(ctx context.Context, l ExportLimits, out *Exported) (list []Blob, err error) {
	err = stream(ctx, &v.repo, maxMemory, nil, func(in io.Reader) (err error) {
		list, err = readTree(in, l, out)
		return err
	}, "ls-tree", "-r", "-z", "--full-tree", v.Tree)
	var long *longError
	if errors.As(err, &long) {
		out.LeftOut++
		err = nil
	}
	return list, err
}

// readTree reads what "git ls-tree -z" tells of the files of a tree; what comes beyond maxOutput is a longError.
func readTree(in io.Reader, l ExportLimits, out *Exported) (list []Blob, err error) {
	r := bufio.NewReader(io.LimitReader(in, maxOutput))
	for {
		entry, err := r.ReadString(0)
		if err != nil {
			if _, err = in.Read(make([]byte, 1)); err == nil { // it would tell more
				return list, &longError{}
			}
			return list, nil
		}
		meta, p, _ := strings.Cut(strings.TrimSuffix(entry, "\x00"), "\t")
		f := strings.Fields(meta) // mode, kind, hash
		switch {
		case len(f) != 3 || !isHash(f[2]) || !strings.HasPrefix(f[0], "100"):
		case len(list) == l.Files || !filepath.IsLocal(filepath.FromSlash(p)) || path.Clean(p) != p || hasGit(p):
			out.LeftOut++
		default:
			list = append(list, Blob{Path: p, Hash: f[2]})
		}
	}
}

// measure leaves those files out that are too large, or whose content is not here.
func (v Revision) measure(ctx context.Context, list []Blob, l ExportLimits, out *Exported) (kept []Blob, err error) {
	if len(list) == 0 {
		return nil, nil
	}
	var hashes bytes.Buffer
	for _, b := range list {
		hashes.WriteString(b.Hash + "\n")
	}
	err = stream(ctx, &v.repo, maxMemory, &hashes, func(in io.Reader) error {
		r := bufio.NewReader(in)
		for _, b := range list {
			line, err := r.ReadString('\n')
			if err != nil {
				return fmt.Errorf("size of %q: %w", b.Path, err)
			}
			kind, text, _ := strings.Cut(strings.TrimSpace(line), " ")
			size, err := strconv.ParseInt(text, 10, 64)
			if kind != "blob" || err != nil || size > l.Largest(b.Path) || size > l.Bytes-out.Bytes {
				out.LeftOut++
				continue
			}
			b.size = size
			out.Bytes += size
			kept = append(kept, b)
		}
		return nil
	}, "cat-file", "--batch-check=%(objecttype) %(objectsize)")
	return kept, err
}

// writeAll writes files with the contents that "git cat-file --batch" tells in the same order.
func writeAll(root *os.Root, list []Blob, in *bufio.Reader, out *Exported) error {
	for _, b := range list {
		line, err := in.ReadString('\n')
		if err != nil {
			return fmt.Errorf("write %q: %w", b.Path, err)
		}
		if line != fmt.Sprintf("%s blob %d\n", b.Hash, b.size) {
			return fmt.Errorf("write %q: git says %.80q", b.Path, line)
		}
		sum := blobHash(len(b.Hash), b.size)
		body := io.TeeReader(io.LimitReader(in, b.size), sum)
		f, err := create(root, b.Path)
		if f != nil {
			_, err = io.Copy(f, body)
			if cerr := f.Close(); err == nil {
				err = cerr
			}
		}
		if err == nil {
			_, err = io.Copy(io.Discard, body)
		}
		if err == nil {
			_, err = in.Discard(1)
		}
		if err == nil && hex.EncodeToString(sum.Sum(nil)) != b.Hash {
			err = ErrDamaged
		}
		if err != nil {
			return fmt.Errorf("write %q: %w", b.Path, err)
		}
		if f == nil {
			out.LeftOut++
			out.Bytes -= b.size
			continue
		}
		out.Blobs = append(out.Blobs, b)
	}
	return nil
}

// create makes a file; nil where no folder can hold one of its path here: the name is too long, is there in other
// letters, or is both a file and a folder. An error is of a disk without room.
func create(root *os.Root, p code.Path) (f *os.File, err error) {
	if dir := path.Dir(p); dir != "." {
		err = root.MkdirAll(filepath.FromSlash(dir), 0o700)
	}
	if err == nil {
		f, err = root.OpenFile(filepath.FromSlash(p), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	}
	if syserr.NoRoom(err) {
		return nil, err
	}
	if err != nil {
		return nil, nil
	}
	return f, nil
}

// blobHash is a hash as git names a file's content by it, of digits hexadecimal digits.
func blobHash(digits int, size int64) hash.Hash {
	h := sha256.New()
	if digits == 2*sha1.Size {
		h = sha1.New()
	}
	fmt.Fprintf(h, "blob %d\x00", size)
	return h
}

// Holds reports whether data is the content that the blob's hash names.
func (b Blob) Holds(data []byte) bool {
	h := blobHash(len(b.Hash), int64(len(data)))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil)) == b.Hash
}
