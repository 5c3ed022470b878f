package retrieve

import (
	"testing"

	"github.com/contextd/contextd/internal/asked"
	"github.com/contextd/contextd/internal/code"
)

func TestAPathMeansTheFileThatSharesItsLongestEnd(t *testing.T) {
	t.Parallel()
	paths := []code.Path{"x.py", "src/x.py", "src/web/app.go", "lib/web/app.go", "web/app.go",
		"core/com/acme/Store.java", "test/com/acme/sub/Store.java", "vendor/q/q.go",
		"one/deep/index.ts", "two/deep/index.ts", "only.rs", "a/b c.js", "src/json/decoder.py"}
	for written, want := range map[string]code.Path{
		"x.py:1":                                    "x.py", // its own path
		"src/x.py:1":                                "src/x.py",
		"/app/src/x.py:1":                           "src/x.py",
		"/app/x.py:1":                               "x.py", // at the root, as a container has it
		"web/app.go:1":                              "web/app.go",
		"/ci/lib/web/app.go:1":                      "lib/web/app.go",
		"/srv/quay/src/web/app.go:1":                "src/web/app.go", // below the root
		"/srv/quay/no/web/app.go:1":                 "",
		"app.go:1":                                  "",
		"app.go:1 of lib":                           "lib/web/app.go",
		"only.rs:1":                                 "only.rs",
		"/far/away/decoder.py:1":                    "",
		"decoder.py:1":                              "src/json/decoder.py",
		"/usr/lib/python3.12/json/decoder.py:1":     "",
		"vendor/q/q.go:1":                           "vendor/q/q.go", // a person names it
		"  File \"vendor/q/q.go\", line 1, in f":    "",
		"\tat com.acme.Store.get(Store.java:1)":     "core/com/acme/Store.java",
		"\tat com.acme.sub.Store.get(Store.java:1)": "test/com/acme/sub/Store.java",
		"\tat java.util.Store.get(Store.java:1)":    "",
		"deep/index.ts:1":                           "",
		"deep/index.ts:1 in two":                    "two/deep/index.ts",
		"at file:///w/a/b%20c.js:1:2":               "a/b c.js",
		`C:\build\src\web\app.go:1`:                 "src/web/app.go",
		"no.go:1":                                   "",
	} {
		var got code.Path
		if found := locate(asked.Places(written), paths, "/srv/quay", written); len(found) == 1 {
			got = found[0].path
		}
		if got != want {
			t.Errorf("%q means %q, want %q", written, got, want)
		}
	}
}
