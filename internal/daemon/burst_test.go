package daemon

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
)

// runs is how many runs the daemons of this process have ended so far, as /metrics tells.
func runs(t *testing.T, url string) (n int) {
	t.Helper()
	_, body := get(t, url+"/metrics")
	for line := range strings.Lines(body) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok &&
			strings.HasPrefix(name, "contextd_index_runs_total{") {
			k, err := strconv.Atoi(value)
			if err != nil {
				t.Fatalf("metric %q: %v", line, err)
			}
			n += k
		}
	}
	return n
}

// TestTenThousandMessagesForTenProjectsAreAtMostThirtyRuns adds them as a program in another language would, in the two
// seconds after which a project waits no longer: one run then, and one or two for what came after it.
func TestTenThousandMessagesForTenProjectsAreAtMostThirtyRuns(t *testing.T) {
	const projects, messages, batch = 10, 10_000, 500
	b := newBundle(t, rdbtest.Own(t, rdbtest.Search))
	for i := range projects {
		for k := range 5 {
			b.write(fmt.Sprintf("p%d/f%d.go", i, k), fmt.Sprintf("package p%d\n\nfunc F%d() {}\n", i, k))
		}
	}
	url, _ := b.start(func(o *Options) { o.Watch, o.Allow = nil, []string{b.root} })
	before := runs(t, url)
	client, ctx := b.redis.Client(t), t.Context()
	began := time.Now()
	for at := 0; at < messages; at += batch {
		if _, err := client.Pipelined(ctx, func(p redis.Pipeliner) error {
			for i := at; i < at+batch; i++ {
				p.XAdd(ctx, &redis.XAddArgs{Stream: b.redis.Prefix + ":refresh",
					Values: []any{queue.FieldProject, fmt.Sprintf("p%d", i%projects),
						queue.FieldRoot, filepath.Join(b.root, fmt.Sprintf("p%d", i%projects)), queue.FieldFiles,
						fmt.Sprintf(`["f%d.go"]`, i/projects%5)}})
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	took := time.Since(began)
	for i := range projects {
		b.indexed(fmt.Sprintf("p%d", i), "f0.go", "f1.go", "f2.go", "f3.go", "f4.go")
	}
	b.eventually("an empty queue", func() string {
		s, err := b.back.Stats(ctx)
		if err != nil || s.Depth+s.Inflight+s.Dead > 0 {
			return fmt.Sprintf("%+v, %v", s, err)
		}
		return ""
	})
	// A machine so busy that adding took longer may run each project again every two seconds.
	most := projects * (3 + int(max(0, took-2*time.Second)/(2*time.Second)))
	if n := runs(t, url) - before; n < projects || n > most {
		t.Errorf("%d runs for %d messages in %v, want at most %d", n, messages, took, most)
	}
}

// The same on the embedded backing, whose intake takes what commands push.
func TestAThousandPushesForTenProjectsAreAtMostThirtyRuns(t *testing.T) {
	const projects, pushes = 10, 1000
	b := newBundle(t, nil)
	for i := range projects {
		b.write(fmt.Sprintf("p%d/f.go", i), "package p\n")
	}
	url, _ := b.start(func(o *Options) { o.Watch, o.Allow = nil, []string{b.root} })
	before := runs(t, url)
	began := time.Now()
	for i := range pushes {
		b.push(queue.Request{Project: fmt.Sprintf("p%d", i%projects),
			Root: filepath.Join(b.root, fmt.Sprintf("p%d", i%projects)), Paths: []string{"f.go"}})
	}
	took := time.Since(began)
	for i := range projects {
		b.indexed(fmt.Sprintf("p%d", i), "f.go")
	}
	most := projects * (3 + int(max(0, took-2*time.Second)/(2*time.Second)))
	if n := runs(t, url) - before; n < projects || n > most {
		t.Errorf("%d runs for %d pushes in %v, want at most %d", n, pushes, took, most)
	}
}
