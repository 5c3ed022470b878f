// Command codebudget measures what a code budget of a profile buys: it compiles the contexts of a session of terse
// tasks over indexed trees, once for each number of results, characters a text and bytes in all, and prints which needs
// each budget meets at how many tokens.
//
//	go run ./tools/codebudget -state DIR -tree NAME=DIR [-tree NAME=DIR …] [-profiles developer,architect] TASKS.jsonl [TASKS.jsonl …]
//
// A task is a JSON object a line: repo (the NAME of a tree), category, query, and relevant, a list of path with lines
// [first, last] or ranges, a list of such. Each relevant file is a need. It is met by its text or by a pointer; texts
// touch its lines, and show a share of them. A task without needs has no answer in its tree: what its context takes is
// waste. The indexes lie in the folder of -state and are brought up to date by each run.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// settings are what a run measures.
type settings struct {
	state      string
	trees      map[string]string // name → folder
	profiles   []string
	categories []string
	budget     int // tokens of a context
	results    []int
	chars      []int
	bytes      []int
}

func main() {
	s := settings{trees: map[string]string{}}
	flag.StringVar(&s.state, "state", "", "folder of the indexes")
	flag.Func("tree", "NAME=DIR: a tree of the tasks; may be repeated", func(v string) error {
		name, dir, ok := strings.Cut(v, "=")
		if !ok {
			return fmt.Errorf("want NAME=DIR (got %q)", v)
		}
		dir, err := filepath.Abs(dir)
		s.trees[name] = dir
		return err
	})
	profiles := flag.String("profiles", "knight,squire,architect,developer,reviewer", "profiles whose budget is varied")
	categories := flag.String("categories", "task,commit,absent", "categories of tasks")
	flag.IntVar(&s.budget, "budget", 8000, "tokens of a context")
	numbers := func(name, value, usage string, to *[]int) {
		*to = mustNumbers(value)
		flag.Func(name, usage+" (default "+value+")", func(v string) (err error) {
			*to, err = parseNumbers(v)
			return err
		})
	}
	numbers("results", "3,5,8,12", "numbers of pieces", &s.results)
	numbers("chars", "200,400,800,1600", "characters of a text", &s.chars)
	numbers("bytes", "2048,4096,8192,16384", "bytes of all pieces", &s.bytes)
	flag.Parse()
	s.profiles, s.categories = strings.Split(*profiles, ","), strings.Split(*categories, ",")
	if s.state == "" || len(s.trees) == 0 || flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(context.Background(), s, flag.Args(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
}

func parseNumbers(list string) (out []int, err error) {
	for v := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("want whole numbers from 1 with commas between (got %q)", list)
		}
		out = append(out, n)
	}
	return out, nil
}

func mustNumbers(list string) []int {
	out, err := parseNumbers(list)
	if err != nil {
		panic(err) // a constant of this file
	}
	return out
}
