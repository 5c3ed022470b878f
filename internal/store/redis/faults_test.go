package redis

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/store"
)

var agent = store.Shelf{Bucket: "memory", Owner: "knight"}

func setup(t *testing.T, args ...string) (*rdbtest.Server, *goredis.Client, *Store) {
	t.Helper()
	s := rdbtest.Own(t, rdbtest.Plain, args...)
	return s, s.Client(t), open(t, s.URL, s.Prefix)
}

func write(t *testing.T, s *Store, id, text string) int64 {
	t.Helper()
	rev, err := s.Apply(t.Context(), agent, store.Write{ID: id, Data: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	return rev
}

// all calls every method once.
func all(ctx context.Context, s *Store) map[string]error {
	_, get := s.Get(ctx, agent, "a")
	_, _, all := s.All(ctx, agent)
	_, rev := s.Rev(ctx, agent)
	_, owners := s.Owners(ctx, "memory")
	_, apply := s.Apply(ctx, agent, store.Write{ID: "b", Data: []byte("2")})
	_, app := s.Append(ctx, "events", 10, []byte("x"))
	_, tail := s.Tail(ctx, "events", "", 1)
	_, last := s.Last(ctx, "events", 1)
	return map[string]error{"get": get, "all": all, "rev": rev, "owners": owners, "apply": apply, "append": app,
		"tail": tail, "last": last}
}

func TestKeysOfAWrongTypeAreErrorsThatNameThemAndChangeNothing(t *testing.T) {
	t.Parallel()
	server, c, s := setup(t)
	for key, touched := range map[string]string{
		":doc:memory:knight": "get all apply", ":rev:memory": "all rev apply", ":owners:memory": "owners apply",
		":log:events": "append tail last",
	} {
		if err := c.FlushAll(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		write(t, s, "a", "1")
		if err := errors.Join(c.Del(t.Context(), server.Prefix+key).Err(),
			c.Set(t.Context(), server.Prefix+key, "mine", 0).Err()); err != nil {
			t.Fatal(err)
		}
		before := dump(t, c)
		for name, err := range all(t.Context(), s) {
			if !strings.Contains(touched, name) {
				continue
			}
			if rdb.Classify(err) != rdb.WrongType || !strings.Contains(err.Error(), server.Prefix+key) {
				t.Errorf("%s with a wrong %s: %v", name, key, err)
			}
		}
		if !strings.Contains(touched, "append") {
			if err := c.Del(t.Context(), server.Prefix+":log:events").Err(); err != nil {
				t.Fatal(err)
			}
			if after := dump(t, c); after != before {
				t.Errorf("with a wrong %s something was changed:\n%s\n%s", key, before, after)
			}
		}
	}
}

// dump is all that the server holds, as text.
func dump(t *testing.T, c *goredis.Client) string {
	t.Helper()
	var b strings.Builder
	for _, key := range c.Keys(t.Context(), "*").Val() {
		b.WriteString(key + "=" + c.Dump(t.Context(), key).Val() + "\n")
	}
	lines := strings.Split(b.String(), "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func TestServerThatIsDownIsAnErrorAndComesBackWithAll(t *testing.T) {
	t.Parallel()
	server, _, s := setup(t, "--appendfsync", "always")
	rev := write(t, s, "a", "1")
	server.Kill(t)
	for name, err := range all(t.Context(), s) {
		if rdb.Classify(err) != rdb.Unreachable {
			t.Errorf("%s: %v", name, err)
		}
	}
	server.Restart(t)
	d, err := s.Get(t.Context(), agent, "a")
	for range 1000 { // the client looks for the server about once a second
		if rdb.Classify(err) != rdb.Unreachable {
			break
		}
		<-time.After(20 * time.Millisecond)
		d, err = s.Get(t.Context(), agent, "a")
	}
	if err != nil || string(d.Data) != "1" || d.Rev != rev {
		t.Errorf("%+v, %v", d, err)
	}
	write(t, s, "b", "2")
}

func TestServerThatHangsIsAnErrorByTheDeadline(t *testing.T) {
	t.Parallel()
	server := rdbtest.Own(t, rdbtest.Plain)
	s, err := Open(Options{URL: server.URL, Prefix: server.Prefix, Deadline: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	server.Pause(t)
	defer server.Resume(t)
	for name, err := range all(t.Context(), s) {
		if class := rdb.Classify(err); class != rdb.Deadline && class != rdb.Unreachable {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRevisionsAndIDsDoNotComeAgainAfterAFlush(t *testing.T) {
	t.Parallel()
	_, c, s := setup(t)
	rev := write(t, s, "a", "1")
	id, err := s.Append(t.Context(), "events", 10, []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	if at, err := s.Rev(t.Context(), agent); at != 0 || err != nil {
		t.Errorf("revision %d, %v", at, err)
	}
	if again := write(t, s, "a", "1"); again <= rev {
		t.Errorf("revision %d after %d", again, rev)
	}
	if again, err := s.Append(t.Context(), "events", 10, []byte("x")); err != nil || again < id {
		t.Errorf("id %q after %q, %v", again, id, err)
	}
}

func TestRevisionsGrowThoughTheServersClockIsBehind(t *testing.T) {
	t.Parallel()
	server, c, s := setup(t)
	write(t, s, "a", "1")
	const far = int64(4_000_000_000_000_000) // µs: the year 2096
	if err := c.HSet(t.Context(), server.Prefix+":rev:memory", "knight", far).Err(); err != nil {
		t.Fatal(err)
	}
	for i := range int64(3) {
		if rev := write(t, s, "a", "1"); rev != far+1+i {
			t.Errorf("revision %d, want %d", rev, far+1+i)
		}
	}
}

func TestServerWithoutMemoryRefusesAndLeavesAllAsItWas(t *testing.T) {
	t.Parallel()
	_, c, s := setup(t)
	write(t, s, "a", "1")
	before := dump(t, c)
	if err := c.ConfigSet(t.Context(), "maxmemory", "1").Err(); err != nil {
		t.Fatal(err)
	}
	_, apply := s.Apply(t.Context(), agent, store.Write{ID: "a", Data: []byte("2")},
		store.Write{ID: "b", Data: []byte("2")})
	_, app := s.Append(t.Context(), "events", 10, []byte("x"), []byte("y"))
	for name, err := range map[string]error{"apply": apply, "append": app} {
		if rdb.Classify(err) != rdb.OOM {
			t.Errorf("%s: %v", name, err)
		}
	}
	if after := dump(t, c); after != before {
		t.Errorf("%s\n%s", before, after)
	}
}

func TestFieldsOfOthersAreErrorsThatNameThem(t *testing.T) {
	t.Parallel()
	server, c, s := setup(t)
	write(t, s, "a", "1")
	for _, value := range []string{"", "text", "12", "-1 x", "x y"} {
		if err := c.HSet(t.Context(), server.Prefix+":doc:memory:knight", "alien", value).Err(); err != nil {
			t.Fatal(err)
		}
		_, _, all := s.All(t.Context(), agent)
		_, get := s.Get(t.Context(), agent, "alien")
		for _, err := range []error{all, get} {
			if err == nil || !strings.Contains(err.Error(), `field "alien"`) {
				t.Errorf("%q: %v", value, err)
			}
		}
	}
	write(t, s, "alien", "1") // what is overwritten is ours again
	if d, err := s.Get(t.Context(), agent, "alien"); err != nil || string(d.Data) != "1" {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestPrefixesAreApart(t *testing.T) {
	t.Parallel()
	server, _, s := setup(t)
	write(t, s, "a", "1")
	other := open(t, server.URL, server.Prefix+":doc")
	if docs, rev, err := other.All(t.Context(), agent); len(docs) > 0 || rev != 0 || err != nil {
		t.Errorf("%v, %d, %v", docs, rev, err)
	}
}
