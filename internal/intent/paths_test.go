package intent

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func spell(refs []Ref) string {
	var out []string
	for _, r := range refs {
		s := r.Path
		if r.First > 0 {
			s += fmt.Sprintf("@%d-%d", r.First, r.Last)
		}
		out = append(out, s)
	}
	return strings.Join(out, " | ")
}

func TestPathsOfATextAreFound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"see src/foo/bar.py:42", "src/foo/bar.py@42-42"},
		{"in a/b.go:10-20 there", "a/b.go@10-20"},
		{"in a/b.go:10-:20 there", "a/b.go@10-20"},
		{"a/b.go:10:7: undefined: x", "a/b.go@10-10"},
		{"a/b.go#L10 and a/b.go#L10-L20", "a/b.go@10-10 | a/b.go@10-20"},
		{"src/x.ts(12,5): error TS2304", "src/x.ts@12-12"},
		{"src/x.php(12): f()", "src/x.php@12-12"},
		{`File "/app/x y.py", line 12, in f`, "/app/x y.py@12-12"},
		{"main.go line 3, and main.go lines 4-9.", "main.go@3-3 | main.go@4-9"},
		{"`a.go`:12 and \"my docs/read me.md\" and 'x y.txt'", "a.go@12-12 | my docs/read me.md | x y.txt"},
		{"“src/ä.go” «web/b.ts:3» ‘c.rs’", "src/ä.go | web/b.ts@3-3 | c.rs"},
		{`fix src\foo\bar.py:42 and C:\work\a b.go, "C:\work\a b.go:3"`,
			"src/foo/bar.py@42-42 | b.go | C:/work/a b.go@3-3"},
		{`C:\x\y.go:12:3`, "C:/x/y.go@12-12"},
		{`\\server\share\f.txt`, "//server/share/f.txt"},
		{"file:///home/u/a%20b.go:7 file:///C:/x/y.cs file://localhost/etc/a.conf",
			"/home/u/a b.go@7-7 | C:/x/y.cs | /etc/a.conf"},
		{"./a.go ../b/c.go ~/d.toml /etc/app/e.conf ./bin/run",
			"a.go | ../b/c.go | ~/d.toml | /etc/app/e.conf | bin/run"},
		{"Did main.go break? Yes, main.go. (See util.go!) [x.rs]; {y.c}", "main.go | main.go | util.go | x.rs | y.c"},
		{"a.go,b.go;c.go", "a.go | b.go | c.go"},
		{"app/[id]/page.tsx and app/(group)/[slug]/layout.tsx", "app/[id]/page.tsx | app/(group)/[slug]/layout.tsx"},
		{"[the guide](docs/guide.md) and **src/a.go**", "docs/guide.md | src/a.go"},
		{"@src/foo.go please", "src/foo.go"},
		{"Makefile, Dockerfile, README, .gitignore, .env, go.mod and deploy/Dockerfile",
			"Makefile | Dockerfile | README | .gitignore | .env | go.mod | deploy/Dockerfile"},
		{"README.MD and __init__.py and src/__tests__/a.test.tsx",
			"README.MD | __init__.py | src/__tests__/a.test.tsx"},
		{"bin/tool:3 is a script", "bin/tool@3-3"},
		{"it's in main.go, isn't it? don't touch b.go", "main.go | b.go"},
		{"a.go:0 and a.go:99999999999", ""},
		{"a.go:20-10", ""},
	} {
		if got := spell(Paths(c.text)); got != c.want {
			t.Errorf("Paths(%q)\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

func TestWhatIsNoPath(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"https://example.com/a/b.go", "http://localhost:8080/x.html:3", "git+ssh://host/a.git",
		"www.example.com/index.html",
		"github.com/foo/bar.go", "git@github.com:foo/bar.git", "me@example.com", "golang.org/x/tools",
		"e.g. this, i.e. that", "v1.2.3 or 1.2.3 or 3.x", "go1.26", "and/or", "TCP/IP", "24/7", "I/O", "client/server",
		"Node.js and Vue.js, node.js", "all *.go files", "**/*.ts", "all .go files", "main..feature.go", "a...b.go",
		"wait...", "…",
		"fmt.Println and obj.method()", "foo.bar", "done.Then go", "/v1/context", "the readme and the MIT License",
		"3.14", "10:30", "a/ b.",
		"x ? y : z", "std::vector", "", ".", "/", "//", "\\", "..", "../", "C:\\", "\"\"", "''", "`", "file://",
		"file:///", "file:///a%2", "file:///a%zz.go", "10.0.0.1:80",
		"key: value", "-foo.go", "a//b.go", "foo@1.2.3", "10/2024.q", "\x00a/b\x01.go",
	} {
		if got := spell(Paths(text)); got != "" {
			t.Errorf("Paths(%q) = %s, want none", text, got)
		}
	}
}

func FuzzPaths(f *testing.F) {
	for _, s := range []string{
		"`a b/c.go:1-2`", `C:\a\b.go`, "file:///a%2Fb.go", "x.go, line 3", "[a](b.md)", "a.go:1:2", "“a.go”",
		"(a/[b]/c.d)", "a:\x80b.go",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, r := range Paths(text) {
			if r.at < end || r.end <= r.at || r.end > len(text) {
				t.Fatalf("%+v of %q lies outside or over the one before", r, text)
			}
			end = r.end
			if r.Path == "" || !utf8.ValidString(r.Path) || strings.ContainsAny(r.Path, "\n\x00\\") || r.First < 0 ||
				r.Last < r.First || (r.First == 0) != (r.Last == 0) {
				t.Fatalf("%+v of %q", r, text)
			}
		}
	})
}

func BenchmarkPaths(b *testing.B) {
	text := strings.Repeat(
		"The bug is in src/foo/bar.py:42, see https://example.com/x.html and `web/app main.go`, e.g. on Node.js. ", 20)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Paths(text)
	}
}
