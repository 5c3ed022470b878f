package redis

import (
	"log/slog"
	"testing"

	"go.uber.org/goleak"

	"github.com/contextd/contextd/internal/queue/queuetest"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestQueue(t *testing.T) {
	t.Parallel()
	server := rdbtest.Own(t, rdbtest.Plain)
	queuetest.Run(t, func(t *testing.T) queuetest.Opener {
		prefix := server.Prefix + ":" + t.Name()
		return func() queuetest.Queue { return open(t, server.URL, prefix) }
	})
}

func open(t testing.TB, url, prefix string) *Queue {
	t.Helper()
	q, err := Open(Options{URL: url, Prefix: prefix, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = q.Close() })
	return q
}
