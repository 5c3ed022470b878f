//go:build unix

// Command soak does to contextd what a bad week does: random edits and checkouts, daemons killed and stopped, Redis killed,
// hung, flushed, its search index dropped, "index" run beside the daemon. Meanwhile it asks without end, and holds every
// answer against what stood on the disk between question and answer. After each spell of faults it lets things settle and
// compares the index with one made from nothing.
//
//	go run ./tools/soak -for 2m -seed 7 -backing redis
//
// It prints the seed, what it did and how many answers were false, and exits with 1 if any was. The same seed makes the
// same choices; when they fall depends on the machine.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/contextd/contextd/internal/e2e/e2etest"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
)

func main() {
	length := flag.Duration("for", 10*time.Minute, "how long")
	seed := flag.Uint64("seed", uint64(time.Now().UnixNano()%1_000_000), "what the choices are made from")
	backing := flag.String("backing", "both", "embedded, redis or both at once")
	keep := flag.Bool("keep", false, "leave the files behind")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	fmt.Printf("seed %d, for %v\n", *seed, *length)
	wrong, err := soak(ctx, *length, *seed, *backing, *keep)
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
	if wrong > 0 {
		os.Exit(1)
	}
}

func soak(ctx context.Context, length time.Duration, seed uint64, backing string, keep bool) (wrong int, err error) {
	dir, err := os.MkdirTemp("", "soak")
	if err != nil {
		return 0, fmt.Errorf("make a folder: %w", err)
	}
	if keep {
		fmt.Println("files in", dir)
	} else {
		defer os.RemoveAll(dir)
	}
	bin := filepath.Join(dir, "bin")
	if err := errors.Join(os.Mkdir(bin, 0o700), e2etest.Build(bin, e2etest.Race)); err != nil {
		return 0, err
	}
	var spells []*spell
	for i, name := range []string{"embedded", "redis"} {
		if backing != "both" && backing != name {
			continue
		}
		home := filepath.Join(dir, name)
		s := &spell{name: name, rnd: rand.New(rand.NewPCG(seed, uint64(i))), root: filepath.Join(home, "src"), faults: map[string]int{},
			world: &e2etest.World{Bin: bin, Dir: filepath.Join(home, "world"), Prefix: "soak"}}
		if err := os.MkdirAll(s.root, 0o700); err != nil {
			return 0, fmt.Errorf("make a root: %w", err)
		}
		if name == "redis" {
			if s.redis, err = launch(filepath.Join(home, "redis")); err != nil {
				return 0, err
			}
			defer s.redis.Kill()
			s.world.Redis = s.redis.URL
		}
		spells = append(spells, s)
	}
	if len(spells) == 0 {
		return 0, fmt.Errorf("backing %q: want embedded, redis or both", backing)
	}
	var all sync.WaitGroup
	end := time.Now().Add(length)
	for _, s := range spells {
		all.Go(func() { s.run(ctx, end) })
	}
	all.Wait()
	faults, answers := 0, 0
	for _, s := range spells {
		fmt.Println(s.summary())
		for _, n := range s.faults {
			faults += n
		}
		answers += int(s.answers.Load())
		wrong += int(s.wrong.Load())
	}
	fmt.Printf("%d faults, %d answers checked: %d false\n", faults, answers, wrong)
	return wrong, nil
}

func launch(dir string) (*rdbtest.Process, error) {
	prog, err := rdbtest.Find(rdbtest.Search)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make a folder for Redis: %w", err)
	}
	return rdbtest.Launch(prog, dir)
}
