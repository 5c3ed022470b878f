package main

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/daemon"
	"github.com/contextd/contextd/internal/queue/spool"
	"github.com/contextd/contextd/internal/trace"
)

// listenDefault is where the daemon serves metrics and health.
const listenDefault = "127.0.0.1:9464"

func runCommand() *cobra.Command {
	var watch []string
	cmd := &cobra.Command{Use: "run", Short: "keep projects fresh until stopped: the daemon", Args: cli.Args("", 0, 0),
		Long: `run drains the queue, indexes, watches the folders given with --watch, and makes sure that nothing was missed. It serves
/metrics, /healthz and /readyz. Only folders under --allow-root and --watch are ever read. SIGINT and SIGTERM stop it.`,
		RunE: withStore(func(cmd *cobra.Command, _ []string, s *setup) error {
			defer trace.Start("contextd-indexer", cli.Version(), s.log)()
			in, err := cli.Ingester(s.cfg, s.back.Index, s.log)
			if err != nil {
				return err
			}
			return daemon.Run(cmd.Context(), daemon.Options{Backend: s.back, Ingester: in.WithVectors(s.back.Vectors()),
				Sandbox: cli.Sandbox(s.cfg), StateDir: s.cfg.StateDir, Watch: watch, Allow: s.cfg.AllowRoots,
				Listen: cmp.Or(s.cfg.Listen, listenDefault), Spool: spool.Open(s.cfg.SpoolDir()),
				ReconcileInterval: s.cfg.ReconcileInterval, Workers: s.cfg.Workers, Log: s.log})
		})}
	cmd.Flags().StringArrayVar(&watch, "watch", nil, "watch this folder and keep it indexed; may be repeated")
	return cmd
}
