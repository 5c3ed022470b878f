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

// eachServer checks several servers one by one: whether it answers, what it tells of itself, and what lies there of
// projects that belong to others. Of one server nothing is checked here.
func eachServer(ctx context.Context, o Options) (checks []Check) {
	for _, one := range o.Backend.Servers() {
		if one.Server() == "" {
			return nil
		}
		name := "server " + one.Server()
		if err := one.Ping(ctx); err != nil {
			checks = append(checks, fail(name, err.Error(), unreachableHint(one.Name, err)))
			continue
		}
		checks = append(checks, pass(name, "answers"))
		of := o
		of.Backend = one
		checks = append(checks, named(one, append(server(ctx, of), strays(ctx, one)))...)
	}
	return append(checks, sameServers(ctx, o))
}

// named are checks of one of several servers.
func named(b *backend.Backend, checks []Check) []Check {
	for i := range checks {
		if b.Server() != "" {
			checks[i].Name += " of " + b.Server()
		}
	}
	return checks
}

// strays names who has documents on a server that is not theirs.
func strays(ctx context.Context, b *backend.Backend) Check {
	const name = "documents of others"
	list, err := b.Strays(ctx)
	if err != nil {
		return fail(name, err.Error(), "see the server's log")
	}
	var lines []string
	for _, s := range list {
		if s.Owner == "" { // a log goes the way of the documents beside it
			continue
		}
		line := fmt.Sprintf("%q (belongs to %s)", s.Owner, s.Own)
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	if len(list) == 0 {
		return pass(name, "none")
	}
	return fail(name, fmt.Sprintf("%d shelves and logs: %s", len(list), shorten(lines)),
		`"indexer move" moves them; a daemon does it at its start. What both servers have and differs stays until "indexer move --drop"`)
}

// sameServers checks that daemons look for projects among the same servers as this command.
func sameServers(ctx context.Context, o Options) Check {
	const name = "list of servers"
	list, err := o.Backend.Daemons(ctx)
	if err != nil {
		return fail(name, err.Error(), seeLog)
	}
	own := slices.Sorted(slices.Values(o.Backend.Names()))
	for _, d := range list {
		if theirs := slices.Sorted(slices.Values(d.Servers)); !slices.Equal(own, theirs) {
			return fail(name, fmt.Sprintf("a daemon on %s looks among %q, this command among %q", d.Host, theirs, own),
				"give all processes the same servers, by the same names: ?name=WORD in a URL sets one")
		}
	}
	return pass(name, "%s: a project lies on one of them", strings.Join(own, ", "))
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
