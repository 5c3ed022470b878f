//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestStateDirectoryOfOthersIsRefused: a place that others can fill is not used; one that they can only read is.
func TestStateDirectoryOfOthersIsRefused(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	for mode, ok := range map[os.FileMode]bool{
		0o700:                 true,
		0o755:                 true,
		0o775:                 true,
		0o777:                 false,
		0o702:                 false,
		0o777 | os.ModeSticky: false,
	} {
		dir := filepath.Join(top, strings.ReplaceAll(mode.String(), "/", ""))
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		link := dir + ".link"
		if err := os.Symlink(dir, link); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{dir, link} {
			err := GuardState(name)
			if (err == nil) != ok {
				t.Errorf("mode %s: %v", mode, err)
			}
			if err != nil && !strings.Contains(HintOf(err), "--state-dir") {
				t.Errorf("mode %s: hint %q", mode, HintOf(err))
			}
		}
	}
	if err := GuardState(filepath.Join(top, "none")); err != nil {
		t.Errorf("one to be made: %v", err)
	}
}
