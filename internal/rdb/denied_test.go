package rdb_test

import (
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
)

// TestForbiddenCommandNamesUserAndCommand: by itself, in a pipeline and inside of a script, and the hint is not about
// passwords.
func TestForbiddenCommandNamesUserAndCommand(t *testing.T) {
	t.Parallel()
	s := rdbtest.Own(t, rdbtest.Plain)
	c, err := rdb.Worker(s.User(t, "harbour", "secret", "~ctx:*", "-@all", "+ping", "+info", "+eval",
		"+evalsha", "+get"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx := t.Context()
	_, piped := c.Pipelined(ctx, func(p redis.Pipeliner) error { return p.HSet(ctx, "ctx:a", "f", 1).Err() })
	script := redis.NewScript(`return redis.call('HSET', KEYS[1], 'f', 1)`)
	for name, err := range map[string]error{"alone": c.HSet(ctx, "ctx:a", "f", 1).Err(), "in a pipeline": piped,
		"in a script": script.Run(ctx, c, []string{"ctx:a"}).Err()} {
		if rdb.Classify(err) != rdb.Auth || !strings.Contains(err.Error(), "harbour") ||
			!strings.Contains(err.Error(), "hset") && !strings.Contains(err.Error(), "script: ") {
			// Redis 7.0 tells the script's sum
			t.Errorf("%s: %v (class %q), want user and command named", name, err, rdb.Classify(err))
		}
		if hint := rdb.AuthHint(err); !strings.Contains(hint, "ACL") {
			t.Errorf("%s: hint %q", name, hint)
		}
	}
	if err := c.Get(ctx, "other:a").Err(); rdb.Classify(err) != rdb.Auth ||
		!strings.Contains(rdb.AuthHint(err), "ACL") {
		t.Errorf("a key of others: %v (class %q)", err, rdb.Classify(err))
	}
	wrong, err := rdb.Worker(strings.Replace(s.URL, "redis://", "redis://harbour:wrong@", 1))
	if err != nil {
		t.Fatal(err)
	}
	defer wrong.Close()
	if err := wrong.Ping(ctx).Err(); rdb.Classify(err) != rdb.Auth || !strings.Contains(rdb.AuthHint(err), "password") {
		t.Errorf("a wrong password: %v, %q", err, rdb.AuthHint(err))
	}
}
