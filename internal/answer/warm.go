package answer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/embed/static"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/servers"
	"github.com/contextd/contextd/internal/tokens"
)

// Limits of warming.
const (
	warmProjects = 20 // the ones that were indexed last
	warmDeadline = 10 * time.Second
	warmQuestion = "where does the program start"
)

// Warm loads what a first question would wait for: the vocabulary of the default encoding, the embedding table, the
// connections of the store, and the index of the projects that were indexed last, up to 20. No project counts as
// queried by that, and none is indexed. The error says that the store does not list its projects; a project that cannot
// be asked is left cold.
func (a *Answerer) Warm(ctx context.Context) error {
	if counter, err := tokens.For(""); err == nil {
		counter.Load()
	}
	if _, err := static.Default(); err != nil { // most indexes are made with it
		a.log.Debug("embedding table not loaded", "error", err)
	}
	projects, err := a.access.Projects(ctx)
	if err != nil && !servers.Partial(err) {
		return fmt.Errorf("list projects: %w", err)
	}
	projects = slices.Clone(projects)
	slices.SortFunc(projects, func(x, y search.Project) int {
		return cmp.Or(y.IndexedAt.Compare(x.IndexedAt), cmp.Compare(x.ID, y.ID))
	})
	for _, p := range projects[:min(len(projects), warmProjects)] {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		t, fault, err := a.access.Resolve(ctx, access.Where{Project: p.ProjectID(), Root: p.Root, Real: true},
			warmDeadline)
		if err != nil || fault != nil || t.Foreign {
			a.log.Debug("project left cold", "project", p.ID, "error", errors.Join(err, fault))
			continue
		}
		a.retriever.Query(ctx, retrieve.Request{Text: warmQuestion, Target: t, Deadline: warmDeadline})
	}
	return nil
}
