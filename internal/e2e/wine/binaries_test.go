//go:build wine && linux

package wine

import (
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func (m *machine) write(files map[string]string) {
	m.Helper()
	for name, text := range files {
		path := filepath.Join(m.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			m.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			m.Fatal(err)
		}
	}
}

// background runs a binary until the test ends; its log is shown if that fails.
func (m *machine) background(dir, tool string, args ...string) {
	m.Helper()
	log, err := os.Create(filepath.Join(m.bin, tool+".log"))
	if err != nil {
		m.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, m.wine, append([]string{filepath.Join(m.bin, tool+".exe")}, args...)...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, m.env(), log, log
	if err := cmd.Start(); err != nil {
		m.Fatal(err)
	}
	m.Cleanup(func() {
		cancel()
		_ = cmd.Wait()
		if text, err := os.ReadFile(log.Name()); err == nil && m.Failed() {
			m.Logf("%s: %s", tool, text)
		}
		log.Close()
	})
}

// The commands in the order in which somebody meets them.
func TestTheBinariesForWindowsDoTheirWork(t *testing.T) {
	m := start(t)
	deep := strings.Repeat("seventy-letters-or-about-that-many-stand-in-the-name-of-this-one-folder/", 5)
	m.write(map[string]string{
		"tree/src/retry.go":        "package src\r\n\r\n// RetryLater schedules a retry of the job.\r\nfunc RetryLater(n int) error {\r\n\treturn nil\r\n}\r\n",
		"tree/" + deep + "long.go": "package long\n\nfunc LongPathThing() {}\n",
		"tree/.gitignore":          "/hidden/\n",
		"tree/hidden/key.go":       "package hidden\n\nfunc HiddenThing() {}\n",
		"tree/src/aux.go":          "package src\n\nfunc ReservedName() {}\n",
		"tree/src/with space é.go": "package src\n\nfunc OddName() {}\n",
		"task.json":                `{"id":"t1","title":"retry the job later","description":"RetryLater"}`,
	})
	tree, root := filepath.Join(m.dir, "tree"), native(filepath.Join(m.dir, "tree"))
	state := "--state-dir=" + native(filepath.Join(m.dir, "a", "b", "state")) // the folders above are missing, as on a fresh account

	m.says(`"path": "src/retry.go"`, `\r`, tree, "retriever", "query", "where is a retry scheduled", "--json", state)
	m.says("LongPathThing", "", tree, "retriever", "query", "LongPathThing", state)
	m.says("with space é.go", "", tree, "retriever", "query", "OddName", state)
	for path, want := range map[string]string{
		`src\retry.go`: "indexed, 1 chunks", "src/retry.go": "indexed, 1 chunks", root + `\src\retry.go`: "indexed, 1 chunks",
		"SRC/RETRY.go": "not indexed: missing", "src/retry.go.": "not indexed: missing", "HIDDEN/key.go": "not indexed: missing",
		"hidden/key.go": "not indexed: ignored", "src/none.go": "not indexed: missing", "src/a?b.go": "not indexed: missing",
		`..\x`: "outside_root", `C:\x`: "outside_root", `\\server\share\x`: "outside_root", "src/aux.go": "outside_root", "src/retry.go:x": "outside_root",
	} {
		m.says(want, "", tree, "retriever", "why", path, state)
	}
	m.says("func OddName", "", tree, "retriever", "related", `src\retry.go:4`, state)
	m.says("src/retry.go:4", "", tree, "retriever", "usages", "RetryLater", state)
	m.says("RetryLater", "", tree, "retriever", "context", "--agent", "knight", "--task-file", native(filepath.Join(m.dir, "task.json")), state)
	m.says("saved", "", tree, "retriever", "memory", "save", "--agent", "k", "--kind", "decision", "Sessions live in Redis", state)
	m.says("Sessions live in Redis", "", tree, "retriever", "memory", "list", "--agent", "k", state)
	m.says("no such folder", "", tree, "indexer", "index", `Q:\none`, state)
	m.says("no such folder", "", tree, "indexer", "index", `\\server\share`, state)
	m.says("(0 added", "", tree, "indexer", "index", strings.ToLower(root), state) // the same project in other letters
	in := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n"
	if out, errs, err := m.try(tree, in, m.wine, filepath.Join(m.bin, "retriever.exe"), "mcp", state); err != nil || !strings.Contains(out, `"search_code"`) {
		t.Errorf("mcp: %v\n%s%s", err, out, errs)
	}

	m.background(tree, "indexer", "run", "--watch", root, "--listen", "127.0.0.1:29464", state)
	m.background(tree, "retriever", "serve", "--allow-root", root, "--listen", "127.0.0.1:29465", state)
	m.says("1 running", "", tree, "retriever", "doctor", "--listen", "127.0.0.1:29465", state)
	m.write(map[string]string{"tree/src/pelican.go": "package src\n\nfunc PelicanFeeder() {}\n"})
	if err := os.Remove(filepath.Join(tree, "src", "retry.go")); err != nil {
		t.Fatal(err)
	}
	m.says("src/pelican.go", "", tree, "retriever", "query", "PelicanFeeder", state)
	m.says("Nothing relevant", "retry.go", tree, "retriever", "query", "RetryLater", state)
	m.says("queued", "", tree, "indexer", "enqueue", ".", "SRC/PELICAN.go", state)
	time.Sleep(2 * time.Second) // it may be indexed a second time by then, as it was once
	m.says("1. src/pelican.go", "PELICAN.go", tree, "retriever", "query", "PelicanFeeder", state)
	reply, err := http.Post("http://127.0.0.1:29465/v1/search", "application/json", strings.NewReader(`{"query":"PelicanFeeder","root":"`+strings.ReplaceAll(root, `\`, `\\`)+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	if text, err := io.ReadAll(reply.Body); err != nil || !strings.Contains(string(text), `"path":"src/pelican.go"`) {
		t.Errorf("search: %v\n%s", err, text)
	}
}
