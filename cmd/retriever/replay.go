package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/config"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/eval"
	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/githist"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/search/local"
)

// replayed is a commit that is asked for, and the commit before it.
type replayed struct {
	eval.Question
	parent string
}

// pickCommits takes up to n commits to replay, oldest first. The files that a commit changed and that were there before
// it are right.
func pickCommits(log *githist.Log, n int) []replayed {
	var out []replayed
	for i, c := range log.Commits {
		if len(out) == n || i+1 == len(log.Commits) {
			break
		}
		subject, _, _ := strings.Cut(c.Text, "\n")
		words := strings.Fields(strings.ToLower(subject))
		if len(c.Parents) != 1 || len(words) < replayWords ||
			slices.Contains(strings.Fields(replayNoise), strings.Trim(words[0], ":[]()")) {
			continue
		}
		q := replayed{Question: eval.Question{ID: c.Hash[:min(12, len(c.Hash))], Query: subject}, parent: c.Parents[0]}
		for _, ch := range c.Changes {
			switch {
			case ch.Status == 'M' || ch.Status == 'D':
				q.Relevant = append(q.Relevant, eval.Place{Path: ch.Path})
			case ch.Status == 'R' && ch.Old != "":
				q.Relevant = append(q.Relevant, eval.Place{Path: ch.Old})
			}
		}
		if len(q.Relevant) > 0 && len(c.Changes) <= replayFiles {
			out = append(out, q)
		}
	}
	slices.Reverse(out)
	return out
}

// replay is a project of its own, in a temporary state, that is moved from commit to commit.
type replay struct {
	repo  sandbox.Repository
	root  *os.Root
	index search.Index
	in    *ingest.Ingester
	rt    *retrieve.Retriever
	at    string // the commit that is checked out
	past  []byte
	left  map[code.Reason]int // changed files that are not in the index, by reason
}

// replayCommits asks for each commit on the tree before it, with the history up to there: nothing that came later is
// known.
func replayCommits(
	ctx context.Context, cfg config.Config, log *slog.Logger, dir string, n int, progress func(done, total int),
) (*evaluation, error) {
	repo, err := sandbox.FindRepository(dir)
	if err != nil {
		return nil, fmt.Errorf("replay commits of %q: %w", dir, err)
	}
	history, err := githist.Read(ctx, repo, "", githist.Options{Commits: min(n*replayLook, githist.MaxNotes)})
	if err != nil {
		return nil, fmt.Errorf("replay commits of %q: %w", dir, err)
	}
	commits := pickCommits(history, n)
	if len(commits) == 0 {
		return nil, fmt.Errorf(
			"replay commits of %q: no commit of %d words or more changed 1 to %d files that were there before", dir,
			replayWords, replayFiles)
	}
	temp, err := os.MkdirTemp("", "contextd-replay-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	if temp, err = filepath.EvalSymlinks(temp); err != nil {
		return nil, err
	}
	r, e, err := newReplay(cfg, log, repo, temp)
	if err != nil {
		return nil, err
	}
	defer r.index.Close()
	defer r.root.Close()
	out := &evaluation{Project: "replay", Root: dir, Missed: []missed{}}
	for i, c := range commits {
		progress(i, len(commits))
		reply, err := r.ask(ctx, c)
		if err != nil {
			return nil, fmt.Errorf("replay %s: %w", c.ID, err)
		}
		out.take(c.Question, reply)
	}
	out.Summary = eval.Summarize(out.all)
	out.Suggestions = r.suggestions(out, e)
	return out, nil
}

func newReplay(
	cfg config.Config, log *slog.Logger, repo sandbox.Repository, temp string,
) (*replay, embed.Embedder, error) {
	embedders, err := cli.Embedders(cfg, log, true)
	if err != nil {
		return nil, nil, err
	}
	tree := filepath.Join(temp, "tree")
	if err := os.Mkdir(tree, 0o700); err != nil {
		return nil, nil, err
	}
	index, err := local.Open(local.Options{Dir: filepath.Join(temp, "state"), Log: log})
	if err != nil {
		return nil, nil, err
	}
	in, err := cli.IngesterWith(cfg, embedders, index, log)
	if err != nil {
		return nil, nil, err
	}
	root, err := os.OpenRoot(tree)
	if err != nil {
		return nil, nil, err
	}
	r := &replay{repo: repo, root: root, index: index, in: in, left: map[code.Reason]int{}}
	r.rt = retrieve.New(retrieve.Options{Index: index, Embedded: true, Sandbox: cli.Sandbox(cfg), Log: log,
		Embedders: embedders})
	return r, embedders.Chosen(), nil
}

const replayProject = "replay"

// ask moves to the commit before c and asks for c.
func (r *replay) ask(ctx context.Context, c replayed) (*retrieve.Reply, error) {
	paths, err := githist.Checkout(ctx, r.repo, r.root, r.at, c.parent)
	if err != nil {
		return nil, err
	}
	if r.at == "" {
		paths = nil // the whole tree
	}
	r.at = c.parent
	if r.past == nil || len(paths) > 0 {
		if _, err := r.in.Refresh(ctx,
			ingest.Request{Project: replayProject, Root: r.root.Name(), Paths: paths}); err != nil {
			return nil, err
		}
	}
	repo := r.repo
	repo.Head = c.parent
	if r.past, err = githist.UpdateTo(ctx, repo, r.past, githist.Options{}); err != nil {
		return nil, err
	}
	if err := r.index.Attach(ctx, replayProject, githist.Kind, r.past); err != nil {
		return nil, err
	}
	if err := r.missing(ctx, c); err != nil {
		return nil, err
	}
	return r.rt.Query(ctx, retrieve.Request{Text: c.Query,
		Target: access.Target{Project: replayProject, Root: r.root.Name()}, Deadline: evalDeadline,
		Gates: gates.Options{MinRelevance: gates.NoThreshold, MaxResults: eval.Depth, MaxBytes: 1 << 20}}), nil
}

// runReplay is the command.
func runReplay(
	ctx context.Context, cfg config.Config, log *slog.Logger, w access.Where, n int, progress func(done, total int),
) (*evaluation, error) {
	t, err := access.Resolve(nil, w)
	if err != nil {
		return nil, err
	}
	if len(cfg.AllowRoots) > 0 {
		if _, err := sandbox.Confine(t.Root, cfg.AllowRoots); err != nil {
			return nil, err
		}
	}
	began := time.Now()
	e, err := replayCommits(ctx, cfg, log, t.Root, n, progress)
	if errors.Is(err, githist.ErrNone) {
		return nil, fmt.Errorf("replay commits of %q: want a git repository with commits, and git: %w", t.Root, err)
	}
	log.Debug("replayed", "took", time.Since(began))
	return e, err
}
