package gitfile

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func FuzzIndex(f *testing.F) {
	root := f.TempDir()
	for _, name := range []string{"a.go", "b.go", "c.go"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte("x\n"), 0o644); err != nil {
			f.Fatal(err)
		}
	}
	runGit(f, root, "init", "-q")
	runGit(f, root, "add", "-A")
	for _, version := range []string{"2", "4"} {
		runGit(f, root, "update-index", "--index-version", version)
		data, err := os.ReadFile(filepath.Join(root, ".git/index"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, hashLen := range []int{20, 32} {
			names, link, err := ParseIndex(data, hashLen)
			if err != nil && (names != nil || link != nil) || len(names) > len(data) {
				t.Errorf("%d entries of %d bytes, %v", len(names), len(data), err)
			}
			if total := len(strings.Join(names, "")); total > max(maxExpansion*len(data), 1<<20) {
				t.Errorf("%d bytes of paths from %d bytes", total, len(data))
			}
			for _, name := range names {
				if strings.IndexByte(name, 0) >= 0 {
					t.Errorf("path %q", name)
				}
			}
			if len(link) > hashLen {
				data = link[hashLen:]
			}
			if bits, err := ewah(data, 1000); err == nil && len(bits) != 1000 {
				t.Errorf("%d bits", len(bits))
			}
		}
	})
}

// TestIndexThatUnfoldsIsRefused: a version 4 index in which each entry repeats a long path is damage, not terabytes.
func TestIndexThatUnfoldsIsRefused(t *testing.T) {
	t.Parallel()
	const count = 20_000
	data := []byte("DIRC\x00\x00\x00\x04")
	data = binary.BigEndian.AppendUint32(data, count)
	for i := range count {
		data = append(data, make([]byte, 62)...)
		data = append(data, 0) // nothing of the path before is dropped
		if i == 0 {
			data = append(data, strings.Repeat("a", 1<<20)...)
		}
		data = append(data, 0)
	}
	data = append(data, make([]byte, 20)...)
	if names, _, err := ParseIndex(data, 20); err == nil {
		t.Errorf("%d paths", len(names))
	}
}
