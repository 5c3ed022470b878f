// Command quality measures the answers to the development sets on both backings, writes the tables of docs/QUALITY.md
// and a scorecard.
//
//	go run ./tools/quality -bench DIR -trees DIR[:DIR] [-snapshots DIR] [-state DIR] [-redis URL] [-sets questions,whole,commits,long,agent,own] [-redis-sets …] -write docs/QUALITY.md -scorecard FILE
//
// DIR of -bench holds questions.jsonl, commits.jsonl, commits-long.jsonl, agent.jsonl and repos.tsv; the set own is
// this repository's plain questions (testdata/plain.jsonl). The scorecard records what users see of terse queries, with
// the fingerprint of the ranking that showed it. Each repository is asked through package retrieve, as the program
// answers, and means are taken over repositories. Indexes stay in the state folder; those on Redis are removed. What
// stands in the document between the marks of this command is replaced, all else is kept.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/embed/static"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/search/local"
	"github.com/contextd/contextd/internal/search/redisearch"
	"github.com/contextd/contextd/tools/benchset"
)

func main() {
	bench := flag.String("bench", "../shared/bench", "folder of the sets")
	trees := flag.String("trees", "", "folders of the trees, joined by ':'")
	snapshots := flag.String("snapshots", "", "folder of the git directories; none: no history")
	state := flag.String("state", "", "folder for the embedded indexes; none: a temporary one")
	redis := flag.String("redis", "", "URL of a Redis with search; none: embedded only")
	sets := flag.String("sets", "questions,whole,commits,long,agent,own", "which sets to measure")
	redisSets := flag.String("redis-sets", "questions,whole,commits,long,agent,own", "which of them on Redis too")
	write := flag.String("write", "", "document whose tables to write")
	card := flag.String("scorecard", "", "file that records what users see of terse queries")
	flag.Parse()
	if err := run(context.Background(), *bench, *trees, *snapshots, *state, *redis, *sets, *redisSets, *write,
		*card); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// set is one of the development sets. scratch is an empty folder.
func set(name, bench, trees, snapshots, scratch string) (benchset.Set, error) {
	s := benchset.Set{Table: filepath.Join(bench, "repos.tsv"), Trees: filepath.SplitList(trees), Snapshots: snapshots}
	switch name {
	case "questions", "whole":
		s.Queries, s.Name, s.Whole = "questions.jsonl", "questions", name == "whole"
	case "commits":
		s.Queries, s.Name, s.Whole = "commits.jsonl", "commits", true
	case "long":
		s.Queries, s.Name, s.Whole = "commits-long.jsonl", "commits", true
	case "agent":
		s.Queries, s.Name, s.Whole, s.Snapshots = "agent.jsonl", "commits", true, ""
	case "own":
		return own(scratch)
	default:
		return s, fmt.Errorf("set %q: want questions, whole, commits, long, agent or own", name)
	}
	s.Queries = filepath.Join(bench, s.Queries)
	return s, nil
}

// own is the set of plain questions about this repository; it puts a table and a tree of its own into dir.
func own(dir string) (s benchset.Set, err error) {
	root, err := filepath.Abs(".")
	if err != nil {
		return s, err
	}
	table := filepath.Join(dir, "repos.tsv")
	if err := os.WriteFile(table, []byte("own\town\tgo\t\t\t\n"), 0o600); err != nil {
		return s, err
	}
	return benchset.Set{Queries: filepath.Join("tools", "quality", "testdata", "plain.jsonl"), Table: table,
			Name: "own", Trees: []string{dir}, Whole: true},
		os.Symlink(root, filepath.Join(dir, "own"))
}

func run(ctx context.Context, bench, trees, snapshots, state, redis, sets, redisSets, write, card string) (err error) {
	if state == "" {
		if state, err = os.MkdirTemp("", "contextd-quality-"); err != nil {
			return err
		}
		defer os.RemoveAll(state)
	}
	scratch, err := os.MkdirTemp("", "contextd-own-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	e, err := static.Default()
	if err != nil {
		return err
	}
	embedded, err := local.Open(local.Options{Dir: state})
	if err != nil {
		return err
	}
	defer embedded.Close()
	backings := []backing{{"embedded", embedded, false}}
	if redis != "" {
		r, err := redisearch.Open(redisearch.Options{URL: redis, Prefix: "ctxquality"})
		if err != nil {
			return err
		}
		defer r.Close()
		backings = append(backings, backing{"Redis", r, true})
	}
	var all []result
	terse := map[string]map[string]*seen{}
	var names []string
	for _, b := range backings {
		terse[b.name], names = map[string]*seen{}, append(names, b.name)
	}
	for name := range strings.SplitSeq(sets, ",") {
		s, err := set(name, bench, trees, snapshots, scratch)
		if err != nil {
			return err
		}
		var first *result
		for _, b := range backings {
			if b.remove && !slices.Contains(strings.Split(redisSets, ","), name) {
				continue
			}
			if name == "agent" || name == "own" {
				of, err := look(ctx, s, b, e)
				if err != nil {
					return fmt.Errorf("%s on %s: %w", name, b.name, err)
				}
				for k, x := range of {
					if name == "own" && k == "" {
						continue // its only category says it
					}
					terse[b.name][k] = x
					fmt.Fprintln(os.Stderr, name, b.name, k, x)
				}
				continue
			}
			res, err := measure(ctx, name, s, b, e)
			if err != nil {
				return fmt.Errorf("%s on %s: %w", name, b.name, err)
			}
			if first == nil {
				first = res
			} else {
				res.same = agreement(first, res)
			}
			fmt.Fprintln(os.Stderr, res)
			all = append(all, *res)
		}
	}
	text := tables(all, agentTable(terse, names))
	if card != "" {
		if err := writeScorecard(card, terse); err != nil {
			return err
		}
	}
	if write == "" {
		_, err = fmt.Print(text)
		return err
	}
	return replace(write, text)
}

// backing is an index under measurement.
type backing struct {
	name   string
	index  search.Index
	remove bool // what was made for it
}
