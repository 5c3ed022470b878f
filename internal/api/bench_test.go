package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/memory"
)

// benchWorld is a server over a project of over 10,000 chunks (Go's own commands, or the tree of CONTEXTD_BENCH_TREE)
// and an agent that remembers 1,000 things.
func benchWorld(b *testing.B) *world {
	b.Helper()
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Fatal(err)
	}
	root, err := filepath.EvalSymlinks(cmp.Or(os.Getenv("CONTEXTD_BENCH_TREE"),
		filepath.Join(strings.TrimSpace(string(goroot)), "src", "cmd")))
	if err != nil {
		b.Fatal(err)
	}
	w := startWith(b, root, backend.Options{})
	w.root = root
	w.index("web")
	m, err := w.app.Memory()
	if err != nil {
		b.Fatal(err)
	}
	kinds := []string{"decision", "fact", "procedure", "episode", "convention", "plan", "failure", "review", "summary",
		"tool_output"}
	subjects := strings.Fields("parser scanner escape inlining register closure generics channel deadcode linker export import alias loop bounds slice map hash method writer")
	var drafts []memory.Draft
	for i := range 1000 {
		x, y := subjects[i%len(subjects)], subjects[(i*7+3)%len(subjects)]
		d := memory.Draft{Kind: kinds[i%len(kinds)], Scope: []string{"task", "project", "global"}[i%3],
			Content: fmt.Sprintf("Note %d: the %s depends on the %s, so a change of one needs a test of the other; see step %d of the plan.", i, x, y, i%17)}
		if i%4 != 0 {
			w := .4 + float64(i%40)/100 // WARM
			d.Importance = &w
		}
		drafts = append(drafts, d)
	}
	if _, err := m.SaveAll(b.Context(), memory.Who{Agent: "knight-1", Project: "web"}, drafts); err != nil {
		b.Fatal(err)
	}
	return w
}

// timed posts what body makes, over and over, on one connection, and reports how long that takes.
func (w *world) timed(b *testing.B, path string, body func(i int) any) {
	b.Helper()
	post := func(i int) time.Duration {
		data, err := json.Marshal(body(i))
		if err != nil {
			b.Fatal(err)
		}
		began := time.Now()
		resp, err := w.http.Client().Post(w.http.URL+path, "application/json", bytes.NewReader(data))
		if err != nil {
			b.Fatal(err)
		}
		defer resp.Body.Close()
		answer, err := io.ReadAll(resp.Body)
		took := time.Since(began)
		if err != nil || resp.StatusCode != http.StatusOK ||
			i >= 0 && bytes.Contains(answer, []byte(`"status":"degraded"`)) {
			b.Fatalf("request %d: %d %.300s %v", i, resp.StatusCode, answer, err)
		}
		return took
	}
	post(-1) // opens what a server has open
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		took = append(took, post(i))
	}
	slices.Sort(took)
	for _, p := range []int{50, 99} {
		b.ReportMetric(took[len(took)*p/100].Seconds()*1000, fmt.Sprintf("p%d-ms", p))
	}
}

var benchTasks = []string{"Fix the escape analysis of closures that are called in a loop",
	"Where are bounds checks removed, and why does this one stay",
	"Add a pass that merges conversions of strings", "The register allocator spills in a tight loop: find out why",
	"Inline calls of generic methods"}

// BenchmarkContext is POST /v1/context whole, over a real connection: a new task and a conversation of 20 messages each
// time.
func BenchmarkContext(b *testing.B) { benchContext(b, nil) }

// BenchmarkContextOfNamedFiles is that of a task that says which files it changes.
func BenchmarkContextOfNamedFiles(b *testing.B) {
	benchContext(b, []map[string]string{{"op": "modify", "path": "compile/internal/escape/solve.go"},
		{"op": "modify", "path": "compile/internal/ssa/prove.go"}})
}

func benchContext(b *testing.B, operations []map[string]string) {
	w := benchWorld(b)
	w.timed(b, "/v1/context", func(i int) any {
		var talk []map[string]string
		for k := range 20 {
			talk = append(talk, map[string]string{"role": []string{"user", "assistant"}[(i+k+1)%2],
				"content": fmt.Sprintf("Turn %d: I looked at the compiler and think that this pass of it moves bounds checks out of loops. %s", i+k,
					strings.Repeat("The test shows it in the listing, where the branch is gone after the pass. ", 6))})
		}
		title := benchTasks[(i+1)%len(benchTasks)]
		return map[string]any{"project": "web", "agent": "knight-1", "agent_kind": "knight", "conversation": talk,
			"task": map[string]any{"id": fmt.Sprint("task-", i), "title": title,
				"description": fmt.Sprintf("%s; attempt %d.", title, i), "mode": "implement",
				"file_operations": operations}}
	})
}

// BenchmarkSearch is POST /v1/search over a real connection.
func BenchmarkSearch(b *testing.B) {
	w := benchWorld(b)
	w.timed(b, "/v1/search", func(i int) any {
		return map[string]any{"project": "web", "query": benchTasks[(i+1)%len(benchTasks)]}
	})
}
