package sandbox

import (
	"io/fs"
	"syscall"
)

// fileOf is what the system knows about the file at path.
func fileOf(path string, info fs.FileInfo) File {
	f := File{Path: path, Size: info.Size(), MTime: info.ModTime().UnixNano()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		f.CTime, f.Inode = st.Ctimespec.Nano(), st.Ino
	}
	return f
}
