package search

import (
	"crypto/sha256"

	"github.com/contextd/contextd/internal/code"
)

// Digest identifies what is indexed: the paths and hashes of the entries that are not left out, which come by path.
func Digest(entries []Entry) code.Hash {
	h := sha256.New()
	for i := range entries {
		if e := &entries[i]; e.Skip == "" {
			h.Write([]byte(e.Path))
			h.Write([]byte{0})
			h.Write(e.Hash[:])
		}
	}
	return code.Hash(h.Sum(nil))
}
