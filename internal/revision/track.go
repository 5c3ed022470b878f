package revision

import (
	"cmp"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/contextd/contextd/internal/githist"
)

// track makes root a repository without a commit whose index holds each file: what walks it meets the same rules as in
// a working tree, where no .gitignore leaves out what is tracked. No git is ever run in it.
func track(root *os.Root, blobs []githist.Blob) error {
	for _, dir := range []string{".git", ".git/objects", ".git/refs"} {
		if err := root.Mkdir(filepath.FromSlash(dir), 0o700); err != nil {
			return fmt.Errorf("track files: %w", err)
		}
	}
	for name, data := range map[string][]byte{
		"HEAD":   []byte("ref: refs/heads/none\n"),
		"config": []byte("[core]\n\trepositoryformatversion = 0\n"),
		"index":  gitIndex(blobs),
	} {
		if err := root.WriteFile(filepath.Join(".git", name), data, 0o600); err != nil {
			return fmt.Errorf("track files: %w", err)
		}
	}
	return nil
}

// gitIndex is the file "index" of a repository that tracks blobs, in version 2.
func gitIndex(blobs []githist.Blob) []byte {
	blobs = slices.SortedFunc(slices.Values(blobs), func(a, b githist.Blob) int { return cmp.Compare(a.Path, b.Path) })
	out := append([]byte("DIRC"), 0, 0, 0, 2)
	out = binary.BigEndian.AppendUint32(out, uint32(len(blobs)))
	for _, b := range blobs {
		const fixed, mode, sum, flags = 62, 24, 40, 60 // length and offsets; the file's times, owner and size stay zero
		var head [fixed]byte
		binary.BigEndian.PutUint32(head[mode:], 0o100644)
		if h, err := hex.DecodeString(b.Hash); err == nil && len(h) == sha1.Size {
			// longer ones have no room; nobody looks
			copy(head[sum:], h)
		}
		binary.BigEndian.PutUint16(head[flags:], uint16(min(len(b.Path), 0xfff)))
		out = append(append(out, head[:]...), b.Path...)
		out = append(out, make([]byte, 8-(fixed+len(b.Path))%8)...)
	}
	check := sha1.Sum(out)
	return append(out, check[:]...)
}
