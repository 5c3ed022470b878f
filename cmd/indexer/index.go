package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/eviction"
	"github.com/contextd/contextd/internal/githist"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/servers"
)

// lockWait is how long a one-shot command waits for another writer.
const lockWait = 60 * time.Second

// indexed is what "index --json" prints.
type indexed struct {
	Project    string              `json:"project"`
	Root       string              `json:"root"`
	Generation int64               `json:"generation"`
	Files      int                 `json:"files"`
	Chunks     int                 `json:"chunks"`
	Added      int                 `json:"added"`
	Changed    int                 `json:"changed"`
	Removed    int                 `json:"removed"`
	Skipped    map[code.Reason]int `json:"skipped"`
	TookMS     float64             `json:"took_ms"`
}

func indexCommand() *cobra.Command {
	var project string
	var full, asJSON bool
	cmd := &cobra.Command{Use: "index DIR", Short: "bring the index of one folder up to date now",
		Args: cli.Args("DIR", 1, 1),
		RunE: withStore(func(cmd *cobra.Command, args []string, s *setup) error {
			ctx := cmd.Context()
			root, err := s.root(args[0])
			if err != nil {
				return err
			}
			id, err := projectOf(cmd, project, root)
			if err != nil {
				return err
			}
			in, err := cli.Ingester(s.cfg, s.back.Index, s.log)
			if err != nil {
				return err
			}
			mark, err := s.back.Mark(ctx) // what waits now is done by this walk; what comes during it is not
			if err != nil {
				return err
			}
			projects, err := s.back.Index.Projects(ctx)
			if err = servers.ForOwner(err, id); err != nil {
				return err
			}
			id = search.IndexOf(projects, id, root)
			bar := cli.NewBar(cmd.ErrOrStderr(), "indexing")
			rep, err := in.WithVectors(s.back.Vectors()).WithAllowedRoots(s.allowed()).Refresh(ctx,
				ingest.Request{Project: id, Root: root, Full: full, Wait: lockWait, Progress: bar.Set})
			bar.Clear()
			if err != nil {
				s.back.NoteFailure(ctx, id, err)
				return err
			}
			id = rep.Project.ID // another root may have been faster
			if err := s.back.Settle(ctx, id, rep.Project.Root, mark); err != nil {
				return err
			}
			if err := s.back.Evict(ctx, id, eviction.Operator); err != nil {
				s.log.Warn("state not kept within its limit", obs.KeyError, err)
			}
			p := rep.Project
			doc := indexed{Project: p.ProjectID(), Root: p.Root, Generation: p.Generation, Files: p.Files,
				Chunks: p.Chunks, Added: rep.Added, Changed: rep.Changed, Removed: rep.Removed, Skipped: rep.Skipped,
				TookMS: float64(rep.Took.Microseconds()) / 1000}
			err = cli.Answer(cmd, asJSON, doc, true, indexedTable(doc, rep.Took).Print)
			if herr := githist.Keep(ctx, s.back.Index, id, p.Root, githist.Options{Allowed: s.allowed()}); herr != nil {
				s.log.Info("git history not read", obs.KeyProject, id, obs.KeyError, herr)
			}
			return err
		})}
	projectFlag(cmd, &project, "id of the project (default: from the folder's name and path)")
	cmd.Flags().BoolVar(&full, "full", false, "rebuild the index; the present one serves until then")
	jsonFlag(cmd, &asJSON)
	return cmd
}

func indexedTable(doc indexed, took time.Duration) *cli.Table {
	t := cli.NewTable(nil)
	t.Row("project", doc.Project)
	t.Row("root", doc.Root)
	t.Row("files", fmt.Sprintf("%d (%d added, %d changed, %d removed)", doc.Files, doc.Added, doc.Changed, doc.Removed))
	t.Row("chunks", doc.Chunks)
	t.Row("generation", doc.Generation)
	if skipped := reasons(doc.Skipped); skipped != "" {
		t.Row("skipped", skipped)
	}
	t.Row("took", took.Round(time.Millisecond))
	return t
}

// reasons is "12 ignored, 3 binary", the most frequent first.
func reasons(skipped map[code.Reason]int) string {
	names := slices.SortedFunc(maps.Keys(skipped), func(a, b code.Reason) int {
		return cmp.Or(skipped[b]-skipped[a], cmp.Compare(a, b))
	})
	var parts []string
	for _, r := range names {
		parts = append(parts, fmt.Sprintf("%d %s", skipped[r], r))
	}
	return strings.Join(parts, ", ")
}
