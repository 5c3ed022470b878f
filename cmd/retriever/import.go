package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/app"
	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/history"
)

func historyImportCommand() *cobra.Command {
	var m recording
	cmd := &cobra.Command{Use: "import FILE|-", Short: "take over tasks and blockers that something else kept",
		Args: cli.Args("FILE|-", 1, 1),
		Long: `import reads a state in JSON: {"completed_tasks": […], "blocked_tasks": […]}, also older ones in which a task is an id alone or lacks fields, and
says what it filled in. The same state again changes nothing. "-" reads it from stdin.`}
	m.flags(cmd)
	cmd.RunE = m.with(func(
		ctx context.Context, cmd *cobra.Command, args []string, _ *app.App, h *history.History, project string,
	) error {
		data, err := readState(cmd.InOrStdin(), args[0])
		if err != nil {
			return err
		}
		var old history.State
		if err := json.Unmarshal(data, &old); err != nil {
			return fmt.Errorf("import %q: %w", args[0], err)
		}
		r, err := h.Import(ctx, project, old)
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

// readState reads a file or, for "-", in.
func readState(in io.Reader, name string) ([]byte, error) {
	if name != "-" {
		return readFile(name, history.MaxState)
	}
	data, err := io.ReadAll(io.LimitReader(in, history.MaxState+1))
	if err == nil && len(data) > history.MaxState {
		err = fmt.Errorf("it has over %d bytes", history.MaxState)
	}
	if err != nil {
		return nil, fmt.Errorf("read stdin: %w", err)
	}
	return data, nil
}
