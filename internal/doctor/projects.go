package doctor

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/servers"
)

// whole is err unless it is of some of several servers: a check of their own tells of them, and what the others hold is
// checked.
func whole(err error) error {
	if servers.Partial(err) {
		return nil
	}
	return err
}

func queueBacklog(ctx context.Context, o Options) Check {
	s, err := o.Backend.Stats(ctx)
	if err = whole(err); err != nil {
		return fail("queue", err.Error(), seeLog)
	}
	limits := o.Backend.Limits()
	found := fmt.Sprintf("%d projects wait with %d changes", s.Depth, s.Paths)
	switch {
	case s.Depth > limits.BacklogProjects || s.Paths > limits.BacklogPaths:
		return fail("queue", "backed up: "+found, "give the daemon more --workers, or time")
	case s.Oldest > limits.StaleAfter:
		hint := "see the daemon's log"
		if list, err := o.Backend.Daemons(ctx); err == nil && len(list) == 0 {
			hint = `start "indexer run", or bring the project up to date with "indexer index DIR"`
		}
		return fail("queue", fmt.Sprintf("%s, the oldest for %s", found, s.Oldest.Round(time.Second)), hint)
	}
	return pass("queue", "%s", found)
}

func deadLetters(ctx context.Context, o Options) Check {
	const name = "dead requests"
	list, err := o.Backend.Dead(ctx)
	if err = whole(err); err != nil {
		return fail(name, err.Error(), seeLog)
	}
	if len(list) > 0 {
		last := list[len(list)-1]
		return fail(name, fmt.Sprintf("%d, the last of project %q: %s", len(list), last.Project, last.Reason),
			`"indexer queue list" tells of all; then retry or drop them`)
	}
	return pass(name, "none")
}

func staleProjects(ctx context.Context, o Options) Check {
	all, err := o.Backend.Projects(ctx, "")
	if err = whole(err); err != nil {
		return fail("projects", err.Error(), seeLog)
	}
	var stale []string
	for _, p := range all {
		switch {
		case p.Failed != "":
			stale = append(stale, fmt.Sprintf("%s (%s)", p.DisplayName(), p.Failed))
		case p.Stale:
			stale = append(stale, fmt.Sprintf("%s (waits for %s)", p.DisplayName(), p.Oldest.Round(time.Second)))
		}
	}
	if len(stale) > 0 {
		return fail("projects", "stale: "+shorten(stale),
			`"indexer index DIR" brings one up to date and tells what is wrong`)
	}
	return pass("projects", "%d, none stale", len(all))
}

// retrievalOff checks for projects whose code is left out of contexts.
func retrievalOff(ctx context.Context, o Options) Check {
	const name = "retrieval"
	all, err := o.Backend.Projects(ctx, "")
	if err = whole(err); err != nil {
		return fail(name, err.Error(), seeLog)
	}
	var off []string
	for _, p := range all {
		if !p.Off.IsZero() {
			off = append(off, fmt.Sprintf("%s (until %s)", p.ID, p.Off.UTC().Format(time.RFC3339)))
		}
	}
	if len(off) > 0 {
		return fail(name, "slow, code is left out of contexts: "+shorten(off),
			"it is tried again then; give contexts a shorter deadline_ms, or see --slow-retrieval")
	}
	return pass(name, "not turned off for any project")
}

func roots(ctx context.Context, o Options) Check {
	all, err := o.Backend.Index.Projects(ctx)
	if err = whole(err); err != nil {
		return fail("roots", err.Error(), seeLog)
	}
	var missing []string
	for _, p := range all {
		if info, err := os.Stat(p.Root); err != nil || !info.IsDir() {
			missing = append(missing, fmt.Sprintf("%s (%s)", p.Root, p.ProjectID()))
		}
	}
	if len(missing) > 0 {
		return fail("roots", "not there: "+shorten(missing),
			`bring them back, or forget the project with "indexer reset --project ID"`)
	}
	return pass("roots", "all there")
}

// models compares what the indexes were made with to the embedder that is set; nothing if that one does not answer.
func models(ctx context.Context, o Options, set search.Model, known bool) []Check {
	const name = "models"
	if !known {
		return nil
	}
	all, err := o.Backend.Index.Projects(ctx)
	if err = whole(err); err != nil {
		return []Check{fail(name, err.Error(), seeLog)}
	}
	var others, building []string
	for _, p := range all {
		switch {
		case p.Generation == 0:
		case p.Next.Model.Embedder == set.Embedder && p.Next.Model.Dims == set.Dims:
			building = append(building, fmt.Sprintf("%s (%d of %d files)", p.DisplayName(), p.Next.Files, p.Files))
		case p.Model.Embedder != set.Embedder:
			others = append(others, fmt.Sprintf("%s (%s)", p.DisplayName(), p.Model.Embedder))
		case p.Model.Dims != set.Dims:
			others = append(others, fmt.Sprintf("%s (%d dimensions)", p.DisplayName(), p.Model.Dims))
		}
	}
	if len(others) > 0 {
		return []Check{fail(name, fmt.Sprintf("not made with %s of %d dimensions: %s", set.Embedder, set.Dims,
			shorten(others)),
			`their next refresh rebuilds them: "indexer index DIR" does it now; or set the embedder that they were made with`)}
	}
	if len(building) > 0 {
		// no fault: what serves meanwhile is kept fresh, and the daemon, or the next "indexer index", goes on
		return []Check{pass(name, "being rebuilt with the embedder that is set: %s", shorten(building))}
	}
	return []Check{pass(name, "all made with the embedder that is set")}
}

// shorten shortens a list to what fits on a line.
func shorten(list []string) string {
	const most = 5
	if len(list) > most {
		return strings.Join(list[:most], ", ") + fmt.Sprintf(" and %d more", len(list)-most)
	}
	return strings.Join(list, ", ")
}
