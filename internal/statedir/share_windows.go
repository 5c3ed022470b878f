package statedir

import (
	"os"
	"path/filepath"
	"time"
)

// OpenFile opens a file that is there and may be replaced or removed meanwhile: through an os.Root, which lets others do
// so, while os.OpenFile does not.
func OpenFile(path string, flag int) (*os.File, error) {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.OpenFile(filepath.Base(path), flag, 0)
}

// Rename puts the file from in the place of the file to, which lies in the same folder and may be open by OpenFile: through
// an os.Root, whose rename does not mind that. Whoever opened it otherwise, such as a scanner for viruses, has half a
// second to let it go.
func Rename(from, to string) error {
	root, err := os.OpenRoot(filepath.Dir(from))
	if err != nil {
		return err
	}
	defer root.Close()
	err = root.Rename(filepath.Base(from), filepath.Base(to))
	for i := 0; err != nil && i < 50; i++ {
		if _, gone := root.Lstat(filepath.Base(from)); gone != nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
		err = root.Rename(filepath.Base(from), filepath.Base(to))
	}
	return err
}
