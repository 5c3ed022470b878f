package doctor

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/backend"
)

// eachServer checks several servers one by one: whether it answers, what it tells of itself, and what lies there of
// projects that belong to others. Of one server nothing is checked here.
func eachServer(ctx context.Context, o Options) (checks []Check) {
	checks = append(checks, unlisted(o)...)
	for _, one := range o.Backend.Servers() {
		if one.Server() == "" {
			return checks
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
	return append(checks, sameServers(ctx, o), heldRoots(ctx, o))
}

// unlisted names servers that were used before and are not in the list; nothing where there are none.
func unlisted(o Options) []Check {
	const name = "servers before"
	gone, err := o.Backend.Unlisted()
	if err != nil {
		return []Check{fail(name, err.Error(), "remove that file: it is made again")}
	}
	var lines []string
	for _, s := range gone {
		lines = append(lines, fmt.Sprintf("%s (%s, %d roots of projects)", s.Name, s.Address, s.Projects))
	}
	if len(lines) == 0 {
		return nil
	}
	return []Check{fail(name, "no longer in the list, and what is remembered there is missing: "+shorten(lines),
		fmt.Sprintf(`"indexer move --from URL" brings it to the others; if it is not wanted, remove %q`,
			filepath.Join(o.StateDir, backend.SeenFile)))}
}

// heldRoots names the watched folders that are not indexed because a server does not answer.
func heldRoots(ctx context.Context, o Options) Check {
	const name = "held back"
	held, err := o.Backend.HeldRoots(ctx)
	switch {
	case err != nil:
		return fail(name, err.Error(), seeLog)
	case len(held) > 0:
		return fail(name, "watched, and no project of the servers that answer: "+shorten(held),
			"each may be a project of the server that is down, and is indexed once that answers")
	}
	return pass(name, "no watched folder waits for a server")
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
