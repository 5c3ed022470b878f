package hook

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// maxLog bounds the log, in bytes; one older file of that size is kept.
const maxLog = 256 << 10

// logName is the file of the log in the folder "hook".
const logName = "hook.log"

// LogFile is the log of hooks, to which each write is one line. What cannot be written is lost: there is nobody to
// tell.
type LogFile struct{ Dir string }

// Write implements [io.Writer].
func (l LogFile) Write(line []byte) (int, error) {
	if os.MkdirAll(l.Dir, 0o700) != nil {
		return len(line), nil
	}
	path := filepath.Join(l.Dir, logName)
	if info, err := os.Lstat(path); err == nil && info.Size() > maxLog {
		_ = os.Rename(path, path+".1")
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return len(line), nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return len(line), nil
	}
	defer f.Close()
	_, _ = f.Write(line)
	return len(line), nil
}
