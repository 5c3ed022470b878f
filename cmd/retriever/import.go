package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/app"
	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/history"
)

func historyImportCommand() *cobra.Command {
	var m historyFlags
	cmd := &cobra.Command{Use: "import FILE|-", Short: "take over tasks and blockers that something else kept",
		Args: cli.Args("FILE|-", 1, 1),
		Long: `import reads a state in JSON: {"completed_tasks": […], "blocked_tasks": […]}, also older ones in which a task is an id alone or lacks fields, and
says what it filled in. The same state again changes nothing. "-" reads it from stdin.`}
	m.flags(cmd)
	cmd.RunE = m.with(func(cmd *cobra.Command, args []string, _ *app.App, h *history.History, project string) error {
		data, err := readInput(cmd, args[0], history.MaxState)
		if err != nil {
			return err
		}
		var old history.State
		if err := json.Unmarshal(data, &old); err != nil {
			return fmt.Errorf("import %q: %w", args[0], err)
		}
		r, err := h.Import(cmd.Context(), project, old)
		if err != nil {
			return err
		}
		var filled []string
		for _, field := range slices.Sorted(maps.Keys(r.Filled)) {
			filled = append(filled, fmt.Sprintf("%s of %d", field, r.Filled[field]))
		}
		text := "nothing"
		if len(filled) > 0 {
			text = strings.Join(filled, ", ")
		}
		return cli.Answer(cmd, m.json, r, true,
			cli.Line("%d tasks and %d blockers imported, %d and %d known already; filled in: %s", r.Tasks, r.Blockers,
				r.Known, r.KnownBlockers, text))
	})
	return cmd
}
