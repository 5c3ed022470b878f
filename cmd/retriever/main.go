// Command retriever answers questions about code from contextd's index, remembers for agents, compiles the contexts of
// their prompts, and serves all of that over HTTP.
package main

import (
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/intent"
	"github.com/contextd/contextd/internal/lang"
	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/tokens"
)

func main() {
	// A question is answered and the process ends: memory that could be given back in between is not worth the search
	// for it. The command serve takes this back.
	debug.SetGCPercent(400)
	if isHook(os.Args, os.Stderr) {
		runHook()
		return
	}
	os.Exit(cli.Main(command()))
}

func command() *cobra.Command {
	return cli.Complete(cli.Root("retriever", "find the right code, verified",
		`retriever answers questions about the code of a project: names, plain questions, tasks. Each snippet is checked against
the disk before it is printed. It remembers what agents did and learned, and compiles all of that into the context of a prompt. With no daemon
on the embedded default it brings the index up to date itself.

  retriever query "where are retries scheduled"
  retriever usages openGate
  retriever related src/app.go:12
  retriever why src/app.go
  retriever eval questions.jsonl
  retriever context --agent knight --task-file task.json
  retriever explain
  retriever memory save --agent knight-1 --kind decision "We keep sessions in Redis"
  retriever history list
  retriever mcp
  retriever serve --allow-root ~/code
  retriever top
  retriever install`,
		queryCommand(), usagesCommand(), relatedCommand(), whyCommand(), evalCommand(), contextCommand(),
		explainCommand(), diffCommand(), statsCommand(), profilesCommand(), memoryCommand(), historyCommand(),
		mcpCommand(), hookCommand(), serveCommand(), topCommand(), installCommand(), uninstallCommand(),
		doctorCommand(), toolsCommand()),
		map[string][]string{"content": toStrings(lang.Contents), "stale": {string(gates.Verify), string(gates.Skip)},
			"tier": toStrings(memory.Tiers()), "scope": toStrings(memory.Scopes()), "kind": toStrings(memory.Kinds()),
			"frame": toStrings(intent.Frames), "encoding": tokens.Encodings()})
}

// toStrings are the texts of named strings.
func toStrings[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, x := range list {
		out[i] = string(x)
	}
	return out
}
