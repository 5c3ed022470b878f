package sandbox

import (
	"path/filepath"

	"github.com/contextd/contextd/internal/syserr"
)

// resolve resolves the links of a path of which the end may not exist; found says whether all of it does.
func resolve(path string) (real string, found bool, err error) {
	for at, tail := path, ""; ; {
		real, err := filepath.EvalSymlinks(at)
		if err == nil {
			return filepath.Join(real, tail), tail == "", nil
		}
		// A link to nothing leads somewhere else tomorrow: it is not judged by its name.
		if up := filepath.Dir(at); isMissing(err) && up != at && !isLink(at) {
			tail, at = filepath.Join(filepath.Base(at), tail), up
			continue
		}
		return "", false, syserr.Cause(err)
	}
}
