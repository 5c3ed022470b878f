package doctor

import (
	"io/fs"

	"golang.org/x/sys/windows"
)

// writable cannot be told from a mode here; a failing write will say.
func writable(string) bool { return true }

func private(fs.FileInfo) bool { return true }

func freeBytes(dir string) (uint64, bool) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, false
	}
	var free uint64
	err = windows.GetDiskFreeSpaceEx(name, &free, nil, nil)
	return free, err == nil
}
