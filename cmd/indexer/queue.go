package main

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/wire"
)

func queueCommand() *cobra.Command {
	return cli.Group(&cobra.Command{Use: "queue", Short: "list, retry or drop requests that failed for good"},
		queueListCommand(), queueRetryCommand(), queueDropCommand())
}

func queueListCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{Use: "list", Short: "list dead requests, the oldest first", Args: cli.Args("", 0, 0),
		RunE: withTimeout(func(cmd *cobra.Command, _ []string, s *setup) error {
			dead, err := s.back.Dead(cmd.Context())
			if err != nil {
				return err
			}
			list := wire.DeadLetters(dead)
			if len(list.Dead) == 0 {
				return cli.Answer(cmd, asJSON, list, true, cli.Line("no dead requests"))
			}
			t := cli.NewTable([]string{"ID", "PROJECT", "TRIES", "DIED", "REASON"}, 2)
			for _, r := range list.Dead {
				t.Row(r.ID, r.Project, r.Attempts, ago(r.At), r.Reason)
			}
			return cli.Answer(cmd, asJSON, list, true, t.Print)
		})}
	jsonFlag(cmd, &asJSON)
	return cmd
}

func queueRetryCommand() *cobra.Command {
	var all, asJSON bool
	cmd := &cobra.Command{Use: "retry [ID ...|--all]", Short: "send dead requests to the queue again",
		Args: cli.Args("ID ... or --all", 0, -1),
		RunE: withTimeout(func(cmd *cobra.Command, args []string, s *setup) error {
			if all == (len(args) > 0) {
				return cli.Hint(errors.New("indexer queue retry: want ids, or --all"),
					`"indexer queue list" shows the ids`)
			}
			if all {
				args = nil
			}
			q, err := s.back.Queue()
			if err != nil {
				return err
			}
			ids := slices.Compact(slices.Sorted(slices.Values(args)))
			n, err := q.RetryDead(cmd.Context(), ids)
			if err != nil {
				return err
			}
			return cli.AnswerCount(cmd, asJSON, "retried", n, len(ids))
		})}
	cmd.Flags().BoolVar(&all, "all", false, "all dead requests")
	jsonFlag(cmd, &asJSON)
	return cmd
}

func queueDropCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{Use: "drop ID ...", Short: "remove dead requests", Args: cli.Args("ID ...", 1, -1),
		RunE: withTimeout(func(cmd *cobra.Command, args []string, s *setup) error {
			q, err := s.back.Queue()
			if err != nil {
				return err
			}
			ids := slices.Compact(slices.Sorted(slices.Values(args)))
			n, err := q.DropDead(cmd.Context(), ids)
			if err != nil {
				return err
			}
			return cli.AnswerCount(cmd, asJSON, "dropped", n, len(ids))
		})}
	jsonFlag(cmd, &asJSON)
	return cmd
}
