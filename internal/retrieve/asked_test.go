package retrieve_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/search"
)

// module is a file of two functions whose bodies nothing speaks of: line 3 of head defines the first, and each has 12
// lines like step.
func module(head, def, step, end string) string {
	var b strings.Builder
	b.WriteString(head + "\n\n")
	for f := range 2 {
		fmt.Fprintf(&b, def+"\n", f)
		for i := range 12 {
			fmt.Fprintf(&b, step+"\n", f, i)
		}
		b.WriteString(end + "\n\n")
	}
	return b.String()
}

// quayside is a tree of many languages.
func quayside() map[string]string {
	braces := func(def string) string {
		return module("// Unit of the quayside.", def+" {", "    pour(%d, %d);", "}")
	}
	return map[string]string{
		"web/app.go":                          module("package web", "func hoist%d() {", "\tpour(%d, %d)", "}"),
		"web/other.go":                        module("package web", "func lower%d() {", "\tdrain(%d, %d)", "}"),
		"src/crane.py":                        module("import os", "def hoist%d():", "    pour(%d, %d)", ""),
		"src/winch.py":                        module("import os", "def wind%d():", "    pull(%d, %d)", ""),
		"front/src/crane.js":                  braces("function hoist%d()"),
		"front/src/crane.ts":                  braces("export function hoist%d(): void"),
		"core/main/java/com/acme/Crane.java":  braces("void hoist%d()"),
		"test/main/java/com/other/Crane.java": braces("void lower%d()"),
		"core/src/crane.rs":                   braces("fn hoist%d()"),
		"svc/Crane.cs":                        braces("void Hoist%d()"),
		"lib/crane.rb":                        module("# Unit", "def hoist%d", "  pour(%d, %d)", "end"),
		"php/crane.php":                       braces("<?php\nfunction hoist%d()"),
		"lib/crane.ex":                        module("# Unit", "def hoist%d do", "  pour(%d, %d)", "end"),
		"Sources/Crane.swift":                 braces("func hoist%d()"),
		"c/crane.c":                           braces("void hoist%d(void)"),
		"bin/crane.pl":                        braces("sub hoist%d"),
		"hs/Crane.hs":                         module("module Crane where", "hoist%d = do", "  pour %d %d", ""),
		"lua/crane.lua":                       module("-- Unit", "function hoist%d()", "  pour(%d, %d)", "end"),
		"a/mod/index.ts":                      braces("export function north%d()"),
		"b/mod/index.ts":                      braces("export function south%d()"),
		"notes.md":                            "# Notes\n\nThe quay is long.\n",
	}
}

// onRedis puts a bench's tree into an index on Redis.
func (b *bench) onRedis(t *testing.T) {
	t.Helper()
	index := onServer(t, rdbtest.Search)
	b.index = index
	b.set(func(o *retrieve.Options) { o.Index, o.Embedded = index, false })
	b.refresh()
}

// lineOf is a line of a file of a bench.
func (b *bench) lineOf(path string, n int) string {
	b.t.Helper()
	data, err := os.ReadFile(filepath.Join(b.root, path))
	if err != nil {
		b.t.Fatal(err)
	}
	return strings.Split(string(data), "\n")[n-1]
}

// holdsLine checks that a result is of a file and shows a line of it.
func (b *bench) holdsLine(what string, r retrieve.Result, path string, n int) {
	b.t.Helper()
	lines := strings.Split(r.Snippet, "\n")
	if at := n - r.SnippetLine; r.Path != path || at < 0 || at >= len(lines) || lines[at] != b.lineOf(path, n) ||
		r.StartLine > n || r.EndLine < n {
		b.t.Errorf("%s: %s:%d-%d shows from line %d\n%s\nwant %s:%d", what, r.Path, r.StartLine, r.EndLine,
			r.SnippetLine, r.Snippet, path, n)
	}
}

func TestAskedLinesComeFirstInEveryForm(t *testing.T) {
	for _, backing := range []string{"embedded", "redis"} {
		t.Run(backing, func(t *testing.T) {
			b := setup(t, quayside())
			if backing == "redis" {
				b.onRedis(t)
			}
			for _, c := range []struct {
				text, path string
				line       int
			}{
				{"why does web/app.go:12 panic", "web/app.go", 12},
				{"web/app.go:12:3: undefined: pour", "web/app.go", 12},
				{"explain web/app.go#L12-L14", "web/app.go", 12},
				{"what is on line 12 of app.go", "web/app.go", 12},
				{"app.go, line 12", "web/app.go", 12},
				{"lines 22-24 in web/app.go", "web/app.go", 22},
				{"web/app.go:12-14 where is the notes of the quay", "web/app.go", 13},
				{"Traceback (most recent call last):\n  File \"/work/src/winch.py\", line 6, in wind0\n  File \"/work/src/crane.py\", line 12, in hoist0\n  File \"/usr/lib/python3.12/json/decoder.py\", line 4, in x\nKeyError: 3", "src/crane.py", 12},
				{"TypeError: x\n    at hoist0 (webpack:///./src/crane.js:12:5)\n    at node_modules/x/index.js:3:4",
					"front/src/crane.js", 12},
				{"front/src/crane.ts(12,5): error TS2304: cannot find pour", "front/src/crane.ts", 12},
				{"x\n\tat java.base/java.util.HashMap.get(HashMap.java:3)\n\tat com.acme.Crane.hoist0(Crane.java:12)",
					"core/main/java/com/acme/Crane.java", 12},
				{"panic: boom\n\ngoroutine 1 [running]:\nmain.hoist0(...)\n\t" + b.root + "/web/app.go:12 +0x1d\n",
					"web/app.go", 12},
				{"thread 'main' panicked at core/src/crane.rs:12:5:\nboom", "core/src/crane.rs", 12},
				{"   at Acme.Crane.Hoist0() in /src/svc/Crane.cs:line 12", "svc/Crane.cs", 12},
				{"lib/crane.rb:12:in 'hoist0': boom (RuntimeError)", "lib/crane.rb", 12},
				{"PHP Fatal error:  boom in /srv/php/crane.php on line 12", "php/crane.php", 12},
				{"    (quay 1.0.0) lib/crane.ex:12: Crane.hoist0/2", "lib/crane.ex", 12},
				{"Sources/Crane.swift:12:5: error: no such pour", "Sources/Crane.swift", 12},
				{"c/crane.c:12:5: error: expected ';'", "c/crane.c", 12},
				{"#0  hoist0 () at crane.c:12", "c/crane.c", 12},
				{"Died at bin/crane.pl line 12.", "bin/crane.pl", 12},
				{"hs/Crane.hs:(12,1)-(14,20): error", "hs/Crane.hs", 12},
				{"lua: lua/crane.lua:12: attempt to call a nil value", "lua/crane.lua", 12},
				{`svc\Crane.cs:12`, "svc/Crane.cs", 12},
				{"--- a/web/app.go\n+++ b/web/app.go\n@@ -11,3 +11,3 @@\n a\n-b\n+c\n d\n", "web/app.go", 12},
				{"mod/index.ts:12 of the folder b", "b/mod/index.ts", 12},
			} {
				r := b.ask(c.text)
				if r.Status != retrieve.OK || len(r.Results) == 0 {
					t.Errorf("%q: %s %v, %q", c.text, r.Status, r.Reasons, paths(r))
					continue
				}
				x := r.Results[0]
				b.holdsLine(fmt.Sprintf("%q", c.text), x, c.path, c.line)
				if x.Relevance != 1 || x.Grade != gates.Strong || !x.Asked || x.Freshness != retrieve.Indexed {
					t.Errorf("%q: %+v", c.text, x)
				}
				if c.path == "web/app.go" && x.Symbol != "hoist0" && c.line < 16 {
					t.Errorf("%q: symbol %q, want the function around it", c.text, x.Symbol)
				}
			}
		})
	}
}

func TestFramesBelowTheFirstArePointers(t *testing.T) {
	b := setup(t, quayside())
	const trace = "Traceback (most recent call last):\n  File \"src/winch.py\", line 6, in wind0\n  File \"src/winch.py\", line 20, in wind1\n  File \"lib/crane.rb\", line 5, in x\n  File \"src/crane.py\", line 12, in hoist0\n"
	r := b.ask(trace, func(r *retrieve.Request) { r.Gates = gates.Options{MaxResults: 5, MaxBytes: 1 << 16} })
	if len(r.Results) < 3 {
		t.Fatalf("%q", paths(r))
	}
	for i, want := range []struct {
		path string
		line int
	}{{"src/crane.py", 12}, {"lib/crane.rb", 5}, {"src/winch.py", 20}} {
		x := r.Results[i]
		b.holdsLine("frame", x, want.path, want.line)
		if i > 0 && (x.Grade != gates.Likely || strings.Contains(x.Snippet, "\n") || !x.Truncated ||
			x.Relevance >= r.Results[i-1].Relevance || x.Relevance < .3) {
			t.Errorf("frame %d is %+v", i, x)
		}
	}
	if n := len(slices.DeleteFunc(slices.Clone(r.Results), func(x retrieve.Result) bool { return !x.Asked })); n != 3 {
		t.Errorf("%d asked results, want 3", n)
	}
	if want := []string{"src/crane.py", "lib/crane.rb", "src/winch.py"}; !slices.Equal(r.Asked, want) {
		t.Errorf("asked %q, want %q", r.Asked, want)
	}
	if r := b.ask(trace, func(r *retrieve.Request) { r.Gates.MaxResults = 1 }); len(r.Results) != 1 ||
		r.Results[0].Path != "src/crane.py" {
		t.Errorf("one result: %q", paths(r))
	}
}

func TestWhatCannotBeShownLeavesTheNormalAnswer(t *testing.T) {
	b := setup(t, quayside())
	for _, text := range []string{
		"where is the quay long, web/app.go:9999", "where is the quay long, no/such.go:3",
		"where is the quay long, index.ts:12", "the quay is long at 12:30 on http://host:8080",
		"quay long\n  File \"/app/node_modules/web/app.go\", line 12, in x", "quay long /elsewhere/app.go:12",
		"the quay is long\n\tat java.util.Crane.get(Crane.java:12)",
	} {
		r := b.ask(text)
		if r.Status == retrieve.Degraded || slices.ContainsFunc(r.Results, func(x retrieve.Result) bool {
			return x.Asked
		}) {
			t.Errorf("%q: %s %v, %+v", text, r.Status, r.Reasons, r.Results)
		}
	}
	if r := b.ask("quay notes.md:3, web/app.go:9999"); len(r.Results) == 0 || r.Results[0].Path != "notes.md" ||
		!r.Results[0].Asked {
		t.Errorf("a place that is there beside one that is not: %q", paths(r))
	}
}

func TestAskedLinesPassTheGates(t *testing.T) {
	b := setup(t, quayside())
	data := strings.Replace(quayside()["web/app.go"], "pour(0, 8)", "spill(0, 8) // changed", 1)
	b.write(map[string]string{"web/app.go": "// moved\n" + data})
	r := b.ask("web/app.go:13")
	if len(r.Results) == 0 {
		t.Fatal("no results")
	}
	b.holdsLine("a changed file", r.Results[0], "web/app.go", 13)
	if x := r.Results[0]; x.Freshness != retrieve.Overlay || !strings.Contains(x.Snippet, "spill(0, 8)") ||
		x.Symbol != "hoist0" {
		t.Errorf("a changed file: %+v", x)
	}
	if r := b.ask("web/app.go:13", func(r *retrieve.Request) { r.Gates.Stale = gates.Skip }); len(r.Results) != 0 {
		t.Errorf("where nothing stale may stand: %q", paths(r))
	}
	if r := b.ask("src/crane.py:12", func(r *retrieve.Request) {
		r.Langs = []string{"go"}
	}); slices.Contains(paths(r), "src/crane.py") {
		t.Errorf("beside the filter: %q", paths(r))
	}
	b.write(map[string]string{"src/crane.py": "key = 'AKIA" + "QWERTYUIOPASDFGH" + "'\n" + strings.Repeat("x\n", 20)})
	if r := b.ask("src/crane.py:2"); slices.Contains(paths(r), "src/crane.py") {
		t.Errorf("a file with a secret is shown: %+v", r.Results)
	}
	if err := os.Remove(filepath.Join(b.root, "web/other.go")); err != nil {
		t.Fatal(err)
	}
	if r := b.ask("web/other.go:5"); slices.Contains(paths(r), "web/other.go") {
		t.Errorf("a file that went is shown: %+v", r.Results)
	}
}

func TestASnippetStandsAroundItsAskedLines(t *testing.T) {
	long := strings.Repeat("wide ", 100)
	b := setup(t, map[string]string{
		"a.go":    module("package a", "func hoist%d() {", "\tpour(%d, %d)", "}"),
		"wide.go": "package a\n\nfunc f() {\n\tg(\"" + long + "\")\n\n\th()\n}\n",
	})
	at := func(text string, chars int) retrieve.Result {
		t.Helper()
		r := b.ask(text, func(r *retrieve.Request) { r.Gates.MaxChars, r.Gates.MaxResults = chars, 1 })
		if len(r.Results) != 1 {
			t.Fatalf("%q: no result", text)
		}
		return r.Results[0]
	}
	if x := at("a.go:4", 60); x.SnippetLine != 3 {
		t.Errorf("near the definition it begins on line %d:\n%s", x.SnippetLine, x.Snippet)
	}
	if x := at("a.go:10", 60); x.SnippetLine < 8 || x.SnippetLine+strings.Count(x.Snippet, "\n") < 11 {
		t.Errorf("deep inside it begins on line %d:\n%s", x.SnippetLine, x.Snippet)
	}
	if x := at("a.go:6-8", 60); x.SnippetLine > 6 || x.SnippetLine+strings.Count(x.Snippet, "\n") < 8 {
		t.Errorf("of three lines it shows from line %d:\n%s", x.SnippetLine, x.Snippet)
	}
	if x := at("a.go:1-9999", 60); x.SnippetLine != 1 || len(x.Snippet) > 60 || x.EndLine < 30 {
		t.Errorf("of the whole file it shows %d-%d from line %d:\n%s", x.StartLine, x.EndLine, x.SnippetLine, x.Snippet)
	}
	if x := at("wide.go:4", 60); x.SnippetLine != 4 || !strings.Contains(x.Snippet, "wide") || len(x.Snippet) > 66 ||
		!x.Truncated {
		t.Errorf("of a long line it shows %+v", x)
	}
	if x := at("wide.go:5", 60); x.SnippetLine > 5 || !strings.Contains(x.Snippet, "h()") {
		t.Errorf("around a blank line it shows %+v", x)
	}
	for line := 1; line <= 32; line++ {
		r := b.ask(fmt.Sprintf("a.go:%d", line), func(r *retrieve.Request) {
			r.Gates.MaxChars, r.Gates.MaxBytes, r.Gates.MaxLines, r.Gates.MaxResults = 4000, 4000, 4, 1
		})
		x := r.Results[0]
		if n := 1 + strings.Count(x.Snippet, "\n"); n > 4 || x.SnippetLine > line || x.SnippetLine+n-1 < line {
			t.Errorf("line %d within 4 lines: from line %d\n%s", line, x.SnippetLine, x.Snippet)
		}
	}
	for _, chars := range []int{1, 5, 30, 200, 4000} {
		for line := 1; line <= 32; line++ {
			if x := at(fmt.Sprintf("a.go:%d", line), chars); utf8.RuneCountInString(x.Snippet) > chars ||
				chars >= 30 && (x.SnippetLine > line || x.SnippetLine+strings.Count(x.Snippet, "\n") < line) {
				t.Errorf("line %d within %d characters: from line %d\n%s", line, chars, x.SnippetLine, x.Snippet)
			}
		}
	}
}

func TestAskedLinesAreFoundByAnIndexOfNames(t *testing.T) {
	for _, backing := range []string{"embedded", "redis"} {
		t.Run(backing, func(t *testing.T) {
			b := setup(t, quayside())
			if backing == "redis" {
				index := onServer(t, rdbtest.Plain)
				b.index = index
				b.set(func(o *retrieve.Options) { o.Embedded = false })
			} else {
				index := onDisk(t, search.Names)
				b.index = index
			}
			b.set(func(o *retrieve.Options) { o.Index = b.index })
			b.refresh()
			r := b.ask("it stops on line 12 of zzz\n\t/app/web/app.go:12 +0x1d")
			if len(r.Results) == 0 {
				t.Fatalf("%s %v", r.Status, r.Reasons)
			}
			b.holdsLine("by name", r.Results[0], "web/app.go", 12)
			if r := b.ask("web/app.go:12", func(r *retrieve.Request) {
				r.Globs = []string{"src/**"}
			}); slices.Contains(paths(r), "web/app.go") {
				t.Errorf("beside the filter: %q", paths(r))
			}
		})
	}
}
