package redis

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/queue"
)

// candidate is a project that may be claimed.
type candidate struct {
	project string
	token   string // of the expired claim that it replaces; "" if there is none
	dead    bool   // the holder of that claim is dead
}

// Claim implements queue.Queue. Abandoned projects come first, then due projects, the earliest due time first.
func (q *Queue) Claim(ctx context.Context) (*queue.Claim, error) {
	for {
		free, err := q.claimable(ctx)
		if err != nil {
			q.markDueLost(err)
			return nil, fmt.Errorf("claim from %q: %w", q.due(), err)
		}
		if len(free) == 0 {
			return nil, nil
		}
		for _, c := range free {
			claim, err := q.tryClaim(ctx, c)
			if err != nil {
				return nil, fmt.Errorf("claim %q from %q: %w", c.project, q.due(), err)
			}
			if claim != nil {
				return claim, nil
			}
		}
		// All of them went to others or held nothing; look again.
	}
}

func (q *Queue) claimable(ctx context.Context) (free []candidate, err error) {
	reply, err := claimableScript.Run(ctx, q.client, []string{q.due(), q.inflight(), q.holders()}, q.skewMS()).Slice()
	if err != nil {
		return nil, err
	}
	if len(reply) != 3 {
		return nil, errUnexpectedReply
	}
	now, _ := reply[0].(int64)
	claims := stringSlice(reply[2])
	for i := 0; i+2 < len(claims); i += 3 {
		if dead := queue.HolderDead(q.holder, claims[i+2]); dead || parseMillis(claims[i+1]) <= now {
			free = append(free, candidate{claims[i], claims[i+2], dead})
		}
	}
	for _, p := range stringSlice(reply[1]) {
		free = append(free, candidate{project: p})
	}
	return free, nil
}

var errUnexpectedReply = errors.New("the server's reply has an unknown form")

func (q *Queue) tryClaim(ctx context.Context, c candidate) (*queue.Claim, error) {
	token, dead := queue.NewToken(q.holder), "0"
	if c.dead {
		dead = "1"
	}
	reply, err := claimScript.Run(ctx, q.client, q.project(c.project), q.skewMS(), c.project, token, c.token,
		dead).Slice()
	if errors.Is(err, goredis.Nil) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if len(reply) == 1 {
		q.log.Warn("queue key was overwritten with another type: its project waits until it is deleted",
			"project", c.project, "key", reply[0])
		return nil, nil
	}
	if len(reply) != 4 {
		return nil, errUnexpectedReply
	}
	head, items := stringSlice(reply[:3]), stringSlice(reply[3])
	claim := &queue.Claim{Project: c.project, Root: head[0], Attempts: int(parseMillis(head[1])),
		Since: time.UnixMilli(parseMillis(head[2])), Token: token, Abandoned: c.token != ""}
	for i := 0; i+1 < len(items); i += 2 {
		claim.Items = append(claim.Items, queue.Item{Path: items[i], ID: items[i+1]})
	}
	if err := q.client.Incr(ctx, q.claims()).Err(); err != nil { // it only tells listeners that something happened
		q.log.Debug("claim not counted", "project", c.project, "key", q.claims(), "error", err)
	}
	return claim, nil
}

// Claimed implements queue.Queue.
func (q *Queue) Claimed(ctx context.Context) (int64, error) {
	n, err := q.client.Get(ctx, q.claims()).Int64()
	if errors.Is(err, goredis.Nil) || err != nil && strings.HasPrefix(err.Error(), "WRONGTYPE") {
		// Inspect tells of that
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read %q: %w", q.claims(), err)
	}
	return n, nil
}

// Renew implements queue.Queue.
func (q *Queue) Renew(ctx context.Context, c *queue.Claim) error {
	_, err := q.runOnClaim(ctx, "renew", c, renewScript, q.project(c.Project))
	return err
}

// Retry implements queue.Queue.
func (q *Queue) Retry(ctx context.Context, c *queue.Claim, delay time.Duration) error {
	_, err := q.runOnClaim(ctx, "retry", c, releaseScript, q.project(c.Project), delay.Milliseconds(), 0)
	return err
}

// Release implements queue.Queue.
func (q *Queue) Release(ctx context.Context, c *queue.Claim, delay time.Duration) error {
	_, err := q.runOnClaim(ctx, "release", c, releaseScript, q.project(c.Project), delay.Milliseconds(), -1)
	return err
}

// Done implements queue.Queue.
func (q *Queue) Done(ctx context.Context, c *queue.Claim, handled []queue.Item) error {
	_, err := q.runOnClaim(ctx, "end", c, doneScript, q.project(c.Project), itemArgs(handled)...)
	return err
}

// Bury implements queue.Queue.
func (q *Queue) Bury(ctx context.Context, c *queue.Claim, reason string) error {
	args := appendDeadLetter(itemArgs(c.Items), queue.LetterForClaim(c, reason, time.Now(), newer))
	n, err := q.runOnClaim(ctx, "bury", c, doneScript, append(q.project(c.Project), q.dead()), args...)
	if n > 1 {
		queue.CountDropped(n - 1)
	}
	return err
}

func itemArgs(items []queue.Item) []any {
	args := []any{len(items)}
	for _, it := range items {
		args = append(args, it.Path, it.ID)
	}
	return args
}

// runOnClaim runs a script that works on a claim.
func (q *Queue) runOnClaim(
	ctx context.Context, what string, c *queue.Claim, s lazyScript, names []string, args ...any,
) (int, error) {
	n, err := s.Run(ctx, q.client, names, append([]any{q.skewMS(), c.Project, c.Token}, args...)...).Int()
	if err == nil && n == 0 {
		err = queue.ErrLost
	}
	if err != nil {
		return 0, fmt.Errorf("%s claim of project %q: %w", what, c.Project, err)
	}
	return n, nil
}

// stringSlice is an array of strings in a reply.
func stringSlice(v any) []string {
	all, _ := v.([]any)
	out := make([]string, len(all))
	for i := range all {
		out[i], _ = all[i].(string)
	}
	return out
}

// parseMillis reads a number, which may come as a score with a fraction; 0 if it is none.
func parseMillis(s string) int64 {
	f, _ := strconv.ParseFloat(s, 64)
	return int64(f)
}
