package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/cli"
)

// moved is what "move --json" prints.
type moved struct {
	Documents int             `json:"documents"`
	Logs      int             `json:"logs"`
	Left      []backend.Stray `json:"left"`
}

func moveCommand() *cobra.Command {
	var from string
	var drop, asJSON bool
	cmd := &cobra.Command{Use: "move", Short: "move what is remembered to the Redis servers where it belongs",
		Args: cli.Args("", 0, 0),
		Long: `move brings memory, history, receipts and usage to the servers on which their projects and agents lie, after the list of
--redis has changed. The daemon does so by itself between the servers of the list; --from names one that is no longer in
it. Indexes are not moved: they are made again from the disk.`,
		RunE: withStore(func(cmd *cobra.Command, _ []string, s *setup) error {
			if s.back.Name != backend.Redis {
				return cli.Hint(errors.New("indexer move: the store is no Redis"), "name the servers with --redis")
			}
			doc := moved{Left: []backend.Stray{}}
			note := func(done backend.Moved, err error) error {
				doc.Documents, doc.Logs = doc.Documents+done.Documents, doc.Logs+done.Logs
				doc.Left = append(doc.Left, done.Left...)
				return err
			}
			var err error
			if from != "" {
				err = note(s.back.MoveDocumentsFrom(cmd.Context(), from, drop))
			}
			for _, one := range s.back.Servers() {
				if one.Server() != "" {
					err = errors.Join(err, note(one.MoveDocuments(cmd.Context(), drop)))
				}
			}
			if err != nil {
				return err
			}
			if asJSON {
				return cli.PrintJSON(cmd.OutOrStdout(), doc)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "moved %d documents, %d logs\n", doc.Documents, doc.Logs)
			for _, l := range doc.Left {
				fmt.Fprintf(cmd.OutOrStdout(), "left %d documents %s of %q on %s: %s has others, which count; --drop removes these\n",
					l.Count, l.What, l.Owner, l.Server, l.Own)
			}
			return nil
		})}
	cmd.Flags().StringVar(&from, "from", "", "URL of a server that is not in the list of --redis")
	cmd.Flags().BoolVar(&drop, "drop", false, "remove documents of which their own server has others")
	jsonFlag(cmd, &asJSON)
	return cmd
}
