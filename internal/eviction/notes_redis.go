package eviction

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// noteTimeout is how long the note of a question may take on Redis; the answer does not wait for it, Evictor.Wait does.
const noteTimeout = 100 * time.Millisecond

// useScript sets the time of a question. KEYS uses; ARGV project, now in ms, "1" for a question, "0" for a project that
// was indexed.
var useScript = redis.NewScript(`
local was = redis.call('HGET', KEYS[1], ARGV[1])
if was and ARGV[3] == '0' then return 0 end
local brought = was and string.match(was, '^%d+') or ARGV[2]
redis.call('HSET', KEYS[1], ARGV[1], brought .. ' ' .. (ARGV[3] == '1' and ARGV[2] or '0'))
return 1`)

// redisNotes are a hash: project → use as text, by the clock of whoever wrote it.
type redisNotes struct {
	Server
	writing sync.WaitGroup // what queried writes
}

func (n *redisNotes) key() string { return n.Prefix + ":uses" }

func (n *redisNotes) name(project string) string { return project }

func (n *redisNotes) queried(project string, now time.Time) {
	n.writing.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), noteTimeout)
		defer cancel()
		// without it the project goes sooner
		_ = useScript.Run(ctx, n.Client, []string{n.key()}, project, now.UnixMilli(), "1").Err()
	})
}

func (n *redisNotes) wait() { n.writing.Wait() }

func (n *redisNotes) brought(ctx context.Context, project string, now time.Time) {
	_ = useScript.Run(ctx, n.Client, []string{n.key()}, project, now.UnixMilli(), "0").Err() // a full server takes none
}

func (n *redisNotes) all(ctx context.Context) (map[string]use, error) {
	all := map[string]use{}
	rows, err := n.Client.HGetAll(ctx, n.key()).Result()
	if err != nil {
		return nil, fmt.Errorf("read %q from Redis: %w", n.key(), err)
	}
	for id, text := range rows {
		brought, queried, _ := strings.Cut(text, " ")
		all[id] = use{brought: millis(brought), queried: millis(queried)}
	}
	return all, nil
}

func (n *redisNotes) drop(ctx context.Context, name string) {
	_ = n.Client.HDel(ctx, n.key(), name).Err()
}
