package doctor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/rdb"
)

// server checks what a Redis server tells of itself.
func server(ctx context.Context, o Options) []Check {
	f, ok, err := o.Backend.Facts(ctx)
	switch {
	case !ok:
		return nil
	case rdb.Classify(err) == rdb.Auth:
		return []Check{pass("redis", "its user may not ask INFO: writes, memory, eviction and clock are not checked")}
	case err != nil:
		return []Check{fail("redis", err.Error(), "see the server's log")}
	}
	return []Check{writes(f), memory(f), eviction(f), clock(f.Skew)}
}

func writes(f rdb.Facts) Check {
	const name = "redis writes"
	switch {
	case f.Replica:
		return fail(name, "the server is a replica and takes no writes: queries are answered, nothing is indexed",
			"name the primary in --redis")
	case f.SaveFails != "":
		return fail(name, "the server could not save its "+f.SaveFails+" and may refuse writes",
			"make room on its disk and see its log")
	}
	return pass(name, "Redis %s takes writes", f.Version)
}

func memory(f rdb.Facts) Check {
	const name = "redis memory"
	switch {
	case f.Max == 0:
		return pass(name, "%s used, no limit", megabytes(f.Used))
	case f.Used >= f.Max:
		return fail(name, fmt.Sprintf("%s used of %s: nothing is indexed, answers may lack results", megabytes(f.Used),
			megabytes(f.Max)),
			`raise maxmemory, or forget projects with "indexer reset --project ID"`)
	case f.Used >= f.Max/100*fullShare:
		return fail(name, fmt.Sprintf("%s used of %s: over %d %%", megabytes(f.Used), megabytes(f.Max), fullShare),
			`raise maxmemory before it is full, or forget projects with "indexer reset --project ID"`)
	}
	return pass(name, "%s used of %s", megabytes(f.Used), megabytes(f.Max))
}

func megabytes(n int64) string { return fmt.Sprintf("%d MB", (n+1<<19)>>20) }

func eviction(f rdb.Facts) Check {
	const name = "redis eviction"
	if !strings.HasPrefix(f.Policy, "allkeys") {
		return pass(name, "policy %s: the index is never evicted", f.Policy)
	}
	detail := fmt.Sprintf("policy %s: a full server drops parts of the index, of the queue and of what is remembered",
		f.Policy)
	if f.Evicted > 0 {
		detail += fmt.Sprintf(" (%d keys of this server so far)", f.Evicted)
	}
	return fail(name, detail, "set maxmemory-policy noeviction, or volatile-lru where others share the server")
}

func clock(skew time.Duration) Check {
	const name = "clock"
	if skew.Abs() > maxSkew {
		return fail(name, fmt.Sprintf("Redis is %s off this machine's clock: ages and staleness are wrong by that",
			skew.Round(time.Second)),
			"set both by NTP")
	}
	return pass(name, "within %s of Redis's", maxSkew)
}
