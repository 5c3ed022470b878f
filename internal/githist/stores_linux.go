package githist

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/contextd/contextd/internal/sandbox"
)

// fdDir is where the descriptors lie that git inherits, by number.
const fdDir = "/proc/self/fd"

// giveStores makes git read the stores through handles that it inherits: in its own empty directory dir come folders of
// objects that hold nothing but links into these handles. So no path of the repository is looked up, and no file of it
// names further stores.
func giveStores(cmd *exec.Cmd, dir string, stores *sandbox.Stores) error {
	if _, err := os.Stat(fdDir); err != nil { // a system without it: Stores.Unchanged alone has to do
		return nil
	}
	var borrowed strings.Builder
	for i, st := range stores.All() {
		name := "objects"
		if i > 0 {
			name += strconv.Itoa(i)
			borrowed.WriteString("../" + name + "\n")
		}
		if err := os.MkdirAll(filepath.Join(dir, name, "info"), 0o700); err != nil {
			return err
		}
		const firstExtra = 3 // its first descriptors are input, output and errors
		from := filepath.Join(fdDir, strconv.Itoa(firstExtra+len(cmd.ExtraFiles)))
		for _, folder := range st.Folders {
			if err := os.Symlink(filepath.Join(from, folder), filepath.Join(dir, name, folder)); err != nil {
				return err
			}
		}
		cmd.ExtraFiles = append(cmd.ExtraFiles, st.Handle())
	}
	cmd.Env = append(cmd.Env, "GIT_OBJECT_DIRECTORY="+filepath.Join(dir, "objects"))
	return os.WriteFile(filepath.Join(dir, "objects", "info", "alternates"), []byte(borrowed.String()), 0o600)
}
