package cli

import (
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/config"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/embed/openai"
	"github.com/contextd/contextd/internal/embed/registry"
	"github.com/contextd/contextd/internal/embed/static"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/rerank"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/search"
)

// Root is a binary's root command with a flag for every setting, valid after each of its commands.
func Root(name, short, long string, commands ...*cobra.Command) *cobra.Command {
	root := &cobra.Command{Use: name, Short: short, Long: long}
	config.AddFlags(root.PersistentFlags())
	root.AddCommand(append(commands, versionCommand(name))...)
	return root
}

// Load reads the settings of a command and makes its logger.
func Load(cmd *cobra.Command) (config.Config, *slog.Logger, error) {
	cfg, err := config.Load(cmd.Flags(), config.Source{})
	if err != nil {
		return cfg, nil, err
	}
	return cfg, Logger(cfg, cmd.ErrOrStderr()), nil
}

// Backend opens the store that the settings choose. deadline: the longest time for one Redis command of a query, 0
// where no query is waiting.
func Backend(cfg config.Config, log *slog.Logger, deadline time.Duration) (*backend.Backend, error) {
	if err := GuardState(cfg.StateDir); err != nil {
		return nil, err
	}
	if cfg.Redis == "" {
		if err := checkStatePlace(cfg.StateDir); err != nil {
			return nil, err
		}
	}
	return backend.Open(backend.Options{Redis: cfg.Redis, Prefix: cfg.Prefix, StateDir: cfg.StateDir,
		NamesOnly: cfg.NamesOnly, VectorIndex: cfg.VectorIndex, MaxStateBytes: cfg.MaxStateBytes,
		Limits: backend.Limits{StaleAfter: cfg.StaleAfter, BacklogProjects: cfg.BacklogProjects,
			BacklogPaths: cfg.BacklogPaths}, Deadline: deadline, Log: log})
}

// Sandbox is how source files are read.
func Sandbox(cfg config.Config) sandbox.Options {
	return sandbox.Options{MaxFileBytes: cfg.MaxFileBytes, MaxWalkBytes: cfg.MaxWalkBytes,
		Exclude: []string{cfg.StateDir}}
}

// firstAnswerTime is how long a server may take for its first answer while somebody waits for ours.
const firstAnswerTime = 3 * time.Second

// Embedders are those of a process: the one that the settings choose, and what other indexes name. hurry is as for
// [Embedder].
func Embedders(cfg config.Config, log *slog.Logger, hurry bool) (*registry.Registry, error) {
	e, err := Embedder(cfg, log, hurry)
	if err != nil {
		return nil, err
	}
	return registry.New(e), nil
}

// Embedder is the embedder that the settings choose. hurry: somebody waits for an answer, so a server is given up soon.
func Embedder(cfg config.Config, log *slog.Logger, hurry bool) (embed.Embedder, error) {
	switch cfg.Embedder {
	case "static":
		return static.Default()
	case "none":
		return embed.None{}, nil
	case "openai":
		o := openai.Options{URL: cfg.EmbedderURL, Model: cfg.EmbedderModel, Key: os.Getenv("OPENAI_API_KEY"), Log: log}
		if hurry {
			o.ProbeTimeout, o.Tries = firstAnswerTime, 1
		}
		return openai.New(o)
	}
	return nil, fmt.Errorf("embedder %q: want static, openai or none", cfg.Embedder)
}

// Reranker is the second stage that the settings choose; nil if they choose none.
func Reranker(cfg config.Config, log *slog.Logger) (*rerank.Client, error) {
	switch {
	case cfg.RerankURL == "" && cfg.RerankModel == "":
		return nil, nil
	case cfg.RerankURL == "" || cfg.RerankModel == "":
		log.Warn("answers are not reranked: that takes both --rerank-url and --rerank-model")
		return nil, nil
	}
	return rerank.New(rerank.Options{URL: cfg.RerankURL, Model: cfg.RerankModel, Key: os.Getenv("OPENAI_API_KEY")})
}

// Ingester is what brings projects of an index up to date with the embedder that the settings choose.
func Ingester(cfg config.Config, index search.Index, log *slog.Logger) (*ingest.Ingester, error) {
	embedders, err := Embedders(cfg, log, false)
	if err != nil {
		return nil, err
	}
	return IngesterWith(cfg, embedders, index, log)
}

// IngesterWith is what brings projects of an index up to date with the embedders of a registry.
func IngesterWith(
	cfg config.Config, embedders *registry.Registry, index search.Index, log *slog.Logger,
) (*ingest.Ingester, error) {
	o := ingest.Options{Embedder: embedders.Chosen(), EmbedderByName: embedders.Named, Sandbox: Sandbox(cfg),
		MaxFiles: cfg.MaxFiles, MaxProjectBytes: cfg.MaxProjectBytes, Log: log}
	if err := o.Validate(); err != nil {
		return nil, err
	}
	return ingest.New(index, o), nil
}
