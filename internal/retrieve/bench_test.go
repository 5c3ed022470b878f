package retrieve_test

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/embed/static"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/search/local"
)

// benchRoot is the tree of the benchmarks: CONTEXTD_BENCH_TREE, or the sources of Go's own net packages.
func benchRoot(b *testing.B) string {
	b.Helper()
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Fatal(err)
	}
	root, err := filepath.EvalSymlinks(cmp.Or(os.Getenv("CONTEXTD_BENCH_TREE"),
		filepath.Join(strings.TrimSpace(string(goroot)), "src", "net")))
	if err != nil {
		b.Fatal(err)
	}
	return root
}

// benchQuery asks one question after another; with oneShot each is asked as a process of its own would, from the walk
// on.
func benchQuery(b *testing.B, oneShot bool) {
	root, dir, ctx := benchRoot(b), b.TempDir(), context.Background()
	e, err := static.Default()
	if err != nil {
		b.Fatal(err)
	}
	open := func() (*local.Index, *retrieve.Retriever) {
		index, err := local.Open(local.Options{Dir: dir})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := ingest.New(index, ingest.Options{Embedder: e}).Refresh(ctx,
			ingest.Request{Project: "p", Root: root}); err != nil {
			b.Fatal(err)
		}
		return index, retrieve.New(retrieve.Options{Index: index, Queue: &bench{}, Embedders: finds(embedder),
			Embedded: true, Log: slog.New(slog.DiscardHandler)})
	}
	questions := []string{"where is the request handled", "ResponseWriter", "parse a header line",
		"timeout of a connection", "dial with retries"}
	index, rt := open()
	defer func() { index.Close() }()
	b.ReportAllocs()
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		began := time.Now()
		if oneShot {
			index.Close()
			index, rt = open()
		}
		r := rt.Query(ctx, retrieve.Request{Text: questions[i%len(questions)],
			Target: access.Target{Project: "p", Root: root}, Deadline: time.Minute})
		if r.Status == retrieve.Degraded {
			b.Fatalf("no answer of full strength: %+v", r)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	for _, p := range []int{50, 99} {
		b.ReportMetric(took[len(took)*p/100].Seconds()*1000, fmt.Sprintf("p%d-ms", p))
	}
}

func BenchmarkWarmQuery(b *testing.B)    { benchQuery(b, false) }
func BenchmarkOneShotQuery(b *testing.B) { benchQuery(b, true) }
