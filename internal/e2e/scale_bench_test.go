//go:build unix

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/e2e/e2etest"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
)

// BenchmarkOneChangedFile tells the median time from the write of one file, which a daemon watches with all others, to
// an index that has it, and what of that the daemon does not wait on purpose. CONTEXTD_BENCH_FILES says in how many
// files, else it is 1,000, and CONTEXTD_BENCH_CHUNKS of how many chunks, else one; CONTEXTD_BENCH_KEEP names a folder
// where the tree and its index are left for the next time.
func BenchmarkOneChangedFile(b *testing.B) {
	b.Run("embedded", func(b *testing.B) { benchOneChangedFile(b, &e2etest.World{Prefix: "ctx"}) })
	b.Run("redis", func(b *testing.B) {
		s := rdbtest.Own(b, rdbtest.Search)
		benchOneChangedFile(b, &e2etest.World{Redis: s.URL, Prefix: s.Prefix})
	})
}

func benchOneChangedFile(b *testing.B, w *e2etest.World) {
	root, files := benchTree(b, w)
	must := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	_, err := w.Index(root)
	must(err)
	d, err := w.Daemon("--watch", root)
	must(err)
	defer d.Kill()
	must(d.Ready(soon))
	must(w.Settled(root, soon))
	var times []time.Duration
	rev := 0
	for b.Loop() {
		rev++
		i := rev * 7919 % files
		before, err := w.Project(root)
		must(err)
		began := time.Now()
		must(e2etest.Write(root, e2etest.SourceName(i), e2etest.Source(i, rev, 12)))
		for now := before; now.Generation == before.Generation; {
			if time.Since(began) > soon {
				b.Fatalf("%q is not indexed: %s", e2etest.SourceName(i), d.Log())
			}
			now, err = w.Project(root)
			must(err)
		}
		times = append(times, time.Since(began))
		must(w.Settled(root, soon))
		b.StopTimer()
		time.Sleep(watchRest)
		b.StartTimer()
	}
	r, err := w.Query(root, "step_"+e2etest.Word(1000*rev), "--no-index", "--deadline", patient)
	must(err)
	if name := e2etest.SourceName(rev * 7919 % files); !r.Has(name) {
		b.Fatalf("%q is not searchable: %s %q %+v", name, r.Status, r.Reasons, r.Results)
	}
	b.ReportMetric(median(times), "ms/searchable")
	b.ReportMetric(median(times)-float64(queue.Debounce.Milliseconds()), "ms/work")
}

// watchRest is how long no file changes before the next one does: a change on its own, not one of a burst.
const watchRest = 1500 * time.Millisecond

// benchTree writes the sources of a benchmark, committed to git, and makes w a world that takes all of them.
func benchTree(b *testing.B, w *e2etest.World) (root string, files int) {
	b.Helper()
	files, chunks := benchCount(b, "CONTEXTD_BENCH_FILES", 1000), benchCount(b, "CONTEXTD_BENCH_CHUNKS", 1)
	dir := os.Getenv("CONTEXTD_BENCH_KEEP")
	if dir == "" {
		dir = b.TempDir()
	}
	w.Bin, w.Dir, w.Limit = bin, filepath.Join(dir, "world"), time.Hour
	w.Env = append(w.Env, fmt.Sprintf("CONTEXTD_MAX_FILES=%d", files), "CONTEXTD_MAX_PROJECT_BYTES=100000000000")
	root = filepath.Join(dir, fmt.Sprintf("src-%d-%d", files, chunks))
	if _, err := os.Stat(filepath.Join(root, ".git", "logs", "HEAD")); err == nil {
		return root, files
	}
	for i := range files {
		text := e2etest.Source(i, 0, 12)
		if chunks > 1 {
			text = e2etest.Module(i, 0, chunks+1) // the first definition is as short as to go with the next
		}
		if err := e2etest.Write(root, e2etest.SourceName(i), text); err != nil {
			b.Fatal(err)
		}
	}
	if err := e2etest.Commit(root, "all"); err != nil {
		b.Fatal(err)
	}
	return root, files
}

func benchCount(b *testing.B, name string, count int) int {
	b.Helper()
	if s := os.Getenv(name); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			b.Fatal(fmt.Errorf("%s: want a number from 1 (got %q)", name, s))
		}
		count = n
	}
	return count
}

// BenchmarkOneShotQuery tells the medians of the command query, when nothing has changed since the tree was indexed,
// and of git grep for the same name, asked in turn. The tree is that of BenchmarkOneChangedFile.
func BenchmarkOneShotQuery(b *testing.B) {
	w := &e2etest.World{Prefix: "ctx"}
	root, files := benchTree(b, w)
	_, err := w.Index(root)
	if err != nil {
		b.Fatal(err)
	}
	var queries, cpu, greps []time.Duration
	for i := 0; b.Loop(); i++ {
		name := e2etest.Question(i * 7919 % files)
		r, err := w.Query(root, name, "--deadline", patient)
		if err != nil || r.Status != "ok" {
			b.Fatalf("%q: %+v, %v", name, r, err)
		}
		queries, cpu = append(queries, r.Took), append(cpu, r.CPU)
		began := time.Now()
		if err := e2etest.Git(root, "grep", "-n", name); err != nil {
			b.Fatal(err)
		}
		greps = append(greps, time.Since(began))
	}
	b.ReportMetric(median(queries), "ms/query")
	b.ReportMetric(median(cpu), "cpu-ms/query")
	b.ReportMetric(median(greps), "ms/grep")
	b.ReportMetric(median(queries)/median(greps), "x/grep")
}
