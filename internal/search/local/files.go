package local

import (
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"

	"github.com/contextd/contextd/internal/statedir"
)

// Names of the files of a project.
const (
	currentName   = "CURRENT"
	nextName      = "NEXT"
	confirmedName = "CONFIRMED"
	failedName    = "FAILED"
	attachedName  = "ATTACHED"
	lockName      = "write.lock" // of the version that serves
	nextLockName  = "next.lock"  // of the next version
	segmentPrefix = "seg-"
	tempSuffix    = ".tmp"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func sum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// replaceFile gives the file name in dir the content data: by a rename, so that a reader sees the old or the new.
func replaceFile(dir, name string, data []byte, at func(step string) error) error {
	f, err := os.CreateTemp(dir, name+"-*"+tempSuffix) // mode 0600
	if err != nil {
		return fmt.Errorf("create %q: %w", name, err)
	}
	_, err = f.Write(data)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fmt.Errorf("write %q: %w", name, err)
	}
	if err := at("rename " + name); err != nil {
		return err
	}
	if err := statedir.Rename(f.Name(), filepath.Join(dir, name)); err != nil {
		_ = os.Remove(f.Name())
		return err
	}
	return nil
}

// writeInPlace is replaceFile for a short line with a sum of its own that is written often: where a file of that length
// is there already, it is written over in place by one call, which costs a tenth of a new file and its rename. A reader
// that comes in between sees a wrong sum.
func writeInPlace(dir, name string, data []byte, at func(step string) error) error {
	f, err := statedir.OpenFile(filepath.Join(dir, name), os.O_WRONLY)
	if err != nil {
		return replaceFile(dir, name, data, at)
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(data)) {
		_ = f.Close()
		return replaceFile(dir, name, data, at)
	}
	if err := at("overwrite " + name); err != nil {
		_ = f.Close()
		return err
	}
	_, err = f.WriteAt(data, 0)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("write %q: %w", name, err)
	}
	return nil
}
