package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/memory"
)

func memoryFlashCommand() *cobra.Command {
	var m remembering
	var f memory.Flash
	cmd := &cobra.Command{Use: "flash-save",
		Short: "make a checkpoint, put COLD away, and list what the agent goes on with", Args: cli.Args("", 0, 0)}
	m.flags(cmd)
	cmd.Flags().StringVar(&f.TaskID, "task", "", "the task that the agent works on")
	cmd.Flags().IntVar(&f.Hot, "hot-tokens", 0, "tokens that HOT may take, about (default 2000)")
	cmd.RunE = m.with(func(
		ctx context.Context, cmd *cobra.Command, _ []string, mem *memory.Memory, who memory.Who,
	) error {
		done, err := mem.FlashSave(ctx, who, f)
		if err != nil {
			return err
		}
		if m.json {
			return cli.PrintJSON(cmd.OutOrStdout(), done)
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %d put away, %d HOT, %d WARM for want of room\n", done.CheckpointID,
			done.Archived, done.HotRetained, len(done.Pointers))
		if len(done.Hot) == 0 {
			return nil
		}
		return printItems(cmd, done.Hot)
	})
	return cmd
}

func memoryRestoreCommand() *cobra.Command {
	var m remembering
	cmd := &cobra.Command{Use: "restore [CHECKPOINT]", Short: "take an agent back to a checkpoint; none: the last one",
		Args: cli.Args("CHECKPOINT", 0, 1),
		Long: "restore makes live again what was HOT or WARM at the checkpoint. Exit status: 0, or 1 where there is no such checkpoint."}
	m.flags(cmd)
	cmd.RunE = m.with(func(
		ctx context.Context, cmd *cobra.Command, args []string, mem *memory.Memory, who memory.Who,
	) error {
		back, err := mem.Restore(ctx, who, strings.Join(args, ""))
		switch {
		case errors.Is(err, memory.ErrNotFound) && m.json:
			return notThere(cli.PrintJSON(cmd.OutOrStdout(), nil))
		case errors.Is(err, memory.ErrNotFound):
			_, err := fmt.Fprintln(cmd.OutOrStdout(),
				`no such checkpoint is kept: "retriever memory flash-save" makes one`)
			return notThere(err)
		case err != nil:
			return err
		case m.json:
			return cli.PrintJSON(cmd.OutOrStdout(), back)
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %d live again, %d forgotten since\n", back.CheckpointID, back.Revived,
			len(back.Missing))
		if len(back.Hot) == 0 {
			return nil
		}
		return printItems(cmd, back.Hot)
	})
	return cmd
}

func memoryCheckpointsCommand() *cobra.Command {
	var m remembering
	cmd := &cobra.Command{Use: "checkpoints [CHECKPOINT]",
		Short: "list an agent's checkpoints, or show one with its items", Args: cli.Args("CHECKPOINT", 0, 1),
		Long: "checkpoints lists the last one first. Exit status: 0, or 1 where there is none."}
	m.flags(cmd)
	cmd.RunE = m.with(func(
		ctx context.Context, cmd *cobra.Command, args []string, mem *memory.Memory, who memory.Who,
	) error {
		if len(args) > 0 {
			return showCheckpoint(ctx, cmd, mem, who, args[0], m.json)
		}
		all, err := mem.Checkpoints(ctx, who.Agent)
		if err != nil {
			return err
		}
		if m.json {
			err = cli.PrintJSON(cmd.OutOrStdout(), map[string]any{"checkpoints": append([]memory.Checkpoint{}, all...)})
		} else if len(all) == 0 {
			_, err = fmt.Fprintln(cmd.OutOrStdout(), `no checkpoint is kept: "retriever memory flash-save" makes one`)
		}
		for _, c := range all {
			if !m.json && err == nil {
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s  %s  %d HOT, %d WARM\n", c.ID,
					c.CreatedAt.UTC().Format(time.RFC3339), c.Hot, c.Warm)
			}
		}
		if err == nil && len(all) == 0 {
			return cli.ErrNothing
		}
		return err
	})
	return cmd
}

// showCheckpoint prints a checkpoint with what its items say.
func showCheckpoint(
	ctx context.Context, cmd *cobra.Command, mem *memory.Memory, who memory.Who, id string, inJSON bool,
) error {
	c, err := mem.Snapshot(ctx, who.Agent, id)
	switch {
	case errors.Is(err, memory.ErrNotFound) && inJSON:
		return notThere(cli.PrintJSON(cmd.OutOrStdout(), nil))
	case errors.Is(err, memory.ErrNotFound):
		_, err := fmt.Fprintln(cmd.OutOrStdout(), "no such checkpoint is kept")
		return notThere(err)
	case err != nil:
		return err
	case inJSON:
		return cli.PrintJSON(cmd.OutOrStdout(), c)
	}
	t := cli.NewTable(nil)
	for _, it := range c.Items {
		t.Row(string(it.Tier), string(it.Kind), it.ID, it.Content)
	}
	_, err = t.WriteTo(cmd.OutOrStdout())
	return err
}
