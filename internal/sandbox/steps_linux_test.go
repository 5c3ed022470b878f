package sandbox

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestStepwiseOpen: without openat2 each step is opened from the one before, and none of them may be a link.
func TestStepwiseOpen(t *testing.T) {
	t.Parallel()
	root := write(t, t.TempDir(), map[string]string{"dir/sub/x": "x"})
	must(t, os.Symlink("dir", filepath.Join(root, "link")))
	must(t, os.Symlink("x", filepath.Join(root, "dir/sub/last")))
	r := open(t, root)
	for path, ok := range map[string]bool{"dir/sub/x": true, ".": true, "link/sub/x": false, "dir/sub/last": false, "dir/../dir/sub/x": false,
		"../x": false, "none/x": false} {
		fd, err := r.openSteps(path, openFlags)
		if (err == nil) != ok {
			t.Errorf("openSteps(%q) = %v", path, err)
		}
		if err == nil {
			unix.Close(fd)
		}
	}
}
