package main

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/githist"
	"github.com/contextd/contextd/internal/lang"
	"github.com/contextd/contextd/internal/sandbox"
)

const (
	maxChanged = 8     // files; a commit that changed more says little of each
	maxFiles   = 2     // of a commit that give a pair
	maxFile    = 20000 // bytes of a file that are the document of a commit
	readGit    = 5 * time.Minute
)

// tree writes the pairs of one tree.
func (x *extractor) tree(ctx context.Context, repo, dir string) error {
	root, err := sandbox.Open(dir, sandbox.Options{})
	if err != nil {
		return err
	}
	defer root.Close()
	tree, err := root.Walk(ctx)
	if err != nil {
		return err
	}
	texts := map[code.Path]string{}
	for _, f := range tree.Files {
		data, _, err := root.Read(f.Path)
		if err != nil {
			continue // gone or closed to us: the walk was before
		}
		text, left := f.Content(data)
		if left.Reason != "" || lang.Of(f.Path, text) == lang.Text {
			continue
		}
		texts[f.Path] = text
		err = split(f.Path, text).docs(func(query, document string) error {
			if x.counts["doc"] >= x.docs {
				return nil
			}
			return x.add(repo, "doc", f.Path, query, document)
		})
		if err != nil {
			return err
		}
	}
	return x.history(ctx, repo, root.Path(), texts)
}

// history writes the pairs of the commits of the repository whose top is dir; none for a tree without history.
func (x *extractor) history(ctx context.Context, repo, dir string, texts map[code.Path]string) error {
	r, err := sandbox.FindRepository(dir)
	if errors.Is(err, sandbox.ErrNoRepository) || err == nil && r.Prefix != "" {
		return nil
	}
	if err != nil {
		return err
	}
	log, err := githist.Read(ctx, r, "", githist.Options{Timeout: readGit})
	if errors.Is(err, githist.ErrNone) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, c := range log.Commits {
		subject, _, _ := strings.Cut(c.Text, "\n")
		subject = number.ReplaceAllString(prefix.ReplaceAllString(subject, ""), "")
		if len(c.Parents) > 1 || len(c.Files) > maxChanged || routine.MatchString(subject) {
			continue
		}
		n := 0
		for _, path := range ordered(c.Files) {
			if now, moved := log.Renamed[path]; moved {
				path = now
			}
			text, ok := texts[path]
			if !ok || n == maxFiles || x.counts["commit"] >= x.commits {
				continue
			}
			n++
			if err := x.add(repo, "commit", path, subject,
				strings.ToValidUTF8(text[:min(len(text), maxFile)], "")); err != nil {
				return err
			}
		}
	}
	return nil
}

// ordered is the files of a commit by path, tests and documents after the rest.
func ordered(files []code.Path) []code.Path {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b code.Path) int {
		if x, y := aside.MatchString(a), aside.MatchString(b); x != y {
			if x {
				return 1
			}
			return -1
		}
		return strings.Compare(a, b)
	})
	return files
}

var (
	prefix  = regexp.MustCompile(`^(\[[^\]]*\]|[a-z]+(\([^)]*\))?!?:)\s*`)
	number  = regexp.MustCompile(`\s*\(?#\d+\)?`)
	routine = regexp.MustCompile(`(?i)^(bump|releases?|merge|revert|typos?|fix typos?|format|lint|update (dependenc|changelog|version|readme)|prepare|v?\d)|changelog|\bpep-?8\b`)
	aside   = regexp.MustCompile(
		`(?i)(^|[/_.-])(tests?|spec|docs?|examples?|changes|history|readme)([/_.-]|$)|(_test|Test|Spec)\.\w+$`)
)
