package redisearch

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/search"
)

// recorder keeps the commands that a client sends.
type recorder struct{ sent [][]any }

func (r *recorder) DialHook(next redis.DialHook) redis.DialHook { return next }

func (r *recorder) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		r.sent = append(r.sent, cmd.Args())
		return next(ctx, cmd)
	}
}

func (r *recorder) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		for _, c := range cmds {
			if name := c.Name(); name != "multi" && name != "exec" {
				r.sent = append(r.sent, c.Args())
			}
		}
		return next(ctx, cmds)
	}
}

// commandsOf are those that one Nominate sends.
func commandsOf(b *testing.B, x *Index, q search.Query) [][]any {
	b.Helper()
	var r recorder
	own, err := Open(x.opts) // the hook stays with its client
	if err != nil {
		b.Fatal(err)
	}
	defer own.Close()
	s, err := own.Open(context.Background(), "p")
	if err != nil {
		b.Fatal(err)
	}
	own.readClient.AddHook(&r)
	q.Langs, q.Globs = nil, nil
	if _, err := s.Nominate(context.Background(), q); err != nil {
		b.Fatal(err)
	}
	return r.sent
}

// BenchmarkSearchWhileWriting times the text leg of a project alone, then beside a bulk write of another one. The
// server has one thread: what it does for the writer between two answers is what they wait for.
func BenchmarkSearchWhileWriting(b *testing.B) {
	x := benchIndex(b, 1000)
	ctx := context.Background()
	s, err := x.Open(ctx, "p")
	if err != nil {
		b.Fatal(err)
	}
	args := textArgs(s.(*snapshot).record().idx, "", anyOf(query("wordA1 wordB2 wordC30 wordD400 name3of17").Words, 4096), textHits, true, 1000)
	measure := func(n int, until <-chan struct{}) (p50, p99 time.Duration) {
		var took []time.Duration
		for i := 0; i < n; i++ {
			select {
			case <-until:
				i = n
			default:
			}
			began := time.Now()
			if err := x.readClient.Do(ctx, args...).Err(); err != nil {
				b.Fatal(err)
			}
			took = append(took, time.Since(began))
			time.Sleep(20 * time.Millisecond) // fifty questions a second at most
		}
		slices.Sort(took)
		return took[len(took)/2], took[len(took)*99/100]
	}
	docs := corpus(2000)
	var chunks int
	var writing time.Duration
	var idle, busy, idleHalf, busyHalf time.Duration
	for b.Loop() {
		idleHalf, idle = measure(300, nil)
		done := make(chan struct{})
		go func() {
			defer close(done)
			began := time.Now()
			putExpected(b, x, search.Spec{Project: "q", Root: "/srv/q", Full: true, Model: search.Model{Embedder: "b", Dims: benchDims, Analyzer: 1}}, docs...)
			writing += time.Since(began)
			chunks += 10 * len(docs)
		}()
		busyHalf, busy = measure(100_000, done)
		<-done
	}
	ms := func(d time.Duration) float64 { return d.Seconds() * 1000 }
	b.ReportMetric(ms(idleHalf), "idle-p50-ms")
	b.ReportMetric(ms(idle), "idle-p99-ms")
	b.ReportMetric(ms(busyHalf), "busy-p50-ms")
	b.ReportMetric(ms(busy), "busy-p99-ms")
	b.ReportMetric(float64(busy)/float64(idle), "p99-ratio")
	b.ReportMetric(float64(chunks)/writing.Seconds(), "chunks/s")
}
