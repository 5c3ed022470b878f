// Command retriever answers questions about code from contextd's index, and tells why a file is not in it.
package main

import (
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/gates"
)

func main() {
	// A question is answered and the process ends: memory that could be given back in between is not worth the search for it. The
	// command serve takes this back.
	debug.SetGCPercent(400)
	os.Exit(cli.Main(command()))
}

func command() *cobra.Command {
	return cli.Complete(cli.Root("retriever", "find the right code, verified",
		`retriever answers questions about the code of a project: names, plain questions, tasks. Each snippet is checked against
the disk before it is printed. With no daemon on the embedded default it brings the index up to date itself.

  retriever query "where are retries scheduled"
  retriever why src/app.go
  retriever eval questions.jsonl
  retriever context --agent knight --task-file task.json
  retriever explain
  retriever memory save --agent knight-1 --kind decision "We keep sessions in Redis"
  retriever history list
  retriever serve --allow-root ~/code`, queryCommand(), whyCommand(), evalCommand(), contextCommand(), explainCommand(), diffCommand(), memoryCommand(), historyCommand(), serveCommand()),
		map[string][]string{"stale": {string(gates.Verify), string(gates.Skip)}})
}
