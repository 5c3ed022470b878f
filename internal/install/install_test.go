package install

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/agents"
	"github.com/contextd/contextd/internal/confedit"
)

// world is a home, a project and a state directory with an installer for them.
type world struct {
	*Installer
	dir     string
	started []string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{dir: dir}
	for _, name := range []string{"home", "project", "bin"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w.write(t, "bin/retriever", "binary")
	w.Installer, err = New(Options{
		Env: agents.Env{GOOS: runtime.GOOS, Home: filepath.Join(dir, "home"),
			Project: filepath.Join(dir, "project")},
		Command: filepath.Join(dir, "bin", "retriever"), StateDir: filepath.Join(dir, "state"),
		LookPath: func(string) (string, error) { return "", errors.New("not there") },
		Check: func(_ context.Context, argv []string) error {
			w.started = append(w.started, strings.Join(argv, " "))
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
}

func (w *world) read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// files are all files and folders but for the state, with their texts and modes.
func (w *world) files(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && path == w.StateDir {
			return fs.SkipDir
		}
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := info.Mode().String()
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text += " " + string(data)
		}
		all[path] = text
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func (w *world) equal(t *testing.T, when string, want map[string]string) {
	t.Helper()
	got := w.files(t)
	for path, text := range want {
		if got[path] != text {
			t.Errorf("%s: %s is\n%q, was\n%q", when, path, got[path], text)
		}
	}
	for path := range got {
		if _, ok := want[path]; !ok {
			t.Errorf("%s: %s is left", when, path)
		}
	}
}

func everything(ids ...string) Selection {
	return Selection{Agents: ids, Parts: agents.Parts(), Scopes: []agents.Scope{agents.User, agents.Project}}
}

func (w *world) install(t *testing.T, s Selection) *Plan {
	t.Helper()
	p, err := w.Install(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := w.Apply(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	return p
}

func (w *world) uninstall(t *testing.T, s Selection) *Plan {
	t.Helper()
	p, err := w.Uninstall(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := w.Apply(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	return p
}

// rich are texts that a form of file may hold before us.
func rich(form agents.Form, key []string) map[string]string {
	switch form {
	case agents.JSON:
		return map[string]string{
			"other servers": "{\n    \"theme\": \"dark\",\n    \"" + key[0] +
				"\": {\n        \"other\": {\"command\": \"x\"}\n    },\n    \"last\": [1,\n  2]\n}",
			"comments": "// mine\n{\n\t/* a */ \"" + key[0] +
				"\": { // servers\n\t\t\"other\": {}, // one\n\t\t// end\n\t},\n\t\"z\": 1, // last\n}\n",
			"CRLF and BOM": "\ufeff{\r\n  \"a\": \"\u00e9\",\r\n  \"" + key[0] + "\": {}\r\n}\r\n",
			"one line":     `{"a":1,"` + key[0] + `":{"other":{"command":"x"}}}`,
			"empty":        "",
			"an older one": `{"` + key[0] +
				`": {"contextd": {"command": "/old/retriever", "args": ["serve"], "env": {"A": "b"}}}}`,
		}
	case agents.Hooks:
		return map[string]string{
			"other hooks": "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]\n      }\n    ],\n    \"Other\": []\n  },\n  \"model\": \"x\"\n}\n",
			"one line":    `{"hooks":{"PreCompact":[{"hooks":[{"type":"command","command":"x hook codex"}]}]}}`,
		}
	case agents.TOML:
		return map[string]string{
			"other tables": "# mine\nmodel = \"x\"\n\n[mcp_servers.other]\ncommand = \"o\" # o\n[mcp_servers.other.env]\nA = \"[b\"\n\n[projects.\"/p\"]\ntrust_level = \"trusted\"",
			"CRLF and BOM": "\ufeffa = 1\r\n\r\n[t]\r\nb = '''\r\n[mcp_servers.contextd]\r\n'''\r\n",
			"an older one": "[mcp_servers.contextd]\ncommand = \"/old\"\n\n[mcp_servers.contextd.env]\nA = \"b\"\n",
		}
	case agents.Block:
		return map[string]string{"text": "# Mine\n\nBe brief.", "CRLF": "# Mine\r\n", "BOM": "\ufeff# Mine\n\n\n",
			"empty": ""}
	}
	return nil
}

func TestEveryAgentIsInstalledTwiceAndGivenBack(t *testing.T) {
	t.Parallel()
	for _, a := range agents.All() {
		for _, target := range a.Targets {
			texts := map[string]string{"no file": "\x00"}
			for name, text := range rich(target.Form, target.Key) {
				texts[name] = text
			}
			for name, text := range texts {
				t.Run(a.ID+"/"+string(target.Part)+"/"+string(target.Scope)+"/"+name, func(t *testing.T) {
					t.Parallel()
					w := newWorld(t)
					path := w.Env.Expand(target.Files[0])
					rel, err := filepath.Rel(w.dir, path)
					if err != nil {
						t.Fatal(err)
					}
					if text != "\x00" {
						w.write(t, rel, text)
					}
					before := w.files(t)
					s := Selection{Agents: []string{a.ID}, Parts: []agents.Part{target.Part},
						Scopes: []agents.Scope{target.Scope}}
					if p := w.install(t, s); len(p.Changes) != len(a.TargetsFor(target.Part, target.Scope)) {
						t.Fatalf("%d changes", len(p.Changes))
					}
					written := w.read(t, rel)
					if !strings.Contains(written, agents.Server) && target.Part == agents.MCP || written == text {
						t.Fatalf("wrote %q", written)
					}
					if target.Part == agents.MCP && (len(w.started) != 1 || w.started[0] != w.Command+" mcp") {
						t.Errorf("started %q", w.started)
					}
					after := w.files(t)
					if p := w.install(t, s); len(p.Changes) != 0 {
						t.Errorf("a second time changes %s", p.Changes[0].Diff())
					}
					w.equal(t, "a second time", after)
					w.uninstall(t, s)
					w.equal(t, "uninstalled", before)
					if p := w.uninstall(t, s); len(p.Changes) != 0 && !strings.HasPrefix(name, "an older") {
						t.Errorf("there is more to uninstall: %s", p.Changes[0].Diff())
					}
				})
			}
		}
	}
}

func TestAllAgentsAtOnceAreGivenBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(t, "project/AGENTS.md", "# Ours\n")
	w.write(t, "home/.claude/settings.json", "{\"model\": \"x\"}\n")
	before := w.files(t)
	w.install(t, everything(agents.IDs()...))
	if n := strings.Count(w.read(t, "project/AGENTS.md"), confedit.Begin); n != 1 {
		t.Errorf("four agents read AGENTS.md, it has %d sections", n)
	}
	w.uninstall(t, everything("codex"))
	if text := w.read(t, "project/AGENTS.md"); !strings.Contains(text, confedit.Begin) {
		t.Error("the section went although other agents still read it")
	}
	w.uninstall(t, everything())
	w.equal(t, "uninstalled", before)
}

func TestUninstallLeavesWhatOthersWroteMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(t, "home/.cursor/mcp.json", "{\n  \"mcpServers\": {\n    \"other\": {}\n  }\n}\n")
	w.install(t, everything("cursor", "codex", "claude-code"))
	for name, change := range map[string]func(string) string{
		"home/.cursor/mcp.json": func(s string) string {
			return strings.Replace(s, `"other": {}`, `"other": {}, "new": {}`, 1)
		},
		"home/.codex/config.toml":    func(s string) string { return s + "\n[tui]\nx = 1\n" },
		"home/.claude/settings.json": func(s string) string { return strings.Replace(s, `{`, `{"model": "x",`, 1) },
		"project/.claude/settings.json": func(s string) string {
			return strings.Replace(s, `"hooks": [`, `"hooks": [{"type": "command", "command": "mine"}, `, 1)
		},
		"home/.claude/CLAUDE.md":          func(s string) string { return "# Mine\n\n" + s + "\nAnd more.\n" },
		"home/.claude/agents/contextd.md": func(s string) string { return s + "\nAnd mine.\n" },
	} {
		w.write(t, name, change(w.read(t, name)))
	}
	w.uninstall(t, everything())
	for name, want := range map[string]string{
		"home/.cursor/mcp.json":      "{\n  \"mcpServers\": {\n    \"other\": {}, \"new\": {}\n  }\n}\n",
		"home/.codex/config.toml":    "\n[tui]\nx = 1\n",
		"home/.claude/settings.json": "{\"model\": \"x\"\n}\n",
		"home/.claude/CLAUDE.md":     "# Mine\n\nAnd more.\n",
	} {
		if got := w.read(t, name); strings.TrimSpace(got) != strings.TrimSpace(want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if got := w.read(t, "project/.claude/settings.json"); !strings.Contains(got, `"command": "mine"`) ||
		strings.Contains(got, "retriever") {
		t.Errorf("a hook beside ours: %q", got)
	}
	if got := w.read(t, "home/.claude/agents/contextd.md"); !strings.Contains(got, "And mine.") {
		t.Errorf("an edited file of ours: %q", got)
	}
	if exists(filepath.Join(w.dir, "home/.claude.json")) {
		t.Error("a file that nobody else edited is left")
	}
}

func TestUninstallNeedsNoRecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(t, "project/.mcp.json", `{"mcpServers":{"other":{"command":"x"}}}`)
	w.install(t, everything("claude-code", "codex"))
	if err := os.RemoveAll(w.StateDir); err != nil {
		t.Fatal(err)
	}
	w.uninstall(t, everything())
	for path, text := range w.files(t) {
		if strings.Contains(text, w.Command) || strings.Contains(text, confedit.Begin) {
			t.Errorf("%s still has %q", path, text)
		}
	}
	if got := w.read(t, "project/.mcp.json"); got != `{"mcpServers":{"other":{"command":"x"}}}` {
		t.Errorf("got %q", got)
	}
}

func TestInstallOfAnotherBinaryReplacesTheOldEntry(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(t, "home/.gemini/settings.json", "{\"mcpServers\": {}}")
	before := w.files(t)
	w.install(t, everything("claude-code", "gemini-cli", "codex"))
	old := w.Command
	w.Command = filepath.Join(w.dir, "bin", "new", "retriever")
	w.install(t, everything("claude-code", "gemini-cli", "codex"))
	for path, text := range w.files(t) {
		if strings.Contains(text, old+" ") || strings.Contains(text, old+`"`) {
			t.Errorf("%s still starts the old binary: %s", path, text)
		}
	}
	w.uninstall(t, everything())
	w.equal(t, "uninstalled", before)
}

func TestUnreadableSettingsChangeNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, text, want string }{
		"JSON":            {"home/.cursor/mcp.json", "{\n  \"mcpServers\": {,}\n}", "line 2, column 18"},
		"TOML":            {"home/.codex/config.toml", "a = 1\nb = = 2\n", "line 2, column"},
		"no object":       {"project/.vscode/mcp.json", "{\"servers\": []}", `want an object ("servers")`},
		"UTF-16":          {"home/.codex/AGENTS.md", "\xff\xfea\x00", "not UTF-8"},
		"a section open":  {"home/.codex/AGENTS.md", confedit.Begin + "\n", "without"},
		"foreign skill":   {"home/.codex/skills/contextd/SKILL.md", "mine", "somebody else"},
		"hooks of a form": {"home/.codex/hooks.json", `{"hooks": {"Stop": {}}}`, `want a list ("hooks.Stop")`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.write(t, c.file, c.text)
			before := w.files(t)
			p, err := w.Install(t.Context(), everything("windsurf", "codex", "cursor", "vscode"))
			if err == nil || !strings.Contains(err.Error(), c.want) ||
				!strings.Contains(err.Error(), filepath.Base(c.file)) {
				t.Errorf("got %v, %v; want an error with %q and the file", p, err, c.want)
			}
			w.equal(t, "refused", before)
		})
	}
}
