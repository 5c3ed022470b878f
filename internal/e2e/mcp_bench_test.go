//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/e2e/e2etest"
)

// BenchmarkMCP tells the medians of an agent's waiting: from the start of its process to the list of tools, and for an
// answer, beside those of the command query on the same tree. CONTEXTD_BENCH_TREE names one; else it is one of 200
// files.
func BenchmarkMCP(b *testing.B) {
	w := &e2etest.World{Bin: bin, Dir: filepath.Join(b.TempDir(), "world"), Prefix: "ctx"}
	root, question := os.Getenv("CONTEXTD_BENCH_TREE"), "where is a request checked"
	must := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	if root == "" {
		root, question = filepath.Join(b.TempDir(), "src"), e2etest.Question(3)
		must(e2etest.Tree(root, 0, 200, 1, 40))
	}
	_, err := w.Index(root)
	must(err)
	var starts, answers, commands []time.Duration
	m, err := w.MCP(root, "--root", root)
	must(err)
	defer m.Kill()
	for b.Loop() {
		began := time.Now()
		other, err := w.MCP(root, "--root", root)
		must(err)
		_, err = other.Ask("tools/list", map[string]any{})
		must(err)
		starts = append(starts, time.Since(began))
		must(other.End(soon))

		began = time.Now()
		_, err = m.Call("search_code", map[string]any{"query": question})
		must(err)
		answers = append(answers, time.Since(began))

		reply, err := w.Query(root, question)
		must(err)
		commands = append(commands, reply.Took)
	}
	b.ReportMetric(median(starts), "ms/list")
	b.ReportMetric(median(answers), "ms/search")
	b.ReportMetric(median(commands), "ms/query")
}

// median is in milliseconds.
func median(all []time.Duration) float64 {
	slices.Sort(all)
	return float64(all[len(all)/2].Microseconds()) / 1000
}
