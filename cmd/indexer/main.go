// Command indexer writes the index: as a daemon that keeps projects fresh, or once for one folder. See docs/CLI_JSON.md
// for what each command prints with --json.
package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/cli"
)

const long = `indexer keeps an index of source trees up to date, for "retriever query" to answer from.

  indexer index .                  index this folder once
  indexer run --watch ~/code/web   keep a folder indexed
  indexer status                   see what is indexed and what waits

It needs no server: without --redis the index lies in the state directory.
Exit status: 0 done, 1 not found or a failed check of doctor, 2 error.`

func command() *cobra.Command {
	return cli.Complete(cli.Root("indexer", "index source trees for contextd", long,
		runCommand(), indexCommand(), enqueueCommand(), statusCommand(), queueCommand(), doctorCommand(),
		resetCommand(), moveCommand()), nil)
}

func main() { os.Exit(cli.Main(command())) }
