package install

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/agents"
)

// apply plans an installation and carries it out.
func (w *world) apply(t *testing.T, s Selection) error {
	t.Helper()
	p, err := w.Install(t.Context(), s)
	if err != nil {
		return err
	}
	defer p.Close()
	return w.Apply(t.Context(), p)
}

func TestServerThatDoesNotAnswerTakesEverythingBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(t, "home/.cursor/mcp.json", "{}\n")
	w.write(t, "project/AGENTS.md", "# Ours\n")
	before := w.files(t)
	w.Check = func(context.Context, []string) error { return errors.New("no answer") }
	if err := w.apply(t, everything(agents.IDs()...)); err == nil ||
		!strings.Contains(err.Error(), "no answer; everything is as it was") {
		t.Error(err)
	}
	w.equal(t, "taken back", before)
	if b, err := w.readRecords(); err != nil || len(b.Files) != 0 {
		t.Errorf("the record still has %d files (%v)", len(b.Files), err)
	}
}

func TestFileThatCannotBeWrittenTakesEverythingBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(t, "home/.cursor/mcp.json", "{}\n")
	w.write(t, "home/.qwen/settings.json", "{}\n")
	if err := os.Chmod(filepath.Join(w.dir, "home/.qwen/settings.json"), 0o440); err != nil {
		t.Fatal(err)
	}
	before := w.files(t)
	if err := w.apply(t, everything("cursor", "qwen-code")); err == nil ||
		!strings.Contains(err.Error(), `settings.json": it is read-only; everything is as it was`) {
		t.Error(err)
	}
	w.equal(t, "taken back", before)
}

func TestFileThatChangesAfterThePlanIsNotOverwritten(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(path string) error{
		"text":    func(path string) error { return os.WriteFile(path, []byte("{\"new\": 1}\n"), 0o600) },
		"removed": os.Remove,
		"now a link": func(path string) error {
			return errors.Join(os.Rename(path, path+".real"), os.Symlink(path+".real", path))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.write(t, "home/.cursor/mcp.json", "{}\n")
			p, err := w.Install(t.Context(), everything("cursor"))
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			if err := change(filepath.Join(w.dir, "home/.cursor/mcp.json")); err != nil {
				t.Fatal(err)
			}
			before := w.files(t)
			if err := w.Apply(t.Context(), p); err == nil {
				t.Error("it was written")
			}
			w.equal(t, "refused", before)
		})
	}
}

func TestLinkedSettingsAreEditedWhereTheyLie(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(t, "dotfiles/codex.toml", "a = 1\n")
	w.write(t, "home/.codex/other", "")
	if err := os.Symlink("../../dotfiles/codex.toml", filepath.Join(w.dir, "home/.codex/config.toml")); err != nil {
		t.Skip(err)
	}
	before := w.files(t)
	s := Selection{Agents: []string{"codex"}, Parts: []agents.Part{agents.MCP}, Scopes: []agents.Scope{agents.User}}
	w.install(t, s)
	if text := w.read(t, "dotfiles/codex.toml"); !strings.Contains(text, "[mcp_servers.contextd]") {
		t.Errorf("the file behind the link: %q", text)
	}
	if info, err := os.Lstat(filepath.Join(w.dir, "home/.codex/config.toml")); err != nil ||
		info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone (%v)", err)
	}
	w.uninstall(t, s)
	w.equal(t, "uninstalled", before)
}

func TestProjectLinksThatLeadOutAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ link, to, want string }{
		"file to the home":   {"project/.mcp.json", "../home/.secret", "leads out"},
		"absolute":           {"project/.mcp.json", "/etc/hosts", "leads out"},
		"folder to the home": {"project/.claude", "../home/.ssh", "escapes"},
		"ring":               {"project/.mcp.json", ".mcp.json", "without end"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.write(t, "home/.secret", "{}")
			w.write(t, "home/.ssh/settings.json", "{}")
			if err := os.Symlink(c.to, filepath.Join(w.dir, c.link)); err != nil {
				t.Skip(err)
			}
			before := w.files(t)
			s := Selection{Agents: []string{"claude-code"}, Parts: agents.Parts(),
				Scopes: []agents.Scope{agents.Project}}
			if err := w.apply(t, s); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q", err, c.want)
			}
			w.equal(t, "refused", before)
		})
	}
	w := newWorld(t)
	w.write(t, "project/conf/mcp.json", "{}")
	if err := os.Symlink("conf/mcp.json", filepath.Join(w.dir, "project/.mcp.json")); err != nil {
		t.Skip(err)
	}
	w.install(t, everything("claude-code"))
	if text := w.read(t, "project/conf/mcp.json"); !strings.Contains(text, agents.Server) {
		t.Errorf("a link inside of the project: %q", text)
	}
}

func TestFilesThatAreNoneAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := os.MkdirAll(filepath.Join(w.dir, "home/.cursor/mcp.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := w.apply(t, everything("cursor")); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Error(err)
	}
	if err := errors.Join(os.MkdirAll(filepath.Join(w.dir, "home/.kiro/settings"), 0o700),
		os.Symlink("gone", filepath.Join(w.dir, "home/.kiro/settings/mcp.json"))); err != nil {
		t.Skip(err)
	}
	if err := w.apply(t, everything("kiro")); err == nil || !strings.Contains(err.Error(), "leads nowhere") {
		t.Error(err)
	}
}

func TestModesAreKeptAndNewFilesArePrivate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(t, "home/.cursor/mcp.json", "{}\n") // 0640
	w.install(t, everything("cursor", "claude-code"))
	for name, want := range map[string]os.FileMode{
		"home/.cursor/mcp.json": 0o640,
		"home/.claude.json":     0o600,
		"project/.mcp.json":     0o644,
		"state/installed.json":  0o600,
	} {
		if info, err := os.Stat(filepath.Join(w.dir, name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v (%v), want %v", name, info.Mode(), err, want)
		}
	}
}

func TestAnAgentsOwnCommandWritesItsState(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(t, "home/.claude.json", "{\"sessions\": 3}\n")
	w.LookPath = func(name string) (string, error) {
		if name == "claude" {
			return "/opt/claude", nil
		}
		return "", errors.New("not there")
	}
	var calls []string
	w.Run = func(_ context.Context, argv []string) error { // what the agent would do
		calls = append(calls, strings.Join(argv, " "))
		text := "{\"sessions\": 4}\n"
		if argv[2] == "add" {
			text = `{"sessions": 4, "mcpServers": {"contextd": {"type": "stdio", "command": "` + argv[len(argv)-2] +
				`", "args": ["mcp"], "env": {}}}}`
		}
		return os.WriteFile(filepath.Join(w.dir, "home/.claude.json"), []byte(text), 0o600)
	}
	s := Selection{Parts: []agents.Part{agents.MCP}, Scopes: []agents.Scope{agents.User}}
	w.install(t, s)
	if p := w.install(t, s); len(p.Changes) != 0 {
		t.Errorf("a second time: %s", p.Changes[0].Diff())
	}
	w.uninstall(t, s)
	want := []string{"/opt/claude mcp add --scope user --transport stdio contextd -- " + w.Command + " mcp",
		"/opt/claude mcp remove --scope user contextd"}
	if strings.Join(calls, "\n") != strings.Join(want, "\n") {
		t.Errorf("ran %q, want %q", calls, want)
	}
	w.Check = func(context.Context, []string) error { return errors.New("no answer") }
	if err := w.apply(t, s); err == nil || calls[len(calls)-1] != want[1] {
		t.Errorf("not taken back: %v, last %q", err, calls[len(calls)-1])
	}
}

func TestDetectAndStatusTellWhatAgentsStart(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if _, err := w.Install(t.Context(),
		Selection{Parts: agents.Parts(), Scopes: []agents.Scope{agents.User}}); !errors.Is(err, ErrNone) {
		t.Errorf("an empty home: %v", err)
	}
	for _, dir := range []string{".codex", ".cursor", ".gemini", ".qwen", ".kiro"} {
		if err := os.Mkdir(filepath.Join(w.dir, "home", dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w.install(t, everything("codex", "gemini-cli"))
	w.write(t, "home/.gemini/settings.json", `{"mcpServers": {"contextd": {"command": "`+
		filepath.Join(w.dir, "gone", "retriever")+`", "args": ["mcp"]}}}`)
	w.write(t, "bin/old/retriever", "another")
	w.write(t, "home/.qwen/settings.json", `{"mcpServers": {"contextd": {"command": "`+
		filepath.Join(w.dir, "bin/old/retriever")+`", "args": ["mcp"]}}}`)
	w.write(t, "home/.kiro/settings/mcp.json", `{`)
	for i, want := range []struct {
		agent  string
		ok     bool
		detail string
	}{{"codex", true, "installed: mcp (user), mcp (project), hook (user), hook (project)"},
		{"gemini-cli", false, "which is gone"}, {"cursor", true, "not installed"},
		{"qwen-code", false, "another version than this one"}, {"kiro", false, "line 1, column 2"}} {
		states := w.Status()
		if len(states) != 5 {
			t.Fatalf("%d agents", len(states))
		}
		if s := states[i]; s.Agent != want.agent || s.OK != want.ok || !strings.Contains(s.Detail, want.detail) ||
			s.OK != (s.Hint == "" || s.Detail == "not installed") {
			t.Errorf("got %+v, want %+v", s, want)
		}
	}
}

func TestDiffShowsWhatChangesAndNoSecret(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := "ghp_" + strings.Repeat("aB3", 12)
	w.write(t, "home/.cursor/mcp.json",
		"{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3,\n  \"mcpServers\": {\n    \"x\": {\"env\": {\"TOKEN\": \""+token+
			"\"}}\n  },\n  \"d\": \"\x7f\"\n}\n")
	p, err := w.Install(t.Context(),
		Selection{Agents: []string{"cursor"}, Parts: []agents.Part{agents.MCP}, Scopes: []agents.Scope{agents.User}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	diff := p.Changes[0].Diff()
	for _, want := range []string{
		"@@ -4,5 +4,9 @@\n   \"c\": 3,\n", "+    \"contextd\": {\n", "+      \"command\": \"" + w.Command + "\",\n",
	} {
		if !strings.Contains(diff, want) {
			t.Errorf("no %q in\n%s", want, diff)
		}
	}
	if strings.Contains(diff, token) || strings.Contains(diff, "\x7f") || strings.Contains(diff, `"a": 1`) {
		t.Errorf("shows too much:\n%s", diff)
	}
}

func TestFolderSwappedForALinkAfterThePlanIsNotWrittenThrough(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(t, "home/.cursor/mcp.json", "{}\n")
	w.write(t, "other/mcp.json", "{}\n")
	p, err := w.Install(t.Context(),
		Selection{Agents: []string{"cursor"}, Parts: []agents.Part{agents.MCP}, Scopes: []agents.Scope{agents.User}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	dir := filepath.Join(w.dir, "home/.cursor")
	if err := errors.Join(os.Rename(dir, dir+".moved"), os.Symlink(filepath.Join(w.dir, "other"), dir)); err != nil {
		t.Skip(err)
	}
	before := w.files(t)
	if err := w.Apply(t.Context(), p); err == nil {
		t.Error("the server counts as installed")
	}
	w.equal(t, "taken back", before)
}

func TestOfTwoPlansAtOnceOneIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, err := w.Install(t.Context(), everything("kiro"))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	w.install(t, everything("cursor"))
	before := w.files(t)
	if err := w.Apply(t.Context(), p); err == nil ||
		!strings.Contains(err.Error(), "another installation has run meanwhile") {
		t.Error(err)
	}
	w.equal(t, "refused", before)
}
