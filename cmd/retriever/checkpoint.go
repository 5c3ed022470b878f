package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/memory"
)

func memoryFlashCommand() *cobra.Command {
	var m remembering
	var f memory.Flash
	cmd := &cobra.Command{Use: "flash-save", Short: "make a checkpoint, put COLD away, and list what the agent goes on with", Args: cli.Args("", 0, 0)}
	m.flags(cmd)
	cmd.Flags().StringVar(&f.TaskID, "task", "", "the task that the agent works on")
	cmd.RunE = m.with(func(ctx context.Context, cmd *cobra.Command, _ []string, mem *memory.Memory, who memory.Who) error {
		done, err := mem.FlashSave(ctx, who, f)
		if err != nil {
			return err
		}
		if m.json {
			return cli.PrintJSON(cmd.OutOrStdout(), done)
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %d put away, %d HOT\n", done.CheckpointID, done.Archived, done.HotRetained)
		if len(done.Hot) == 0 {
			return nil
		}
		return printItems(cmd, done.Hot)
	})
	return cmd
}

func memoryRestoreCommand() *cobra.Command {
	var m remembering
	cmd := &cobra.Command{Use: "restore [CHECKPOINT]", Short: "take an agent back to a checkpoint; none: the last one", Args: cli.Args("CHECKPOINT", 0, 1)}
	m.flags(cmd)
	cmd.RunE = m.with(func(ctx context.Context, cmd *cobra.Command, args []string, mem *memory.Memory, who memory.Who) error {
		back, err := mem.Restore(ctx, who, strings.Join(args, ""))
		if errors.Is(err, memory.ErrNotFound) {
			err = cli.Hint(err, `"retriever memory flash-save" makes one`)
		}
		if err != nil {
			return err
		}
		if m.json {
			return cli.PrintJSON(cmd.OutOrStdout(), back)
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %d live again, %d forgotten since\n", back.CheckpointID, back.Revived, len(back.Missing))
		if len(back.Hot) == 0 {
			return nil
		}
		return printItems(cmd, back.Hot)
	})
	return cmd
}
