//go:build unix

package cli

import (
	"fmt"
	"os"
	"syscall"
)

// GuardState refuses a state directory that another user of the machine could fill: the files in it are trusted, and
// written without a look at what is there. One that is only open to readers is used, since all in it is made with modes
// 0700 and 0600; doctor tells of it. There need not be one yet.
func GuardState(dir string) error {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return nil // whoever makes it tells what is wrong
	}
	if info.Mode().Perm()&0o002 != 0 {
		return Hint(fmt.Errorf("state directory %q: everybody may write to it (mode %04o)", dir, info.Mode().Perm()),
			"chmod 700 it, or give a folder of your own in it: --state-dir %s/contextd", dir)
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && os.Geteuid() != 0 && int(st.Uid) != os.Geteuid() {
		return Hint(fmt.Errorf("state directory %q: it belongs to another user (id %d)", dir, st.Uid),
			"give one of your own with --state-dir")
	}
	return nil
}
