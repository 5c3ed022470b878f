package sqlite

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/queue/queuetest"
)

// A one-shot query opens the queue, looks and closes it.
func BenchmarkOpenWaitingClose(b *testing.B) {
	path := filepath.Join(b.TempDir(), "queue.db")
	open(b, path).Close()
	for b.Loop() {
		q, ok, err := OpenExisting(path, slog.New(slog.DiscardHandler))
		if !ok || err != nil {
			b.Fatal(ok, err)
		}
		if _, err := q.Waiting(context.Background(), "web"); err != nil {
			b.Fatal(err)
		}
		q.Close()
	}
}

// The daemon looks for messages and for due projects about ten times a second.
func BenchmarkIdlePoll(b *testing.B) {
	q := open(b, filepath.Join(b.TempDir(), "queue.db"))
	for b.Loop() {
		if ms, err := q.readIntake(context.Background(), batch); err != nil || len(ms) > 0 {
			b.Fatal(ms, err)
		}
		if c, err := q.Claim(context.Background()); err != nil || c != nil {
			b.Fatal(c, err)
		}
	}
}

func BenchmarkPush(b *testing.B) {
	q := open(b, filepath.Join(b.TempDir(), "queue.db"))
	for b.Loop() {
		if _, err := q.Push(context.Background(), queue.Request{Project: "web", Root: queuetest.At("web"), Paths: []string{"a.go"}}); err != nil {
			b.Fatal(err)
		}
	}
}

// One message of 1,000 paths, drained, claimed and done.
func BenchmarkThousandPaths(b *testing.B) {
	q := open(b, filepath.Join(b.TempDir(), "queue.db"))
	r := queue.Request{Project: "web", Root: queuetest.At("web")}
	for i := range 1000 {
		r.Paths = append(r.Paths, fmt.Sprintf("some/folder/f%d.go", i))
	}
	ctx, ahead := context.Background(), time.Duration(0)
	q.skew = func() time.Duration { return ahead }
	for b.Loop() {
		if _, err := q.Push(ctx, r); err != nil {
			b.Fatal(err)
		}
		if _, err := q.Drain(ctx, nil); err != nil {
			b.Fatal(err)
		}
		ahead = time.Minute // so that it is due
		c, err := q.Claim(ctx)
		if err != nil || c == nil {
			b.Fatal(c, err)
		}
		ahead = 0
		if err := q.Done(ctx, c, c.Items); err != nil {
			b.Fatal(err)
		}
	}
}
