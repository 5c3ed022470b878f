//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/e2e/e2etest"
	"github.com/contextd/contextd/internal/queue"
)

// fleet is the processes on one Redis and the files that they index.
type fleet struct {
	options
	dir        string
	world      *e2etest.World
	client     *redis.Client
	indexers   []*e2etest.Daemon
	retrievers []*e2etest.Daemon
	indexes    []string // names of the search indexes, of which one a project
}

func (f *fleet) root(project int) string {
	return filepath.Join(f.dir, "roots", fmt.Sprintf("p%d", project))
}

func projectID(project int) string { return fmt.Sprintf("p%d", project) }

// begin writes the files, starts all processes and waits until every project is indexed.
func (f *fleet) begin(ctx context.Context) error {
	to, err := redis.ParseURL(f.world.Redis)
	if err != nil {
		return fmt.Errorf("read the URL of Redis: %w", err)
	}
	f.client = redis.NewClient(to)
	for p := range f.projects {
		if err := e2etest.Tree(f.root(p), 0, f.files, 1, f.lines); err != nil {
			return err
		}
	}
	began := time.Now()
	for i := range f.options.indexers {
		d, err := f.world.Through(f.world.Redis, fmt.Sprintf("indexer%d", i)).Daemon("--allow-root", filepath.Join(f.dir, "roots"))
		if err != nil {
			return err
		}
		f.indexers = append(f.indexers, d)
	}
	for p := range f.projects {
		if err := f.push(ctx, p, "*"); err != nil {
			return err
		}
	}
	if err := f.idle(10 * time.Minute); err != nil {
		return err
	}
	fmt.Printf("%d projects of %d files indexed by %d indexers within %s\n", f.projects, f.files, len(f.indexers), time.Since(began).Round(time.Second))
	for i := range f.options.retrievers {
		d, err := f.world.Through(f.world.Redis, fmt.Sprintf("retriever%d", i)).Serve("--allow-root", filepath.Join(f.dir, "roots"))
		if err != nil {
			return err
		}
		f.retrievers = append(f.retrievers, d)
	}
	var ready []error
	for _, d := range f.retrievers {
		ready = append(ready, d.Ready(2*time.Minute))
	}
	if err := errors.Join(ready...); err != nil {
		return err
	}
	f.indexes, err = f.client.Do(ctx, "FT._LIST").StringSlice()
	if err != nil || len(f.indexes) == 0 {
		return fmt.Errorf("list the search indexes: %d, %w", len(f.indexes), err)
	}
	return nil
}

// push asks for a refresh of files of a project, as a supervisor does: by a message in the stream.
func (f *fleet) push(ctx context.Context, project int, names ...string) error {
	list, err := json.Marshal(names)
	if err != nil {
		return fmt.Errorf("write the names of files: %w", err)
	}
	values := []any{queue.FieldProject, projectID(project), queue.FieldRoot, f.root(project)}
	if names[0] != "*" {
		values = append(values, queue.FieldFiles, string(list))
	}
	if err := f.client.XAdd(ctx, &redis.XAddArgs{Stream: f.world.Prefix + ":refresh", Values: values}).Err(); err != nil {
		return fmt.Errorf("ask for a refresh of %q: %w", projectID(project), err)
	}
	return nil
}

// idle waits until nothing waits, is run or is dead.
func (f *fleet) idle(within time.Duration) error {
	return e2etest.Eventually(within, func() error {
		s, err := f.world.Status()
		if err != nil {
			return err
		}
		indexed := 0
		for _, p := range s.Projects {
			if p.Files >= f.files && p.Pending == 0 {
				indexed++
			}
		}
		if s.Queue.Depth+s.Queue.Inflight > 0 || indexed < f.projects {
			return fmt.Errorf("%d of %d projects indexed, queue %+v", indexed, f.projects, s.Queue)
		}
		return nil
	})
}

// change changes files at random until ctx ends, as many a minute as the options say.
func (f *fleet) change(ctx context.Context) (changed int, err error) {
	pause := time.Duration(float64(time.Minute) / (f.changes * float64(f.projects*f.files)))
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for rev := 2; ; rev++ {
		select {
		case <-ctx.Done():
			return changed, nil
		case <-tick.C:
		}
		p, i := rand.IntN(f.projects), rand.IntN(f.files)
		if err := e2etest.Write(f.root(p), e2etest.SourceName(i), e2etest.Source(i, rev, f.lines)); err != nil {
			return changed, err
		}
		if err := f.push(context.WithoutCancel(ctx), p, e2etest.SourceName(i)); err != nil {
			return changed, err
		}
		changed++
	}
}

// ask asks each retriever at the pace of the options until ctx ends.
func (f *fleet) ask(ctx context.Context, r *report) (err error) {
	r.reasons = map[string]int{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, d := range f.retrievers {
		all.Go(func() {
			tick := time.NewTicker(time.Duration(float64(time.Second) / f.asks))
			defer tick.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
				}
				p, i := rand.IntN(f.projects), rand.IntN(f.files)
				reply, e := d.Search(context.WithoutCancel(ctx), map[string]any{"query": e2etest.Question(i), "root": f.root(p), "project": projectID(p)})
				mu.Lock()
				if e != nil {
					err = errors.Join(err, e)
				} else {
					r.asked = append(r.asked, reply.Took)
					for _, why := range reply.Reasons {
						r.reasons[why]++
					}
					if !reply.Has(e2etest.SourceName(i)) {
						r.missed++
					}
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return err
}

// end stops all processes.
func (f *fleet) end() {
	for _, d := range append(f.retrievers, f.indexers...) {
		d.Kill()
	}
	if f.client != nil {
		_ = f.client.Close()
	}
}
