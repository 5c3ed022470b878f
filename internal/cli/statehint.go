package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/config"
	"github.com/contextd/contextd/internal/sandbox"
)

// stateHint adds to an error of the state directory, which cannot be made or written, where else it may lie. A home
// that is read-only or not there, as in containers and services, is the usual cause.
func stateHint(cmd *cobra.Command, err error) error {
	if HintOf(err) != "" || !refusedByDisk(err) {
		return err
	}
	cfg, failed := config.Load(cmd.Flags(), config.Source{})
	if failed != nil || !isAboutState(cfg.StateDir, err) {
		return err
	}
	return Hint(err,
		"give a folder that may be written with --state-dir, or set CONTEXTD_STATE_DIR or XDG_STATE_HOME (it is %q now)",
		cfg.StateDir)
}

func refusedByDisk(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.EROFS) ||
		errors.Is(err, syscall.ENOTDIR) || errors.Is(err, errNoFolder)
}

// isAboutState reports whether err is about dir, a path below it, or a folder above it that would have to be made.
func isAboutState(dir string, err error) bool {
	var pe *fs.PathError
	if errors.As(err, &pe) && filepath.IsAbs(pe.Path) &&
		(sandbox.Within(dir, pe.Path) || pe.Op == "mkdir" && sandbox.Within(pe.Path, dir)) {
		return true
	}
	// The path was taken into the text, perhaps quoted: with each backslash of Windows twice.
	return strings.Contains(err.Error(), dir) || strings.Contains(err.Error(), strings.Trim(strconv.Quote(dir), `"`))
}

// checkStatePlace refuses a state directory that cannot be there, since a file stands in its place or in that of a
// folder above it, such as with HOME=/dev/null. A question would else be answered as by an index that is missing.
func checkStatePlace(dir string) error { return checkPlace(dir, os.Stat) }

// checkPlace looks upward for what is there: where a folder above is missing, Windows has the one error (ENOTDIR, which
// is a missing path as well) that elsewhere says that a file stands there.
func checkPlace(dir string, stat func(string) (fs.FileInfo, error)) error {
	for at := dir; ; at = filepath.Dir(at) {
		info, err := stat(at)
		switch {
		case err == nil && info.IsDir():
			return nil
		case err == nil:
			return fmt.Errorf("open state directory: %w", &fs.PathError{Op: "open", Path: dir, Err: errNoFolder})
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR), at == filepath.Dir(at):
			return nil // whoever makes it tells what is wrong
		}
	}
}

// errNoFolder has the words of ENOTDIR, whose own on Windows are those of a missing path.
var errNoFolder = errors.New("not a directory")
