package prompt

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand"
	"regexp"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/compile"
	"github.com/contextd/contextd/internal/profile"
	"github.com/contextd/contextd/internal/receipt"
	"github.com/contextd/contextd/internal/tokens"
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
		"in a description":         func(r *Request) { r.Task.Description = "It stops:\n" + tideTrace },
		"at the end of a long one": func(r *Request) { r.Task.Description = filler + "\n" + tideTrace },
		"beside a query": func(r *Request) {
			r.Task.Description, r.Query = tideTrace, "sessions of a user"
		},
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
		if code := section(t, r, "Relevant Code"); !strings.Contains(code, "\tpour(3, 4)\n") ||
			!strings.Contains(code, ": pour(1, 2)\n") {
			t.Errorf("%s: line 50 of table.go is not there as text, or line 20 of print.go as a pointer:\n%s", name,
				code)
		}
		for _, path := range []string{"tide/table.go", "tide/print.go"} {
			l := account(t, b, r.ID, "file:"+path+":")
			if want := map[bool]receipt.Decision{
				true:  receipt.Full,
				false: receipt.Pointer,
			}[path == "tide/table.go"]; l.Decision != want || l.Scope != profile.Task {
				t.Errorf("%s: %+v, want it as %s", name, l, want)
			}
		}
	}
}

// The texts of lines that a task names and of likely code share the bytes of the code budget, and all of the context
// the tokens of its own.
func TestAskedLinesAndLikelyTextKeepTheBudgets(t *testing.T) {
	t.Parallel()
	b := setup(t, tideTree())
	r := rand.New(rand.NewSource(1))
	var profiles strings.Builder
	profiles.WriteString("profiles:\n")
	most := []int{100, 250, 500, 1000, 2000} // bytes
	for _, n := range most {
		fmt.Fprintf(&profiles,
			"  mason%d:\n    inherits: knight\n    agents: [mason%d]\n    code: {results: 8, chars: 400, bytes: %d}\n",
			n, n, n)
	}
	var err error
	if b.Profiles, err = profile.Load(
		[]profile.File{{Name: "mine.yaml", Data: []byte(profiles.String())}}); err != nil {
		t.Fatal(err)
	}
	fence := regexp.MustCompile("(?s)```go\n(.*?)\n```")
	asked, full, small := 0, 0, 0
	for i := range 60 {
		req, most := task(), most[i%len(most)]
		req.AgentKind = fmt.Sprint("mason", most)
		req.Task.Title, req.Task.Description, req.BudgetTokens = "Pour the tide of the table", tideTrace,
			200+r.Intn(1500)
		req.MinRelevance = ptr(.001)
		if i%3 == 0 {
			req.InjectAt = ptr(r.Float64())
		}
		reply, err := b.Build(context.Background(), req)
		var tight *tokens.TooSmallError
		if errors.As(err, &tight) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if reply.Tokens > req.BudgetTokens {
			t.Fatalf("%s: %d tokens in a budget of %d", req.AgentKind, reply.Tokens, req.BudgetTokens)
		}
		code, sum := section(t, reply, compile.SectionCode), 0
		for _, m := range fence.FindAllStringSubmatch(code, -1) {
			sum += len(m[1])
		}
		if sum > most {
			t.Fatalf("%s: %d bytes of code in a budget of %d", req.AgentKind, sum, most)
		}
		x, err := b.Receipt(context.Background(), reply.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range x.Items {
			switch {
			case l.Reason == string(reasonCap):
				full++
			case l.Reason == reasonBudget:
				small++
			}
		}
		if strings.Contains(code, "\tpour(3, 4)\n") {
			asked++
		}
	}
	if asked < 20 || full < 5 || small < 5 {
		t.Errorf("the asked line stands %d times, %d texts found no bytes and %d no tokens: is this a test?", asked,
			full, small)
	}
}

func TestEveryFileOfADiffIsThere(t *testing.T) {
	t.Parallel()
	b := setup(t, tideTree())
	var diff strings.Builder
	for _, path := range []string{"tide/moon.go", "tide/print.go", "tide/table.go", "lamp/keeper.py", "docs/tides.md"} {
		fmt.Fprintf(&diff, "diff --git a/%s b/%s\n--- a/%s\n+++ b/%s\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n", path,
			path, path, path)
	}
	for name, change := range map[string]func(*Request){
		"as the diff of a task": func(r *Request) { r.Task.Diff = diff.String() },
		"in its text":           func(r *Request) { r.Task.Description = "Review:\n" + diff.String() },
	} {
		req := task()
		req.AgentKind = "reviewer"
		change(&req)
		r := b.build(req)
		for i, path := range []string{
			"tide/moon.go", "tide/print.go", "tide/table.go", "lamp/keeper.py", "docs/tides.md",
		} {
			l := account(t, b, r.ID, "file:"+path+":")
			if l.Decision != receipt.Full && l.Decision != receipt.Pointer || i == 0 && l.Decision != receipt.Full ||
				l.Scope != profile.Task {
				t.Errorf("%s: %s: %+v", name, path, l)
			}
		}
	}
}

func TestAFileToChangeHasItsTextBesideAnAskedLine(t *testing.T) {
	t.Parallel()
	b := setup(t, tideTree())
	req := task()
	req.Task.Description, req.Task.FileOperations = tideTrace,
		[]compile.FileOperation{{Op: "modify", Path: "tide/print.go"}}
	if code := section(t, b.build(req), "Relevant Code"); !strings.Contains(code, ": pour(1, 2)\n") ||
		!strings.Contains(code, "```go\n") || strings.Count(code, "tide/print.go:") < 2 {
		t.Errorf("print.go is not there both as the asked line and as text:\n%s", code)
	}
}
