// Command quality measures the answers to the development sets on both backings, writes the tables of docs/QUALITY.md and a scorecard.
//
//	go run ./tools/quality -bench DIR -trees DIR[:DIR] [-snapshots DIR] [-state DIR] [-redis URL] [-sets questions,whole,commits,long] [-redis-sets …] -write docs/QUALITY.md
//
// DIR of -bench holds questions.jsonl, commits.jsonl, commits-long.jsonl and repos.tsv. Each repository is asked through package
// retrieve, as the program answers, and means are taken over repositories. Indexes stay in the state folder; those on Redis are removed.
// What stands in the document between the marks of this command is replaced, all else is kept.
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
	sets := flag.String("sets", "questions,whole,commits,long", "which sets to measure")
	redisSets := flag.String("redis-sets", "questions,whole,commits,long", "which of them on Redis too")
	write := flag.String("write", "", "document whose tables to write")
	flag.Parse()
	if err := run(context.Background(), *bench, *trees, *snapshots, *state, *redis, *sets, *redisSets, *write); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// set is one of the development sets.
func set(name, bench, trees, snapshots string) (benchset.Set, error) {
	s := benchset.Set{Table: filepath.Join(bench, "repos.tsv"), Trees: filepath.SplitList(trees), Snapshots: snapshots}
	switch name {
	case "questions", "whole":
		s.Queries, s.Name, s.Whole = "questions.jsonl", "questions", name == "whole"
	case "commits":
		s.Queries, s.Name, s.Whole = "commits.jsonl", "commits", true
	case "long":
		s.Queries, s.Name, s.Whole = "commits-long.jsonl", "commits", true
	default:
		return s, fmt.Errorf("set %q: want questions, whole, commits or long", name)
	}
	s.Queries = filepath.Join(bench, s.Queries)
	return s, nil
}

func run(ctx context.Context, bench, trees, snapshots, state, redis, sets, redisSets, write string) (err error) {
	if state == "" {
		if state, err = os.MkdirTemp("", "contextd-quality-"); err != nil {
			return err
		}
		defer os.RemoveAll(state)
	}
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
	for name := range strings.SplitSeq(sets, ",") {
		s, err := set(name, bench, trees, snapshots)
		if err != nil {
			return err
		}
		var first *result
		for _, b := range backings {
			if b.remove && !slices.Contains(strings.Split(redisSets, ","), name) {
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
	text := tables(all)
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
