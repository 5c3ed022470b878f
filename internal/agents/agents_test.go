package agents

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// expansion is the first file of a target, as an environment expands it.
type expansion struct {
	env   Env
	agent string
	part  Part
	scope Scope
	want  string
}

var expanded = func() []expansion {
	linux, mac, windows := Env{GOOS: "linux", Home: "/home/u", Project: "/p"},
		Env{GOOS: "darwin", Home: "/Users/u", Project: "/p"}, Env{GOOS: "windows", Home: `C:\Users\u`, Project: `D:\p`}
	moved := Env{GOOS: "linux", Home: "/home/u", Getenv: func(name string) string {
		return map[string]string{"XDG_CONFIG_HOME": "/x", "CLAUDE_CONFIG_DIR": "/c", "CODEX_HOME": "/d"}[name]
	}}
	roaming := Env{GOOS: "windows", Home: `C:\Users\u`, Getenv: func(name string) string {
		return map[string]string{"APPDATA": `E:\Roaming`}[name]
	}}
	return []expansion{
		{linux, "claude-code", MCP, User, "/home/u/.claude.json"},
		{linux, "claude-code", MCP, Project, "/p/.mcp.json"},
		{linux, "claude-code", Hook, User, "/home/u/.claude/settings.json"},
		{windows, "claude-code", Skill, User, `C:\Users\u\.claude\skills\contextd\SKILL.md`},
		{moved, "claude-code", MCP, User, "/c/.claude.json"},
		{moved, "claude-code", Hook, User, "/c/settings.json"},
		{linux, "codex", MCP, User, "/home/u/.codex/config.toml"},
		{moved, "codex", Hook, User, "/d/hooks.json"},
		{windows, "gemini-cli", MCP, User, `C:\Users\u\.gemini\settings.json`},
		{linux, "opencode", MCP, User, "/home/u/.config/opencode/opencode.json"},
		{moved, "opencode", MCP, User, "/x/opencode/opencode.json"},
		{mac, "cursor", MCP, User, "/Users/u/.cursor/mcp.json"},
		{linux, "vscode", MCP, User, "/home/u/.config/Code/User/mcp.json"},
		{mac, "vscode", MCP, User, "/Users/u/Library/Application Support/Code/User/mcp.json"},
		{windows, "vscode", MCP, User, `C:\Users\u\AppData\Roaming\Code\User\mcp.json`},
		{roaming, "vscode", MCP, User, `E:\Roaming\Code\User\mcp.json`},
		{windows, "vscode", MCP, Project, `D:\p\.vscode\mcp.json`},
		{moved, "zed", MCP, User, "/x/zed/settings.json"},
		{mac, "zed", MCP, User, "/Users/u/.config/zed/settings.json"},
		{roaming, "zed", MCP, User, `E:\Roaming\Zed\settings.json`},
		{mac, "windsurf", MCP, User, "/Users/u/.codeium/windsurf/mcp_config.json"},
		{linux, "cline", MCP, User, "/home/u/.cline/data/settings/cline_mcp_settings.json"},
		{linux, "copilot-cli", MCP, User, "/home/u/.copilot/mcp-config.json"},
		{linux, "qwen-code", MCP, User, "/home/u/.qwen/settings.json"},
		{linux, "kiro", MCP, User, "/home/u/.kiro/settings/mcp.json"},
	}
}()

func TestPathsFollowTheSystemAndTheEnvironment(t *testing.T) {
	t.Parallel()
	for _, c := range expanded {
		a, ok := ByID(c.agent)
		if !ok {
			t.Fatalf("no agent %q", c.agent)
		}
		if targets := a.TargetsFor(c.part, c.scope); len(targets) == 0 {
			t.Errorf("%s has no %s for a %s", c.agent, c.part, c.scope)
		} else if got := c.env.Expand(targets[0].Files[0]); got != c.want {
			t.Errorf("%s %s %s on %s: %s, want %s", c.agent, c.part, c.scope, c.env.GOOS, got, c.want)
		}
	}
}

func TestEveryShapeNamesTheCommandThatIsReadBack(t *testing.T) {
	t.Parallel()
	for shape, want := range map[Shape]string{
		Stdio:   `{"type":"stdio","command":"/b/retriever","args":["mcp"]}`,
		Plain:   `{"command":"/b/retriever","args":["mcp"]}`,
		List:    `{"type":"local","command":["/b/retriever","mcp"],"enabled":true}`,
		Copilot: `{"type":"local","command":"/b/retriever","args":["mcp"],"tools":["*"]}`,
		Nested:  `{"transport":{"type":"stdio","command":"/b/retriever","args":["mcp"]}}`,
	} {
		text, err := json.Marshal(shape.Entry("/b/retriever", "mcp"))
		if err != nil || string(text) != want {
			t.Errorf("%s: %s, want %s (%v)", shape, text, want, err)
		}
		var entry any
		if err := json.Unmarshal(text, &entry); err != nil {
			t.Fatal(err)
		}
		if got := Command(entry); !slices.Equal(got, []string{"/b/retriever", "mcp"}) {
			t.Errorf("%s: command %q", shape, got)
		}
	}
	for _, entry := range []any{
		nil, 1, map[string]any{}, map[string]any{"command": 1}, map[string]any{"command": "x", "args": []any{1}},
		map[string]any{"url": "x"},
	} {
		if got := Command(entry); got != nil {
			t.Errorf("%v: command %q, want none", entry, got)
		}
	}
}

func TestHookLineIsKnownAgain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ goos, command, want string }{
		{"linux", "/opt/retriever", "/opt/retriever hook codex"},
		{"linux", "/home/u/my tools/retriever", "'/home/u/my tools/retriever' hook codex"},
		{"darwin", "/Users/o'x/retriever", `'/Users/o'\''x/retriever' hook codex`},
		{"linux", "/$(touch x)/retriever", "'/$(touch x)/retriever' hook codex"},
		{"windows", `C:\Program Files\retriever.exe`, `"C:\Program Files\retriever.exe" hook codex`},
	} {
		line := HookLine(c.goos, c.command, "codex")
		if line != c.want {
			t.Errorf("%q: got %q, want %q", c.command, line, c.want)
		}
		if command, ok := HookCommand(line, "codex"); !ok || command != c.command {
			t.Errorf("%q: read back %q, %v", line, command, ok)
		}
	}
	for _, line := range []string{
		"", " hook codex", "/bin/other hook codex", "/opt/retriever hook claude-code",
		"sh -c /opt/retriever hook codex", "/opt/retriever hook codex; rm x",
	} {
		if command, ok := HookCommand(line, "codex"); ok {
			t.Errorf("%q counts as ours: %q", line, command)
		}
	}
}

func TestEveryAgentHasAnMCPServerOfItsUser(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, a := range All() {
		if a.Name == "" || len(a.Programs) == 0 || len(a.Folders) == 0 || len(a.TargetsFor(MCP, User)) != 1 ||
			seen[a.ID] {
			t.Errorf("%s: name, programs, folders or server missing, or twice there", a.ID)
		}
		seen[a.ID] = true
		for _, target := range a.Targets {
			if len(target.Files) == 0 || target.Form == "" ||
				(target.Form == Block || target.Form == Whole) != (target.Text != "") ||
				(target.Form == Hooks) != (len(target.Event) > 0) {
				t.Errorf("%s: %+v is not whole", a.ID, target)
			}
		}
	}
}

func TestEachAgentStandsInTheDocument(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/INSTALL.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range All() {
		if row := "\n| " + a.Name + " | `" + a.ID + "` |"; strings.Count(string(page), row) != 1 {
			t.Errorf("docs/INSTALL.md: want one row that begins with %q", row[1:])
		}
	}
}

func TestEachAgentHasAPathInTheTestOfPaths(t *testing.T) {
	t.Parallel()
	for _, a := range All() {
		if !slices.ContainsFunc(expanded, func(c expansion) bool { return c.agent == a.ID }) {
			t.Errorf("%s: want a path in the table of TestPathsFollowTheSystemAndTheEnvironment", a.ID)
		}
	}
}
