// Package benchset reads the sets of questions that the ranker is measured on, for the tools that fit and report.
//
// A set is a file of questions (package eval's, with "repo", "language" and "category" beside), a table of repositories
// (columns set, name, language, repository, revision, root), a folder or more with a tree for each, by name, and, where
// history counts, a folder of git directories, OWNER+NAME each: what was committed up to a tree's revision is its
// history.
package benchset

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/eval"
	"github.com/contextd/contextd/internal/githist"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/search"
)

// Question is a line of a set.
type Question struct {
	eval.Question
	Repo     string `json:"repo"`
	Language string `json:"language"`
	Category string `json:"category"`
}

// Repository is a row of the table.
type Repository struct{ Owner, Revision, Root string }

// Set says where a set lies.
type Set struct {
	Queries   string   // file of questions
	Table     string   // table of repositories
	Name      string   // which rows of the table
	Trees     []string // folders of the trees
	Snapshots string   // folder of the git directories; "": no history
	Whole     bool     // whole repositories, not the roots of the table
}

// Read reads the questions and the repositories that they are about.
func (s Set) Read() ([]Question, map[string]Repository, error) {
	table, err := os.ReadFile(s.Table)
	if err != nil {
		return nil, nil, err
	}
	repos := map[string]Repository{}
	for line := range strings.Lines(string(table)) {
		if f := strings.Split(strings.TrimRight(line, "\r\n"), "\t"); len(f) >= 6 && f[0] == s.Name {
			repos[f[1]] = Repository{f[3], f[4], f[5]}
		}
	}
	f, err := os.Open(s.Queries)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	var out []Question
	for dec := json.NewDecoder(f); ; {
		var q Question
		switch err := dec.Decode(&q); {
		case errors.Is(err, io.EOF):
			return out, repos, nil
		case err != nil:
			return nil, nil, fmt.Errorf("read %q: %w", s.Queries, err)
		}
		out = append(out, q)
	}
}

// Project is the id of a repository's index.
func (s Set) Project(repo string) string {
	if s.Whole {
		return repo + "-whole"
	}
	return repo
}

// Root is the real path of the folder of a repository that is searched.
func (s Set) Root(repo string, r Repository) (string, error) {
	for _, dir := range s.Trees {
		root := filepath.Join(dir, repo)
		if _, err := os.Stat(root); err != nil {
			continue
		}
		if !s.Whole {
			root = filepath.Join(root, filepath.FromSlash(r.Root))
		}
		return filepath.EvalSymlinks(root)
	}
	return "", fmt.Errorf("no tree of %q in %q", repo, s.Trees)
}

// Index makes the index of a repository, with its history, if there is none.
func (s Set) Index(ctx context.Context, index search.Index, e embed.Embedder, repo string, r Repository) error {
	id := s.Project(repo)
	if snap, err := index.Open(ctx, id); err == nil {
		if err := snap.Close(); err != nil {
			return err
		}
	} else {
		root, err := s.Root(repo, r)
		if err != nil {
			return err
		}
		if _, err := ingest.New(index, ingest.Options{Embedder: e}).Refresh(ctx,
			ingest.Request{Project: id, Root: root}); err != nil {
			return err
		}
	}
	blob, err := s.History(ctx, r)
	if err != nil {
		return err
	}
	return index.Attach(ctx, id, githist.Kind, blob)
}

// History is what was committed up to the revision of a repository in the folder that is searched; nil without
// snapshots.
func (s Set) History(ctx context.Context, r Repository) ([]byte, error) {
	if s.Snapshots == "" {
		return nil, nil
	}
	dir := filepath.Join(s.Snapshots, strings.ReplaceAll(r.Owner, "/", "+"))
	for _, sub := range []string{"repo/.git", "repo", ".git"} {
		if _, err := os.Stat(filepath.Join(dir, sub, "objects")); err == nil {
			dir = filepath.Join(dir, sub)
			break
		}
	}
	repo := sandbox.Repository{Objects: filepath.Join(dir, "objects"), Head: r.Revision}
	if !s.Whole {
		repo.Prefix = r.Root
	}
	return githist.UpdateTo(ctx, repo, nil, githist.Options{})
}
