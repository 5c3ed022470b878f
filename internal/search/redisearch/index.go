package redisearch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/search"
)

// Options of an Index.
type Options struct {
	URL    string // redis://, rediss:// or unix://
	Prefix string // first part of every key; "" means "ctx"
	// Mode is "auto" (what the server can do) or "names" (the name index only, whatever it can); "" means "auto".
	Mode string
	// Vectors is how a build's vectors are searched: "flat" (exactly), "hnsw" (by a graph) or "auto" (by its size); ""
	// means "auto". An index with a graph keeps it until it is built from nothing.
	Vectors string
	// Deadline is the longest that one command of a query may take when its context sets no nearer one; 0 means 5 s.
	Deadline time.Duration
	Log      *slog.Logger // nil: none
}

// WithDefaults fills what is not set.
func (o Options) WithDefaults() Options {
	o.Prefix = cmp.Or(o.Prefix, "ctx")
	o.Mode = cmp.Or(o.Mode, "auto")
	o.Deadline = cmp.Or(o.Deadline, 5*time.Second)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return o
}

// Validate checks o after WithDefaults.
func (o Options) Validate() error {
	if _, err := rdb.ParseURL(o.URL); err != nil {
		return err
	}
	if !rdb.GoodPrefix(o.Prefix) {
		return fmt.Errorf("prefix %q: want a letter or digit, then at most 63 letters, digits, '.', '_', ':' or '-'", o.Prefix)
	}
	if o.Mode != "auto" && o.Mode != "names" {
		return fmt.Errorf("search mode %q: want auto or names", o.Mode)
	}
	if o.Deadline < 0 {
		return fmt.Errorf("deadline must be positive (got %v)", o.Deadline)
	}
	return nil
}

// Index is a search.Index on Redis.
type Index struct {
	opts        Options
	keys        keys
	readClient  *redis.Client // queries: no retries, deadlines
	writeClient *redis.Client // writers

	flatBelow, hnswAbove int  // the constants of these names; a test sets others
	onlyWide             bool // a test: builds have the form of servers that know no other

	mu      sync.Mutex // guards what follows
	mode    search.Mode
	modeAt  time.Time
	noScore bool // the server's FT.SEARCH knows no SCORER BM25STD

	attached map[attachedKey]attachment // what was read last
}

var _ search.Index = (*Index)(nil)

// Open makes an Index. It does not talk to the server yet.
func Open(opts Options) (*Index, error) {
	opts = opts.WithDefaults()
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	read, err := rdb.Interactive(opts.URL, opts.Deadline)
	if err != nil {
		return nil, err
	}
	write, err := rdb.Worker(opts.URL)
	if err != nil {
		_ = read.Close()
		return nil, err
	}
	x := &Index{opts: opts, keys: keys(opts.Prefix), readClient: read, writeClient: write, flatBelow: flatBelow, hnswAbove: hnswAbove}
	switch opts.Vectors {
	case "flat":
		x.flatBelow, x.hnswAbove = math.MaxInt, math.MaxInt
	case "hnsw":
		x.flatBelow, x.hnswAbove = 0, 0
	}
	return x, nil
}

// Close closes the connections.
func (x *Index) Close() error { return errors.Join(x.readClient.Close(), x.writeClient.Close()) }

// namesModeTTL is how long the answer "no RediSearch" is cached: the server may be replaced by one that has it.
const namesModeTTL = 30 * time.Second

// Mode implements search.Index.
func (x *Index) Mode(ctx context.Context) (search.Mode, error) {
	if x.opts.Mode == "names" {
		return search.Names, nil
	}
	x.mu.Lock()
	mode, at := x.mode, x.modeAt
	x.mu.Unlock()
	if mode == search.Full || mode == search.Names && time.Since(at) < namesModeTTL {
		return mode, nil
	}
	mode = search.Full
	if err := x.readClient.Do(ctx, "FT._LIST").Err(); rdb.Classify(err) == rdb.NoModule {
		mode = search.Names
	} else if err != nil {
		return "", fmt.Errorf("ask Redis whether it can search: %w", err)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.mode, x.modeAt = mode, time.Now()
	return mode, nil
}

// forgetMode makes the next Mode ask the server again, after it has turned out to be another one.
func (x *Index) forgetMode() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.mode = ""
}

// Projects implements search.Index.
func (x *Index) Projects(ctx context.Context) ([]search.Project, error) {
	ids, err := x.readClient.SMembers(ctx, x.keys.projects()).Result()
	if err != nil {
		return nil, fmt.Errorf("list the projects: %w", err)
	}
	pipe := x.readClient.Pipeline()
	cmds := make([]*redis.MapStringStringCmd, len(ids))
	for i, id := range ids {
		cmds[i] = pipe.HGetAll(ctx, x.keys.record(id))
	}
	if len(ids) > 0 { // a key that somebody has overwritten is a record that cannot be read, as others are
		if _, err := pipe.Exec(ctx); err != nil && rdb.Classify(err) != rdb.WrongType {
			return nil, fmt.Errorf("read the records of %d projects: %w", len(ids), err)
		}
	}
	var out []search.Project
	for i, id := range ids {
		if err := cmds[i].Err(); err != nil && rdb.Classify(err) != rdb.WrongType {
			return nil, fmt.Errorf("read the record of project %q: %w", id, err)
		}
		if r, err := parseRecord(id, cmds[i].Val()); err == nil {
			out = append(out, r.Project)
		}
	}
	sortProjects(out)
	return out, nil
}

// Open implements search.Index.
func (x *Index) Open(ctx context.Context, project string) (search.Snapshot, error) {
	r, err := x.record(ctx, x.readClient, project)
	if err != nil {
		return nil, err
	}
	return &snapshot{x: x, rec: r}, nil
}

// record reads a project's record; search.ErrNoProject if there is none that can be used.
func (x *Index) record(ctx context.Context, c *redis.Client, project string) (record, error) {
	fields, err := c.HGetAll(ctx, x.keys.record(project)).Result()
	if rdb.Classify(err) == rdb.WrongType {
		return record{}, fmt.Errorf("read the record of project %q: %w: %w", project, search.ErrNoProject, err)
	}
	if err != nil {
		return record{}, fmt.Errorf("read the record of project %q: %w", project, err)
	}
	r, err := parseRecord(project, fields)
	if err != nil {
		return record{}, fmt.Errorf("project %q: %w", project, err)
	}
	return r, nil
}

// confirmEvery is how often Confirm writes at most.
const confirmEvery = 30 * time.Second

// Confirm implements search.Index.
func (x *Index) Confirm(ctx context.Context, project string, at time.Time) error {
	err := confirmScript.Run(ctx, x.writeClient, []string{x.keys.record(project)}, at.UnixNano(), confirmEvery.Nanoseconds(), search.ClockSetBack.Nanoseconds()).Err()
	if err != nil {
		return fmt.Errorf("confirm project %q: %w", project, err)
	}
	return nil
}

// Fail implements search.Index.
func (x *Index) Fail(ctx context.Context, project, reason string) error {
	err := failScript.Run(ctx, x.writeClient, []string{x.keys.record(project)}, reason).Err()
	if rdb.Classify(err) == rdb.OOM {
		err = failFullScript.Run(ctx, x.writeClient, []string{x.keys.record(project)}, reason).Err()
	}
	if err != nil {
		return fmt.Errorf("record the failure of project %q: %w", project, err)
	}
	return nil
}

// Remove implements search.Index.
func (x *Index) Remove(ctx context.Context, project string, wait time.Duration) error {
	k := x.keys
	l, err := x.lock(ctx, k.lock(project), project, wait)
	if rdb.Classify(err) == rdb.OOM {
		l, err = x.lockBy(ctx, lockFullScript, k.lock(project), project, wait)
	}
	if err != nil {
		return err
	}
	defer l.release()
	// The record first: from here on nobody finds the project, whatever of it is still stored, and nothing is added.
	keys := []string{k.record(project), k.nextLock(project), k.attached(project), k.projects()}
	if _, err = x.runFenced(ctx, l, removeScript, keys, project); err == nil {
		err = x.dropOthers(ctx, l, project)
	}
	if err != nil {
		return fmt.Errorf("remove project %q: %w", project, err)
	}
	return nil
}
