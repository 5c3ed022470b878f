package sqlite

import (
	"log/slog"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/contextd/contextd/internal/queue/queuetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestQueue(t *testing.T) {
	t.Parallel()
	queuetest.Run(t, func(t *testing.T) queuetest.Opener {
		path := filepath.Join(t.TempDir(), "state", "queue.db")
		return func() queuetest.Queue { return open(t, path) }
	})
}

func open(t testing.TB, path string) *Queue {
	t.Helper()
	q, err := Open(path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { q.Close() })
	return q
}
