package sandbox

import (
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/code"
)

// TestPointersOfGitLFSAreLeftOut: a file that only says where its content is has a reason of its own; text about such
// files has not.
func TestPointersOfGitLFSAreLeftOut(t *testing.T) {
	t.Parallel()
	oid := "oid sha256:" + strings.Repeat("4d", 32) + "\n"
	pointer := "version https://git-lfs.github.com/spec/v1\n" + oid + "size 12345\n"
	for text, want := range map[string]code.Reason{
		pointer: code.LFSPointer,
		strings.ReplaceAll(pointer, "\n", "\r\n"):                                            code.LFSPointer,
		"version https://git-lfs.github.com/spec/v1\next-0-x sha256:ab\n" + oid + "size 0\n": code.LFSPointer,
		"version https://git-lfs.github.com/spec/v1\n":                                       "",
		"version https://git-lfs.github.com/spec/v1\nprose about it\nsize of it\n":           "",
		"# Pointers\n\n" + pointer:                                                           "",
		pointer + strings.Repeat("more words\n", 100):                                        "",
	} {
		if _, got := Content("assets/model.txt", []byte(text)); got.Reason != want {
			t.Errorf("%q: %q, want %q", text, got.Reason, want)
		}
	}
}
