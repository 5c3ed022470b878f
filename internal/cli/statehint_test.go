package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/statedir"
)

// A regular file in place of the folder stands for every disk that refuses: it does so for root, too.
func TestAStateDirectoryThatCannotBeMadeGetsAHint(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		run  func() error
		hint bool
	}{
		"the state directory": {func() error { return statedir.Make(filepath.Join(file, "state")) }, true},
		"a file in it": {func() error {
			_, err := os.Open(filepath.Join(file, "state", "x"))
			return err
		}, true},
		"a folder above it": {func() error { return os.MkdirAll(file, 0o700) }, true},
		"another file":      {func() error { _, err := os.Open(file + "2"); return err }, false},
	} {
		var out, errs bytes.Buffer
		root := cli.Root("tool", "", "", &cobra.Command{Use: "work", RunE: func(*cobra.Command, []string) error {
			return c.run()
		}})
		status := cli.Run(t.Context(), root, []string{"work", "--state-dir", filepath.Join(file, "state")}, &out, &errs)
		if got := strings.Contains(errs.String(),
			"hint: give a folder that may be written with --state-dir"); status != 2 || got != c.hint ||
			c.hint && !strings.Contains(errs.String(), "XDG_STATE_HOME") {
			t.Errorf("%s: exit %d, %s", name, status, errs.String())
		}
	}
}
