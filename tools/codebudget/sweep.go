package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/embed/registry"
	"github.com/contextd/contextd/internal/embed/static"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/profile"
	"github.com/contextd/contextd/internal/prompt"
	"github.com/contextd/contextd/internal/receipt"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/search/local"
	"github.com/contextd/contextd/internal/store"
)

// sweep compiles contexts, and remembers what the index answered: budgets that differ in their bytes alone ask it the
// same.
type sweep struct {
	settings
	*prompt.Assembler
	retriever *retrieve.Retriever
	answers   map[string]*retrieve.Reply // of the present task
	shown     map[string][2]int          // hash of a text of the present task → its lines
	kept      []byte                     // the last receipt
}

// keeper is a store that only takes receipts.
type keeper struct {
	store.Store
	to *sweep
}

func (k keeper) Append(_ context.Context, _ string, _ int, data ...[]byte) (string, error) {
	k.to.kept = data[len(data)-1]
	return "", nil
}

func run(ctx context.Context, s settings, files []string, out io.Writer) error {
	tasks, err := readTasks(s, files)
	if err != nil {
		return err
	}
	if len(tasks) == 0 {
		return fmt.Errorf("read tasks: none of the categories %q is about a tree", s.categories)
	}
	index, err := local.Open(local.Options{Dir: filepath.Join(s.state, "projects")})
	if err != nil {
		return err
	}
	defer index.Close()
	w, err := newSweep(ctx, s, index)
	if err != nil {
		return err
	}
	sums := map[string]*sum{}
	for i := range tasks {
		if err := w.play(ctx, &tasks[i], sums); err != nil {
			return fmt.Errorf("task %q: %w", tasks[i].Query, err)
		}
	}
	return w.print(out, tasks, sums)
}

// newSweep brings the indexes up to date.
func newSweep(ctx context.Context, s settings, index search.Index) (*sweep, error) {
	e, err := static.Default()
	if err != nil {
		return nil, err
	}
	in := ingest.New(index, ingest.Options{Embedder: e})
	for _, name := range slices.Sorted(maps.Keys(s.trees)) {
		if _, err := in.Refresh(ctx, ingest.Request{Project: name, Root: s.trees[name]}); err != nil {
			return nil, fmt.Errorf("index %q: %w", name, err)
		}
	}
	w := &sweep{settings: s,
		retriever: retrieve.New(retrieve.Options{Index: index, Embedders: registry.New(e), Embedded: true})}
	w.Assembler = &prompt.Assembler{Store: keeper{to: w}, Find: w, Code: w}
	w.Profiles, err = s.set()
	return w, err
}

// set is the built-in profiles and, for each of the measured ones and each budget, one that has it.
func (s *settings) set() (*profile.Set, error) {
	var b strings.Builder
	b.WriteString("profiles:\n")
	for _, p := range s.profiles {
		s.each(func(c profile.Caps) {
			fmt.Fprintf(&b, "  %s: {inherits: %s, code: {results: %d, chars: %d, bytes: %d}}\n", key(p, c), p,
				c.Results, c.Chars, c.Bytes)
		})
	}
	return profile.Load([]profile.File{{Name: "budgets", Data: []byte(b.String())}})
}

// each calls yield with each budget.
func (s *settings) each(yield func(profile.Caps)) {
	for _, r := range s.results {
		for _, c := range s.chars {
			for _, b := range s.bytes {
				yield(profile.Caps{Results: r, Chars: c, Bytes: b})
			}
		}
	}
}

func key(p string, c profile.Caps) string {
	return fmt.Sprintf("%s-%d-%d-%d", p, c.Results, c.Chars, c.Bytes)
}

// Resolve finds the tree of a task.
func (w *sweep) Resolve(_ context.Context, at access.Where, _ time.Duration) (t access.Target, fault, err error) {
	return access.Target{Project: at.Project, Root: w.trees[at.Project]}, nil, nil
}

// Answer asks the index once for each question and notes which lines the texts of the answer show.
func (w *sweep) Answer(ctx context.Context, req retrieve.Request, _ error) (*retrieve.Reply, error) {
	id := fmt.Sprint(req.Gates.MaxResults, req.Gates.MaxChars, req.Gates.MinRelevance, req.Gates.Pointers)
	if r := w.answers[id]; r != nil {
		return r, nil
	}
	r := w.retriever.Query(ctx, req)
	for _, x := range slices.Concat(r.Results, r.Named) {
		w.shown[receipt.ShortHash(x.Snippet)] = [2]int{x.SnippetLine,
			x.SnippetLine + strings.Count(strings.TrimSuffix(x.Snippet, "\n"), "\n")}
	}
	w.answers[id] = r
	return r, nil
}

// play compiles a task's context under each budget and adds up what they hold.
func (w *sweep) play(ctx context.Context, t *task, sums map[string]*sum) (err error) {
	w.answers, w.shown = map[string]*retrieve.Reply{}, map[string][2]int{}
	for _, p := range w.profiles {
		w.each(func(c profile.Caps) {
			if err != nil {
				return
			}
			req := prompt.Request{Project: t.Repo, Profile: prompt.ProfileChoice{Name: key(p, c)}, Task: &prompt.Task{},
				BudgetTokens: w.budget, DeadlineMS: prompt.MaxDeadline}
			req.Task.Title = t.Query
			var reply *prompt.Reply
			if reply, err = w.Build(ctx, req); err != nil {
				return
			}
			var r receipt.Receipt
			if err = json.Unmarshal(w.kept, &r); err != nil {
				return
			}
			if sums[req.Profile.Name] == nil {
				sums[req.Profile.Name] = &sum{}
			}
			sums[req.Profile.Name].add(t, reply, &r, w.shown)
		})
	}
	return err
}
