package main

import (
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/app"
	"github.com/contextd/contextd/internal/breaker"
	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/config"
	"github.com/contextd/contextd/internal/history"
	"github.com/contextd/contextd/internal/retrieve"
)

// answerLimit bounds one Redis command of the server.
const answerLimit = 5 * time.Second

// openApp opens what the settings choose. deadline bounds one Redis command; strict is for a server; change may alter
// the options.
func openApp(
	cfg config.Config, log *slog.Logger, deadline time.Duration, strict bool, change ...func(*app.Options),
) (*app.App, error) {
	embedders, err := cli.Embedders(cfg, log, true)
	if err != nil {
		return nil, err
	}
	second, err := cli.Reranker(cfg, log)
	if err != nil {
		return nil, err
	}
	store, err := cli.Backend(cfg, log, deadline)
	if err != nil {
		return nil, err
	}
	in, err := cli.IngesterWith(cfg, embedders, store.Index, log)
	if err != nil {
		return nil, err
	}
	var policy history.Policy
	if cfg.ContextPolicy != "" {
		if policy, err = history.ParsePolicy(cfg.ContextPolicy); err != nil {
			return nil, err
		}
	}
	var learn history.Policy
	if cfg.Learn != "" {
		if learn, err = history.ParsePolicy(cfg.Learn); err != nil {
			return nil, err
		}
	}
	o := app.Options{Policy: policy, Learn: learn, Breaker: breaker.Default(cfg.SlowRetrieval), Backend: store,
		StateDir: cfg.StateDir, Embedders: embedders, Ingester: in.WithVectors(store.Vectors()),
		Sandbox: cli.Sandbox(cfg), AllowRoots: cfg.AllowRoots, Strict: strict,
		Caps: retrieve.Caps{Files: cfg.MaxFiles, Bytes: cfg.MaxProjectBytes}, Log: log}
	if second != nil {
		o.Reranker = second
	}
	for _, f := range change {
		f(&o)
	}
	return app.New(o), nil
}

// withApp opens an app by the settings of cmd, works with it and closes it.
func withApp(
	cmd *cobra.Command, deadline time.Duration, work func(s *app.App, cfg config.Config, log *slog.Logger) error,
) error {
	cfg, log, err := cli.Load(cmd)
	if err != nil {
		return err
	}
	s, err := openApp(cfg, log, deadline, false)
	if err != nil {
		return err
	}
	defer closeApp(s, log)
	return work(s, cfg, log)
}

// closeApp closes an app; what cannot be closed does no harm to an answer.
func closeApp(s *app.App, log *slog.Logger) {
	if err := s.Close(); err != nil {
		log.Debug("store not closed", "error", err)
	}
}
