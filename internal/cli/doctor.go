package cli

import (
	"context"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/config"
	"github.com/contextd/contextd/internal/doctor"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/search"
)

// Examine makes the checks that both commands named doctor have. A server of embeddings is asked.
func Examine(ctx context.Context, cfg config.Config, log *slog.Logger, back *backend.Backend) []doctor.Check {
	return doctor.Examine(ctx, doctor.Options{Backend: back, StateDir: cfg.StateDir, ConfigFile: cfg.File,
		NamesOnly: cfg.NamesOnly, Embedder: func() (search.Model, error) {
			e, err := Embedder(cfg, log, true)
			if err != nil {
				return search.Model{}, err
			}
			if r, ok := e.(embed.Remote); ok {
				err = r.Probe(ctx)
			}
			return search.Model{Embedder: e.Name(), Dims: e.Dims()}, err
		}})
}

// AnswerChecks prints checks; one that failed exits with 1.
func AnswerChecks(cmd *cobra.Command, asJSON bool, checks []doctor.Check) error {
	passed := true
	t := NewTable(nil)
	for _, c := range checks {
		mark := "ok"
		if !c.OK {
			mark, passed = "FAIL", false
		}
		t.Row(mark, c.Name, strings.TrimSuffix(c.Detail+"; "+c.Hint, "; "))
	}
	return Answer(cmd, asJSON, map[string]any{"checks": checks}, passed, t.Print)
}
