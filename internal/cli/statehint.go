package cli

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/config"
	"github.com/contextd/contextd/internal/sandbox"
)

// stateHint adds to an error of the state directory, which cannot be made or written, where else it may lie. A home that is read-only
// or not there, as in containers and services, is the usual cause.
func stateHint(cmd *cobra.Command, err error) error {
	if HintOf(err) != "" || !refusedByDisk(err) {
		return err
	}
	cfg, failed := config.Load(cmd.Flags(), config.Source{})
	if failed != nil || !ofState(cfg.StateDir, err) {
		return err
	}
	return Hint(err, "give a folder that may be written with --state-dir, or set CONTEXTD_STATE_DIR or XDG_STATE_HOME (it is %q now)", cfg.StateDir)
}

func refusedByDisk(err error) bool {
	for _, cause := range []error{fs.ErrPermission, fs.ErrNotExist, syscall.EROFS, syscall.ENOTDIR} {
		if errors.Is(err, cause) {
			return true
		}
	}
	return false
}

// ofState reports whether err is about dir, a path below it, or a folder above it that would have to be made.
func ofState(dir string, err error) bool {
	var pe *fs.PathError
	if errors.As(err, &pe) && filepath.IsAbs(pe.Path) && (sandbox.Within(dir, pe.Path) || pe.Op == "mkdir" && sandbox.Within(pe.Path, dir)) {
		return true
	}
	return strings.Contains(err.Error(), dir) // the path was taken into the text
}
