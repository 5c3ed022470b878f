package asked

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/contextd/contextd/internal/costtest"
)

// spell writes places as "a.go:3-9", with the folder that a frame names behind "@".
func spell(places []Place) string {
	var out []string
	for _, p := range places {
		s := fmt.Sprintf("%s:%d", p.Path, p.First)
		if p.Last != p.First {
			s += fmt.Sprintf("-%d", p.Last)
		}
		if p.Folder != "" {
			s += "@" + p.Folder
		}
		out = append(out, s)
	}
	return strings.Join(out, " | ")
}

func TestLinesThatATextNamesAreFound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"what is web/app.go:12 for", "web/app.go:12"},
		{"web/app.go:12:5", "web/app.go:12"},
		{"(see web/app.go:12).", "web/app.go:12"},
		{"web/app.go:12-20, a.go:3–5 and b.go:7-:9", "web/app.go:12-20 | a.go:3-5 | b.go:7-9"},
		{"web/app.go:L12-L20", "web/app.go:12-20"},
		{"web/app.go#L12-L20 or web/b.go#L7", "web/app.go:12-20 | web/b.go:7"},
		{"web/app.go#L12C3-L20C5", "web/app.go:12-20"},
		{"https://example.com/acme/web/blob/main/web/app.go#L12", "/acme/web/blob/main/web/app.go:12"},
		{"web/app.go, line 12 breaks", "web/app.go:12"},
		{"web/app.go line 12", "web/app.go:12"},
		{"web/app.go (line 12)", "web/app.go:12"},
		{"web/app.go L12", "web/app.go:12"},
		{"In `web/app.go` on line 12", "web/app.go:12"},
		{"line 12 of web/app.go", "web/app.go:12"},
		{"look at line 12 in the file \"web/my app.go\".", "web/my app.go:12"},
		{"lines 12-20 in web/app.go", "web/app.go:12-20"},
		{"Lines 12 to 20 of web/app.go?", "web/app.go:12-20"},
		{"src/app.ts(12,5): error TS2304: no name", "src/app.ts:12"},
		{"app.cs(12): error CS1002", "app.cs:12"},
		{"`a.go`:12 and 'b c.go:3'", "a.go:12 | b c.go:3"},
		{`C:\work\web\app.go:12:5`, `C:\work\web\app.go:12`},
		{`at f (C:\my work\app.js:10:5)`, `C:\my work\app.js:10`},
		{`in C:\my work\App.cs:line 12`, `C:\my work\App.cs:12`},
		{"Makefile:12: *** missing separator", "Makefile:12"},
		{"bin/tool:3 is a script", "bin/tool:3"},
		{"./deploy.sh: line 7: cp: no such file", "./deploy.sh:7"},
		{"001_init.sql:3 and app/[id]/(x)/page.tsx:4", "001_init.sql:3 | app/[id]/(x)/page.tsx:4"},
		{"[12:30:01]web/app.go:3", "web/app.go:3"},
		{"--file=web/app.go:3", "web/app.go:3"},
	} {
		if got := spell(Places(c.text)); got != c.want {
			t.Errorf("Places(%q)\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

func TestTracesGiveTheirMostRecentCallFirst(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"Python": {"Traceback (most recent call last):\n  File \"/app/main.py\", line 3, in <module>\n    run()\n  File \"/app/x y.py\", line 12, in run\n    1/0\nZeroDivisionError: division by zero",
			"/app/x y.py:12 | /app/main.py:3"},
		"Python, without its head": {"  File \"a.py\", line 3, in f\n    g()\n  File \"b.py\", line 4, in g",
			"b.py:4 | a.py:3"},
		"Python, a cause": {
			"Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nKeyError: 1\n\nThe above exception was the direct cause of the following exception:\n\n" +
				"Traceback (most recent call last):\n  File \"b.py\", line 2, in g\nValueError", "a.py:1 | b.py:2"},
		"Python, while handling": {
			"Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nKeyError: 1\n\nDuring handling of the above exception, another exception occurred:\n\n" +
				"Traceback (most recent call last):\n  File \"b.py\", line 2, in g\nValueError", "b.py:2 | a.py:1"},
		"Python, most recent first": {
			"Thread 0x1 (most recent call first):\n  File \"a.py\", line 3 in f, line 3\n  File \"b.py\", line 4, in g",
			"a.py:3 | b.py:4"},
		"a library is last": {
			"Traceback (most recent call last):\n  File \"/app/a.py\", line 3, in f\n  File \"/usr/lib/python3.12/json/x.py\", line 9, in g\n  File \"/venv/lib/python3.12/site-packages/q.py\", line 8, in h", "/app/a.py:3 | /venv/lib/python3.12/site-packages/q.py:8 | /usr/lib/python3.12/json/x.py:9"},
		"Node": {
			"TypeError: x\n    at load (/app/src/load.js:10:5)\n    at /app/src/run.js:3:1\n    at async file:///app/my%20src/main.mjs:7:2\n    at node:internal/main:4:5", "/app/src/load.js:10 | /app/src/run.js:3 | /app/my%20src/main.mjs:7"},
		"webpack": {
			"    at f (webpack:///./src/a.tsx?1a2b:10:5)\n    at g (webpack-internal:///(app-pages)/./src/b.ts:3:4)",
			"/./src/a.tsx:10 | /(app-pages)/./src/b.ts:3"},
		"Firefox": {"load@http://host:3000/static/a.js:10:5\nrun@http://host:3000/static/b.js?v=1:3:4",
			"/static/a.js:10 | /static/b.js:3"},
		"Java": {"java.lang.IllegalStateException: no\n\tat com.acme.web.Store.load(Store.java:12)\n\tat com.acme.Main$1.run(Main.java:3)\n\tat java.base/java.lang.Thread.run(Thread.java:840)",
			"Store.java:12@com/acme/web | Main.java:3@com/acme | Thread.java:840@java/lang"},
		"Java, the cause first": {
			"Exception in thread \"main\" x\n\tat com.acme.A.f(A.java:1)\nCaused by: y\n\tat com.acme.B.f(B.java:2)\nCaused by: z\n\tat com.acme.C.f(C.java:3)",
			"C.java:3@com/acme | B.java:2@com/acme | A.java:1@com/acme"},
		"Kotlin": {"\tat com.acme.StoreKt.load(Store.kt:12)", "Store.kt:12@com/acme"},
		"Scala":  {"\tat com.acme.Store$.load(Store.scala:12)", "Store.scala:12@com/acme"},
		"Go": {
			"panic: boom\n\ngoroutine 1 [running]:\nmain.load(...)\n\t/srv/x/web/load.go:12 +0x1d\nmain.main()\n\t/srv/x/main.go:7 +0x2f", "/srv/x/web/load.go:12 | /srv/x/main.go:7"},
		"Rust": {
			"thread 'main' panicked at src/load.rs:12:5:\nboom\n   2: app::load\n             at ./src/run.rs:3:5\n   0: x\n             at /rustc/abc/library/std/src/a.rs:1:2", "src/load.rs:12 | ./src/run.rs:3 | /rustc/abc/library/std/src/a.rs:1"},
		"rustc": {"error[E0382]: moved\n  --> src/main.rs:3:5\n   |\n3  |     x",
			"src/main.rs:3"},
		"C#": {
			"   at Acme.Store.Load(String name) in /src/my app/Store.cs:line 12\n   at Acme.Program.Main() in /src/Program.cs:line 3", "/src/my app/Store.cs:12 | /src/Program.cs:3"},
		"Ruby": {
			"lib/store.rb:12:in 'load': boom (RuntimeError)\n\tfrom lib/run.rb:3:in `run'\n\tfrom bin/x:1:in '<main>'",
			"lib/store.rb:12 | lib/run.rb:3 | bin/x:1"},
		"PHP": {
			"PHP Fatal error:  Uncaught X in /a/src/b.php:3\nStack trace:\n#0 /a/src/c.php(12): f()\n#1 {main}\n  thrown in /a/src/b.php on line 3", "/a/src/b.php:3 | /a/src/c.php:12"},
		"Elixir": {
			"** (RuntimeError) boom\n    (app 1.0.0) lib/store.ex:12: Store.load/2\n    lib/run.ex:3: Run.go/0",
			"lib/store.ex:12 | lib/run.ex:3"},
		"Erlang": {`{store,load,2,[{file,"src/store.erl"},{line,12}]}`, "src/store.erl:12"},
		"Swift": {
			"Sources/App/Store.swift:12:5: error: no\nFatal error: nil: file App/Run.swift, line 3",
			"Sources/App/Store.swift:12 | App/Run.swift:3"},
		"C": {
			"src/a.c:1:2: warning: unused\nsrc/a.c:12:5: error: no\n#0  f (x=1) at src/b.c:3\n#1  0x01 in main () at src/c.c:4", "src/a.c:12 | src/b.c:3 | src/c.c:4 | src/a.c:1"},
		"Perl": {"Died at lib/Store.pm line 12.\n\tmain::run(1) called at run.pl line 3",
			"lib/Store.pm:12 | run.pl:3"},
		"Haskell": {
			"src/Store.hs:12:5: error: no\nsrc/Run.hs:(12,1)-(14,20): no\n  error, called at src/A.hs:3:5 in main:A",
			"src/Store.hs:12 | src/Run.hs:12-14 | src/A.hs:3"},
		"Lua": {
			"lua: store.lua:12: attempt to index nil\nstack traceback:\n\tstore.lua:12: in function 'load'\n\trun.lua:3: in main chunk", "store.lua:12 | run.lua:3"},
		"Dart": {"#0      load (package:app/src/store.dart:12:5)", "app/src/store.dart:12"},
		"pytest": {"tests/test_a.py:3: in test_a\n    load()\nsrc/store.py:12: ValueError",
			"src/store.py:12 | tests/test_a.py:3"},
		"what a person names comes before": {
			"since web/app.go:40 changed:\n\tat com.acme.A.f(A.java:1)\n2024/01/02 12:30:45 log.go:7: up",
			"web/app.go:40 | A.java:1@com/acme | log.go:7"},
	} {
		if got := spell(Places(c.text)); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", name, got, c.want)
		}
	}
}

func TestDiffsGiveWhatTheyChangeOnTheNewSide(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"diff --git a/web/app.go b/web/app.go\nindex 1..2 100644\n--- a/web/app.go\n+++ b/web/app.go\n@@ -10,4 +12,5 @@ func f() {\n a\n-b\n+c x.go:99\n+d\n e\n f\n@@ -40 +43 @@\n-x\n+y\nlook at b.go:7",
			"b.go:7 | web/app.go:13-14 | web/app.go:43"},
		{"--- old.go\t2024-01-01\n+++ new.go\t2024-01-02\n@@ -1,2 +3,4 @@\n", "new.go:3-6"},
		{"--- a/gone.go\n+++ /dev/null\n@@ -5,2 +0,0 @@\n-a\n-b\n", "gone.go:5-6"},
		{"--- /dev/null\n+++ b/come.go\n@@ -0,0 +1,2 @@\n+a\n+b\n", "come.go:1-2"},
		{"--- a/cut.go\n+++ b/cut.go\n@@ -1,3 +1,2 @@\n a\n-b\n c\n", "cut.go:2"},
		{"diff --git a/x.go b/y.go\nsimilarity index 9%\n@@ -1 +1 @@\n-a\n+b\n", "y.go:1"},
		{"--- a heading\nnothing 3 here\n@@ -1 +1 @@", ""},
	} {
		if got := spell(Places(c.text)); got != c.want {
			t.Errorf("Places(%q)\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

func TestWhatIsNoPlace(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"http://host:8080", "http://localhost:3000/", "https://api.example.com:443 and example.com:8080",
		"localhost:8080", "127.0.0.1:80", "[::1]:80", "redis://u:p@db.acme.rs:6379/0",
		"db.internal:5432", "git@example.org:22", "registry.example.com/app:12", "node:18", "nginx:1.25",
		"python:3.11-slim",
		"12:30", "at 12:30:45", "2024-01-02T12:30:45Z", "2024/01/02 12:30", "16:9", "3:1", "1/2:3", "a ratio of 2.5:1",
		"4.5:1", "3.x:1",
		"v1.2:3", "v1.2.3:4", "1.2.3-rc.1:2", "1.0.beta:2", "foo@1.2.3:4", "24/7:30", "std::vector:3", "e.g.:3",
		"Fig. 3: x", "line 12", "lines 3-9 are long", "on line 12 of it",
		"a.go:0", "a.go:99999999", "a.go:12abc", "a.go:1.5", "a.go", "a.go 12", "foo(1)", "x.(1)", ":12", "#L12",
		"(12,5)", "a.go(12", "no digit in web/app.go", "",
		"a/:3", "/:3", "..:3", ".:3", "\"\":3", "`:3", "()(3)", "://:3", "*.go:3", "x\x80y.go:3",
	} {
		if got := spell(Places(text)); got != "" {
			t.Errorf("Places(%q) = %s, want none", text, got)
		}
	}
}

func TestPlacesAreBounded(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, "a%d.go:%d\n", i, i+1)
	}
	if got := Places(b.String()); len(got) != MaxPlaces || got[0].Path != "a0.go" {
		t.Errorf("%d places, the first of %+v", len(got), got[0])
	}
	if got := Places(strings.Repeat(" ", MaxText) + "a.go:1"); len(got) != 0 {
		t.Errorf("beyond the first %d bytes: %s", MaxText, spell(got))
	}
	if got := Places("a.go:1 a.go:1 a.go:2"); len(got) != 2 {
		t.Errorf("named twice: %s", spell(got))
	}
}

func TestSegmentsAndLibraries(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		`C:\a\b.go`: "a/b.go", "./a/../b.go": "b.go", "../../x.go": "x.go", "/a//b%20c.go": "a/b c.go",
		"~/a.go": "a.go", "a%zz%1.go": "a%zz%1.go", "": "",
	} {
		if got := strings.Join(Segments(path), "/"); got != want {
			t.Errorf("Segments(%q) = %q, want %q", path, got, want)
		}
	}
	for path, want := range map[string]bool{
		"/app/node_modules/x/a.js": true, "/usr/lib/python3.12/json/a.py": true, "/usr/local/go/src/runtime/a.go": true,
		"/home/u/go/pkg/mod/x@v1/a.go": true,
		"vendor/x/a.go":                true, "/home/u/.cargo/registry/a.rs": true, "/app/src/a.py": false,
		"vendor.go": false, "src/go/src/a.go": false, "/home/u/go/src/x/a.go": false,
	} {
		if got := Library(path); got != want {
			t.Errorf("Library(%q) = %v", path, got)
		}
	}
}

// hostile are texts that make a reader look back far, or often.
func hostile(n int) []string {
	return []string{strings.Repeat("a:1", n/3), strings.Repeat("line 1 ", n/7), strings.Repeat("a.b(1", n/5),
		strings.Repeat("a.go(1) ", n/8), strings.Repeat(" 1", n/2), strings.Repeat("((:1", n/4),
		strings.Repeat("a/", n/2) + ":1", strings.Repeat("1", n), strings.Repeat("a.b:line 1 in ", n/14),
		strings.Repeat("\"x.go\":1", n/8), strings.Repeat("Caused by: x\n at a.b(C.java:1)\n", n/31),
		strings.Repeat("--- a/x\n+++ b/x\n@@ -1 +1 @@\n", n/31)}
}

func TestTimeGrowsWithTheTextAlone(t *testing.T) {
	t.Parallel()
	small, large := hostile(MaxText/4), hostile(MaxText)
	for i := range small {
		what := fmt.Sprintf("%.20q… of %d bytes", small[i], len(small[i]))
		costtest.Linear(t, what, 12, 5*time.Millisecond, func() { Places(small[i]) }, func() { Places(large[i]) })
	}
}

func FuzzPlaces(f *testing.F) {
	for _, s := range append(hostile(200), "File \"a b.py\", line 3, in f",
		"--- a/x\n+++ b/x\n@@ -1,2 +3,4 @@\n a\n-b\n+c", "A.hs:(1,2)-(3,4)", `C:\x y\a.cs:line 3`,
		"at a.b.C.d(C.java:1)", "lines 3-4 of `x y.go`",
		"http://h:1/a.js?x:1:2)", "a.go#L1C2-L3C4", "“a.go”:3", "@@ -1 +1 @@", "a=b/c.go:1", "]a.go:1",
		"file://C:/a.go:1") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		places := Places(text)
		if len(places) > MaxPlaces {
			t.Fatalf("%d places", len(places))
		}
		for _, p := range places {
			if p.Path == "" || len(p.Path) > maxPath || !utf8.ValidString(p.Path) ||
				strings.ContainsAny(p.Path, "\n\x00") || p.First < 1 || p.Last < p.First || p.Kind == "" {
				t.Fatalf("%+v of %q", p, text)
			}
			for _, seg := range Segments(p.Path) {
				if seg == "" || strings.Contains(seg, "/") {
					t.Fatalf("segment %q of %q", seg, p.Path)
				}
			}
			Library(p.Path)
		}
	})
}

func BenchmarkPlaces(b *testing.B) {
	line := "    at load (/app/src/load.js:10:5) and 3 of 4 at 12:30, see File \"x.py\", line 3 or http://host:8080/a\n"
	for name, text := range map[string]string{
		"trace": strings.Repeat(line, (16<<10)/len(line)),
		"prose": strings.Repeat("where is the lease of a mooring renewed ", 400),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Places(text)
			}
		})
	}
}
