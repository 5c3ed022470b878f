package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/servers"
)

const (
	maxSkew   = 5 * time.Second // clocks may differ by so much
	fullShare = 90              // percent of maxmemory from which a server is nearly full
	seeLog    = "see the daemon's log"
)

func reachable(ctx context.Context, b *backend.Backend, stateDir string) Check {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := b.Ping(ctx)
	if servers.Partial(err) {
		return pass("backend", "%s: some servers answer", b.Name)
	}
	if err != nil {
		hint := unreachableHint(b.Name, err)
		if free, ok := freeBytes(stateDir); ok && free < minFree && b.Name != backend.Redis {
			// nothing is wrong with its files
			hint = fmt.Sprintf("make room on the disk of %q, or give a directory on another disk with --state-dir",
				stateDir)
		}
		return fail("backend", fmt.Sprintf("%s: %v", b.Name, err), hint)
	}
	return pass("backend", "%s answers", b.Name)
}

// unreachableHint is what to do about a store that does not answer.
func unreachableHint(name string, err error) string {
	if name != backend.Redis {
		return "check its files, or move them away: the index can be rebuilt"
	}
	var knows interface{ Hint() string }
	if errors.As(err, &knows) {
		return knows.Hint()
	}
	switch rdb.Classify(err) {
	case rdb.Cluster:
		return rdb.ClusterHint
	case rdb.Auth:
		return rdb.AuthHint(err)
	case rdb.Loading:
		return "wait: Redis is up but does not serve yet (its data loads, or its master is away)"
	case rdb.Deadline:
		return "Redis takes connections but does not answer: see its log and SLOWLOG, or restart it"
	}
	return "start Redis, or check the URL; --redis off uses the embedded store"
}

func searching(ctx context.Context, o Options) Check {
	mode, err := o.Backend.Index.Mode(ctx)
	switch err = whole(err); {
	case err != nil:
		return fail("search", err.Error(), "see the server's log")
	case mode == search.Full:
		return pass("search", "full text and vectors")
	case o.NamesOnly:
		return pass("search", "file names only, by choice")
	}
	return fail("search", "this Redis cannot search: file names only",
		"use Redis 8 or load the RediSearch module; --redis off has full search without a server")
}

func indexes(ctx context.Context, o Options) Check {
	const name = "indexes"
	faults, err := o.Backend.Inspect(ctx)
	if err = whole(err); err != nil {
		return fail(name, err.Error(), seeLog)
	}
	var lines []string
	for _, f := range faults {
		lines = append(lines, fmt.Sprintf("%s (%s)", f.Project, f.Detail))
	}
	if len(lines) > 0 {
		return fail(name, "incomplete: "+shorten(lines),
			`a running daemon makes them whole at its next look; "indexer index DIR" does it now`)
	}
	return pass(name, "complete")
}

func daemons(ctx context.Context, o Options) Check {
	list, err := o.Backend.Daemons(ctx)
	if err != nil {
		return fail("daemon", err.Error(), seeLog)
	}
	var hosts []string
	for _, d := range list {
		if !slices.Contains(hosts, d.Host) {
			hosts = append(hosts, d.Host)
		}
	}
	switch {
	case len(hosts) > 1:
		return fail("daemon", "daemons of different hosts share one prefix: "+strings.Join(hosts, ", "),
			"all must see the same files at the same paths; else give each host a --prefix of its own")
	case len(list) > 0:
		return pass("daemon", "%d running on %s", len(list), hosts[0])
	case o.Backend.Name == backend.Redis:
		return pass("daemon", `none runs; "indexer run" keeps projects fresh`)
	}
	return pass("daemon", "none runs; queries bring the index up to date themselves")
}
