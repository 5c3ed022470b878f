package prompt

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/history"
	"github.com/contextd/contextd/internal/memory"
)

// benchRoot is the tree of the benchmark: CONTEXTD_BENCH_TREE, or the sources of Go's own commands, over 10,000 chunks.
func benchRoot(b *testing.B) string {
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
	return root
}

// fill remembers n items and completes tasks.
func (b *bench) fill(n int) {
	b.t.Helper()
	kinds := []string{"decision", "fact", "procedure", "episode", "convention", "plan", "failure", "review", "summary",
		"tool_output"}
	subjects := strings.Fields("parser scanner escape analysis inlining register allocation closure generics channel select deadcode linker export import " +
		"position alias loop bounds check slice string map hash interface method walk order typecheck noder reader writer")
	var drafts []memory.Draft
	for i := range n {
		x, y := subjects[i%len(subjects)], subjects[(i*7+3)%len(subjects)]
		d := memory.Draft{Kind: kinds[i%len(kinds)], Scope: []string{"task", "project", "global"}[i%3],
			Content: fmt.Sprintf("Note %d: the %s depends on the %s, so a change of one needs a test of the other before it is merged; see step %d of the plan.", i, x, y, i%17)}
		if i%4 != 0 {
			w := .4 + float64(i%40)/100 // WARM
			d.Importance = &w
		}
		drafts = append(drafts, d)
	}
	if _, err := b.Memory.SaveAll(context.Background(), memory.Who{Agent: "knight-1", Project: "p"},
		drafts); err != nil {
		b.t.Fatal(err)
	}
	for i := range 8 {
		if _, err := b.History.Complete(context.Background(), "p",
			history.Task{
				ID: fmt.Sprint("task-", i), Intent: "Fix the " + subjects[i], Success: new(true),
			}); err != nil {
			b.t.Fatal(err)
		}
	}
}

// conversation has n messages; that of the next i begins with the second of them.
func conversation(n, i int) (out []Message) {
	for k := range n {
		role := []string{"user", "assistant"}[(i+k)%2]
		out = append(out,
			Message{Role: role,
				Content: fmt.Sprintf("Turn %d: I looked at the compiler and think that this pass of it moves bounds checks out of loops. %s", i+k,
					strings.Repeat("The test shows it in the listing, where the branch is gone after the pass. ", 6))})
	}
	return out
}

// BenchmarkBuild makes one context after another: each task is a new text, the conversation grows, memory and history
// stay.
func BenchmarkBuild(b *testing.B) {
	w := open(b, benchRoot(b))
	w.refresh()
	w.fill(1000)
	tasks := []string{"Fix the escape analysis of closures that are called in a loop",
		"Where are bounds checks removed, and why does this one stay",
		"Add a pass that merges conversions of strings", "The register allocator spills in a tight loop: find out why",
		"Inline calls of generic methods"}
	var took []time.Duration
	next := func(i int) Request {
		w.later(time.Minute)
		req := task()
		req.DeadlineMS = 200
		req.Task.ID, req.Task.Title, req.Task.Description = fmt.Sprint("task-", i), tasks[(i+1)%len(tasks)],
			fmt.Sprintf("%s; attempt %d.", tasks[(i+1)%len(tasks)], i)
		req.Conversation = conversation(20, i+1)
		return req
	}
	r := w.build(next(-1)) // loads the vocabulary and opens what a server has open
	b.Logf("%d chunks, %d sections, %d tokens", r.Searched.Chunks, len(r.Sections), r.Tokens)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		req := next(i)
		began := time.Now()
		r, err := w.Build(context.Background(), req)
		took = append(took, time.Since(began))
		if err != nil || r.Status != OK {
			b.Fatalf("%+v %v", r, err)
		}
	}
	slices.Sort(took)
	for _, p := range []int{50, 99} {
		b.ReportMetric(took[len(took)*p/100].Seconds()*1000, fmt.Sprintf("p%d-ms", p))
	}
}
