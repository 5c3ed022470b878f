package assemble

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/compile"
	"github.com/contextd/contextd/internal/profile"
	"github.com/contextd/contextd/internal/receipt"
)

// longFile is a file in Go of functions f0, f1 … of 14 lines each, of which nothing speaks of what a task says.
func longFile(functions int) string {
	var b strings.Builder
	b.WriteString("package tide\n\n")
	for f := range functions {
		fmt.Fprintf(&b, "func f%d() {\n", f)
		for i := range 11 {
			fmt.Fprintf(&b, "\tpour(%d, %d)\n", f, i)
		}
		b.WriteString("}\n\n")
	}
	return b.String()
}

func tideTree() map[string]string {
	tree := maps.Clone(harbour)
	for _, name := range []string{"tide/table.go", "tide/print.go", "tide/moon.go"} {
		tree[name] = longFile(30)
	}
	return tree
}

const tideTrace = "panic: boom\n\ngoroutine 1 [running]:\nmain.pour(...)\n\t/usr/local/go/src/runtime/panic.go:3 +0x1\nmain.f3()\n\t/ci/tide/table.go:50 +0x1d\nmain.f1()\n\t/ci/tide/print.go:20 +0x1d\n"

func TestTheLineOfATraceStandsAsText(t *testing.T) {
	t.Parallel()
	b := setup(t, tideTree())
	filler := strings.Repeat("The printer stops and nobody knows since when. ", 300) // more than is searched for
	for name, change := range map[string]func(*Request){
		"in a description":           func(r *Request) { r.Task.Description = "It stops:\n" + tideTrace },
		"at the end of a long one":   func(r *Request) { r.Task.Description = filler + "\n" + tideTrace },
		"beside a query":             func(r *Request) { r.Task.Description, r.Query = tideTrace, "sessions of a user" },
		"of a cheap context":         func(r *Request) { r.Task.Description, r.Task.Mode = tideTrace, "cheap" },
		"where text is for the sure": func(r *Request) { r.Task.Description, r.InjectAt = tideTrace, ptr(1.) },
		"where all is text":          func(r *Request) { r.Task.Description, r.InjectAt = tideTrace, ptr(.01) },
		"in an issue": func(r *Request) {
			r.Task.Description, r.Task.Issue = "", &compile.Issue{Title: "Stops", Description: tideTrace}
		},
	} {
		req := task()
		change(&req)
		r := b.build(req)
		if code := section(t, r, "Relevant Code"); !strings.Contains(code, "\tpour(3, 4)\n") || !strings.Contains(code, ": pour(1, 2)\n") {
			t.Errorf("%s: line 50 of table.go is not there as text, or line 20 of print.go as a pointer:\n%s", name, code)
		}
		for _, path := range []string{"tide/table.go", "tide/print.go"} {
			l := account(t, b, r.ID, "file:"+path+":")
			if want := map[bool]receipt.Decision{true: receipt.Full, false: receipt.Pointer}[path == "tide/table.go"]; l.Decision != want || l.Scope != profile.Task {
				t.Errorf("%s: %+v, want it as %s", name, l, want)
			}
		}
	}
}

func TestEveryFileOfADiffIsThere(t *testing.T) {
	t.Parallel()
	b := setup(t, tideTree())
	var diff strings.Builder
	for _, path := range []string{"tide/moon.go", "tide/print.go", "tide/table.go", "lamp/keeper.py", "docs/tides.md"} {
		fmt.Fprintf(&diff, "diff --git a/%s b/%s\n--- a/%s\n+++ b/%s\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n", path, path, path, path)
	}
	for name, change := range map[string]func(*Request){
		"as the diff of a task": func(r *Request) { r.Task.Diff = diff.String() },
		"in its text":           func(r *Request) { r.Task.Description = "Review:\n" + diff.String() },
	} {
		req := task()
		req.AgentKind = "reviewer"
		change(&req)
		r := b.build(req)
		for i, path := range []string{"tide/moon.go", "tide/print.go", "tide/table.go", "lamp/keeper.py", "docs/tides.md"} {
			l := account(t, b, r.ID, "file:"+path+":")
			if l.Decision != receipt.Full && l.Decision != receipt.Pointer || i == 0 && l.Decision != receipt.Full || l.Scope != profile.Task {
				t.Errorf("%s: %s: %+v", name, path, l)
			}
		}
	}
}

func TestAFileToChangeHasItsTextBesideAnAskedLine(t *testing.T) {
	t.Parallel()
	b := setup(t, tideTree())
	req := task()
	req.Task.Description, req.Task.FileOperations = tideTrace, []compile.FileOperation{{Op: "modify", Path: "tide/print.go"}}
	if code := section(t, b.build(req), "Relevant Code"); !strings.Contains(code, ": pour(1, 2)\n") || !strings.Contains(code, "```go\n") || strings.Count(code, "tide/print.go:") < 2 {
		t.Errorf("print.go is not there both as the asked line and as text:\n%s", code)
	}
}
