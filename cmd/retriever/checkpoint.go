package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/memory"
)

func memoryFlashCommand() *cobra.Command {
	var m agentFlags
	var f memory.Flash
	cmd := &cobra.Command{Use: "flash-save",
		Short: "make a checkpoint, put COLD away, and list what the agent goes on with", Args: cli.Args("", 0, 0)}
	m.flags(cmd)
	cmd.Flags().StringVar(&f.TaskID, "task", "", "the task that the agent works on")
	cmd.Flags().IntVar(&f.Hot, "hot-tokens", 0, "tokens that HOT may take, about (default 2000)")
	cmd.RunE = m.with(func(cmd *cobra.Command, _ []string, mem *memory.Memory, who memory.Who) error {
		done, err := mem.FlashSave(cmd.Context(), who, f)
		if err != nil {
			return err
		}
		return cli.Answer(cmd, m.json, done, true, func(w io.Writer) {
			fmt.Fprintf(w, "%s: %d put away, %d HOT, %d WARM for want of room\n", done.CheckpointID, done.Archived,
				done.HotRetained, len(done.Pointers))
			printAny(w, done.Hot)
		})
	})
	return cmd
}

func memoryRestoreCommand() *cobra.Command {
	var m agentFlags
	cmd := &cobra.Command{Use: "restore [CHECKPOINT]", Short: "take an agent back to a checkpoint; none: the last one",
		Args: cli.Args("CHECKPOINT", 0, 1),
		Long: "restore makes live again what was HOT or WARM at the checkpoint. Exit status: 0, or 1 where there is no such checkpoint."}
	m.flags(cmd)
	cmd.RunE = m.with(func(cmd *cobra.Command, args []string, mem *memory.Memory, who memory.Who) error {
		back, err := mem.Restore(cmd.Context(), who, strings.Join(args, ""))
		switch {
		case errors.Is(err, memory.ErrNotFound):
			return cli.Answer(cmd, m.json, nil, false,
				cli.Line(`no such checkpoint is kept: "retriever memory flash-save" makes one`))
		case err != nil:
			return err
		}
		return cli.Answer(cmd, m.json, back, true, func(w io.Writer) {
			fmt.Fprintf(w, "%s: %d live again, %d forgotten since\n", back.CheckpointID, back.Revived,
				len(back.Missing))
			printAny(w, back.Hot)
		})
	})
	return cmd
}

func memoryCheckpointsCommand() *cobra.Command {
	var m agentFlags
	cmd := &cobra.Command{Use: "checkpoints [CHECKPOINT]",
		Short: "list an agent's checkpoints, or show one with its items", Args: cli.Args("CHECKPOINT", 0, 1),
		Long: "checkpoints lists the last one first. Exit status: 0, or 1 where there is none."}
	m.flags(cmd)
	cmd.RunE = m.with(func(cmd *cobra.Command, args []string, mem *memory.Memory, who memory.Who) error {
		if len(args) > 0 {
			return showCheckpoint(cmd, mem, who, args[0], m.json)
		}
		all, err := mem.Checkpoints(cmd.Context(), who.Agent)
		if err != nil {
			return err
		}
		doc := map[string]any{"checkpoints": append([]memory.Checkpoint{}, all...)}
		if len(all) == 0 {
			return cli.Answer(cmd, m.json, doc, false,
				cli.Line(`no checkpoint is kept: "retriever memory flash-save" makes one`))
		}
		return cli.Answer(cmd, m.json, doc, true, func(w io.Writer) {
			for _, c := range all {
				fmt.Fprintf(w, "%s  %s  %d HOT, %d WARM\n", c.ID, c.CreatedAt.UTC().Format(time.RFC3339), c.Hot, c.Warm)
			}
		})
	})
	return cmd
}

// showCheckpoint prints a checkpoint with what its items say.
func showCheckpoint(cmd *cobra.Command, mem *memory.Memory, who memory.Who, id string, inJSON bool) error {
	c, err := mem.Snapshot(cmd.Context(), who.Agent, id)
	switch {
	case errors.Is(err, memory.ErrNotFound):
		return cli.Answer(cmd, inJSON, nil, false, cli.Line("no such checkpoint is kept"))
	case err != nil:
		return err
	}
	t := cli.NewTable(nil)
	for _, it := range c.Items {
		t.Row(string(it.Tier), string(it.Kind), it.ID, it.Content)
	}
	return cli.Answer(cmd, inJSON, c, true, t.Print)
}

// printAny prints items where there are some.
func printAny(w io.Writer, items []memory.Item) {
	if len(items) > 0 {
		printItems(w, items)
	}
}
