package main

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/lang"
	"github.com/contextd/contextd/internal/retrieve"
)

// queryFlags are the flags of query, as given.
type queryFlags struct {
	roots        []string
	project      string
	k            int
	maxChars     int
	maxBytes     int
	maxTokens    int
	paths, langs []string
	content      string
	minRelevance float64
	stale        string
	deadline     time.Duration
	noIndex      bool
	explain      bool
	json         bool
	git          string          // a revision; "" for the working tree
	generation   int64           // the least one of the index; 0: any
	like         *retrieve.Place // of related
}

// generationHelp is the help of --min-generation.
const generationHelp = "least generation of the root's index, as indexer index --json tells it: waited for within the deadline; 0: any"

// flags are those of query and related.
func (f *queryFlags) flags(fl *pflag.FlagSet) {
	fl.StringArrayVar(&f.roots, "root", nil,
		"the project's folder; none: the nearest parent that is a project or a repository; may be repeated: each is asked")
	fl.StringVar(&f.project, "project", "", "the project's id; none: the one last indexed with this root")
	fl.IntVar(&f.k, "k", 3, "greatest number of results")
	fl.IntVar(&f.maxChars, "max-chars", 200,
		"greatest length of a snippet in characters; at a terminal 1200, in 12 lines at most")
	fl.IntVar(&f.maxBytes, "max-bytes", 2048, "greatest length of all snippets together in bytes; at a terminal 6144")
	fl.IntVar(&f.maxTokens, "max-tokens", 0,
		"greatest length of the answer's text in tokens (o200k_base): what does not fit becomes a pointer, a line without text; 0: no limit")
	fl.StringArrayVar(&f.paths, "path", nil,
		"only this file, files below this folder, or files whose path matches this glob (** crosses folders); may be repeated")
	fl.StringArrayVar(&f.langs, "lang", nil, "only files in this language, such as go, py or c++; may be repeated")
	fl.StringVar(&f.content, "content", string(lang.AllContent),
		"only files of this kind: code, docs (texts for people), config (settings and data), all")
	fl.Float64Var(&f.minRelevance, "min-relevance", .3,
		"least relevance of a result, 0 to 1; if given, no guesses are shown below it")
	fl.StringVar(&f.stale, "stale", "verify",
		"verify: check each snippet against the disk; skip: show nothing where anything is stale")
	fl.DurationVar(&f.deadline, "deadline", 200*time.Millisecond, "how long the answer may take")
	fl.BoolVar(&f.noIndex, "no-index", false, "never index, only read")
	fl.BoolVar(&f.explain, "explain", false, "add each result's score and each rejected candidate's reason")
	fl.BoolVar(&f.json, "json", false, "print one JSON document")
}

// request is the question with its limits, checked.
func (f *queryFlags) request(text string) (retrieve.Request, error) {
	err := cmp.Or(atLeast("k", f.k, 1), atLeast("max-chars", f.maxChars, 1), atLeast("max-bytes", f.maxBytes, 1),
		atLeast("max-tokens", f.maxTokens, 0), atLeast("min-generation", f.generation, 0),
		checkDeadline(f.deadline), checkProject(f.project))
	switch {
	case err != nil:
	case len(f.roots) > 1 && (f.project != "" || f.like != nil):
		err = errors.New("flag --root: want one, as a project and a line have")
	case len(f.roots) > maxRoots:
		err = fmt.Errorf("flag --root: want at most %d (got %d)", maxRoots, len(f.roots))
	case !(f.minRelevance >= 0 && f.minRelevance <= 1):
		err = fmt.Errorf("flag --min-relevance: want a number from 0 to 1 (got %v)", f.minRelevance)
	case f.generation > 0 && len(f.roots) > 1:
		err = errors.New("flag --min-generation: want one --root, as each root counts its own generations")
	case f.stale != string(gates.Verify) && f.stale != string(gates.Skip):
		err = fmt.Errorf("flag --stale: want verify or skip (got %q)", f.stale)
	}
	if err != nil {
		return retrieve.Request{}, err
	}
	req := retrieve.Request{Text: text, Globs: f.paths, Content: lang.Content(f.content), Deadline: f.deadline,
		Explain: f.explain, Like: f.like, MinGeneration: f.generation, Gates: gates.Options{
			MinRelevance: gates.Threshold(f.minRelevance), MaxResults: f.k, MaxChars: f.maxChars, MaxBytes: f.maxBytes,
			Stale: gates.Mode(f.stale)}}
	if req.Langs, err = retrieve.Languages(f.langs); err != nil {
		return req, err
	}
	return req, req.Validate()
}

// atLeast is an error of a flag whose number is less than least.
func atLeast[N int | int64](flag string, n, least N) error {
	if n < least {
		return fmt.Errorf("flag --%s: want a whole number from %d (got %d)", flag, least, n)
	}
	return nil
}

func checkDeadline(d time.Duration) error {
	if d <= 0 {
		return fmt.Errorf("flag --deadline: want a duration above 0 (got %s)", d)
	}
	return nil
}
