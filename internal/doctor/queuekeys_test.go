package doctor

import (
	"strings"
	"testing"
)

func TestDamagedQueueKeysAreNamedWithTheCommandThatRepairs(t *testing.T) {
	t.Parallel()
	b := onRedis(t)
	key := b.opts.Prefix + ":pending:web"
	b.do("SET", key, "x")
	found := examine(t, b.opts, nil)
	wantFailing(t, found, "queue keys")
	if c := found["queue keys"]; !strings.Contains(c.Detail, `"web"`) || c.Hint != `redis-cli DEL "`+key+`"` {
		t.Errorf("%+v, want the project and the command", c)
	}
	b.do("DEL", key)
	wantFailing(t, examine(t, b.opts, nil))
}
