// Command pairs takes from source trees what an embedding table learns from: pairs of what people write and the code
// that it is about.
//
//	go run ./tools/train/pairs -out pairs.jsonl TREE …
//
// Two kinds, both in the words that the program itself makes of a text (static.Words):
//
//	doc     a doc comment or documentation string → the definition that it stands above or in, without it
//	commit  the subject of a commit → a file that it changed, as it is today; only where TREE has a .git
//
// Files are those that the program would index: ignored, generated, vendored and secret ones are left out. The same
// trees give the same bytes: trees in the order given, documentation by path and line, then commits from the newest on.
// A query of a repository is taken once for a path, and a pair of the same words once in all.
//
// A line is an object: "repo" (the tree's folder), "kind", "path", "query" (words), "path_words" (words) and "document"
// (words with their counts).
package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/contextd/contextd/internal/embed/static"
)

// pair is a line of the output.
type pair struct {
	Repo      string         `json:"repo"`
	Kind      string         `json:"kind"`
	Path      string         `json:"path"`
	Query     []string       `json:"query"`
	PathWords []string       `json:"path_words"`
	Document  map[string]int `json:"document"`
}

// Bounds of a pair.
const (
	minQuery, maxQuery = 3, 60 // words
	minDocument        = 8     // distinct words
)

type extractor struct {
	docs, commits int // at most, of a repository
	seen          map[[32]byte]bool
	emit          func(pair) error
	counts        map[string]int // of a repository, by kind
}

func main() {
	out := flag.String("out", "", "file to write")
	x := extractor{seen: map[[32]byte]bool{}}
	flag.IntVar(&x.docs, "docs", 12000, "pairs of documentation of a repository, at most")
	flag.IntVar(&x.commits, "commits", 3000, "pairs of commits of a repository, at most")
	flag.Parse()
	if err := run(context.Background(), &x, *out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, x *extractor, out string, trees []string) error {
	if out == "" || len(trees) == 0 {
		return errors.New("want -out FILE and one tree or more")
	}
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	enc := json.NewEncoder(w)
	x.emit = func(p pair) error { return enc.Encode(p) }
	names := map[string]bool{}
	for _, dir := range trees {
		full, err := filepath.Abs(dir)
		if err != nil {
			return err
		}
		repo := filepath.Base(full)
		if names[repo] {
			return fmt.Errorf("read %q: want folders of different names, for they name the repositories", dir)
		}
		names[repo] = true
		x.counts = map[string]int{}
		if err := x.tree(ctx, repo, dir); err != nil {
			return fmt.Errorf("read %q: %w", dir, err)
		}
		fmt.Fprintf(os.Stderr, "%s: %d doc, %d commit\n", repo, x.counts["doc"], x.counts["commit"])
	}
	return errors.Join(w.Flush(), f.Close())
}

// add writes a pair unless it is too short, too long or known.
func (x *extractor) add(repo, kind, path, query, document string) error {
	p := pair{Repo: repo, Kind: kind, Path: path, Query: static.Words(query), PathWords: static.PathWords(path),
		Document: map[string]int{}}
	for _, w := range static.Words(document) {
		p.Document[w]++
	}
	if len(p.Query) < minQuery || len(p.Query) > maxQuery || len(p.Document) < minDocument {
		return nil
	}
	if p.PathWords == nil {
		p.PathWords = []string{}
	}
	for _, key := range []any{[]any{repo, path, p.Query}, []any{p.Query, p.Document}} {
		text, err := json.Marshal(key)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(text)
		if x.seen[sum] {
			return nil
		}
		x.seen[sum] = true
	}
	x.counts[kind]++
	return x.emit(p)
}
