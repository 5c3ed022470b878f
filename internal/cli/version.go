package cli

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// Set by the linker: -ldflags "-X github.com/contextd/contextd/internal/cli.version=v1.2.3".
var (
	version  string
	revision string
)

// Version names the version, the revision and the Go that this binary was built with.
func Version() string {
	v, r := version, revision
	if info, ok := debug.ReadBuildInfo(); ok {
		if v == "" && info.Main.Version != "(devel)" {
			v = info.Main.Version
		}
		dirty := ""
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision" && r == "":
				r = s.Value[:min(12, len(s.Value))]
			case s.Key == "vcs.modified" && s.Value == "true":
				dirty = "+changes"
			}
		}
		if revision == "" && r != "" {
			r += dirty
		}
	}
	v = cmp.Or(v, "devel")
	r = cmp.Or(r, "unknown")
	return fmt.Sprintf("%s (revision %s, %s %s/%s)", v, r, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// versionCommand prints what --version prints, for those who type the word.
func versionCommand(name string) *cobra.Command {
	return &cobra.Command{Use: "version", Short: "print the version of this binary", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s %s\n", name, Version())
			return err
		}}
}
