package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A stat as Windows has it: ENOTDIR is the error of a missing path, too, as of each first use of contextd there.
func TestAStateDirectoryWhoseParentsAreMissingMayBeMade(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	file := filepath.Join(top, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	windows := func(path string) (fs.FileInfo, error) {
		info, err := os.Stat(path)
		if err != nil {
			err = &fs.PathError{Op: "stat", Path: path, Err: syscall.ENOTDIR}
		}
		return info, err
	}
	for name, stat := range map[string]func(string) (fs.FileInfo, error){"this system": os.Stat, "Windows": windows} {
		for _, dir := range []string{top, filepath.Join(top, "a"), filepath.Join(top, ".local", "state", "contextd")} {
			if err := checkPlace(dir, stat); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, dir := range []string{file, filepath.Join(file, "a"), filepath.Join(file, "a", "b")} {
			if err := checkPlace(dir, stat); err == nil || !strings.HasSuffix(err.Error(), dir+": not a directory") ||
				!refusedByDisk(err) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestAStateDirectoryIsKnownInAQuotedPath(t *testing.T) {
	t.Parallel()
	dir := `C:\Users\ann\state`
	for text, want := range map[string]bool{`make state directory "C:\\Users\\ann\\state": no`: true, `open C:\Users\ann\state\x: no`: true, `open C:\Users\ann\other: no`: false} {
		if isAboutState(dir, errors.New(text)) != want {
			t.Error(text)
		}
	}
}
