//go:build agents && unix

package agents

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAgentsListTheInstalledServer installs contextd into the real agents, asks them for their servers, and takes it
// out again.
func TestAgentsListTheInstalledServer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		id, pkg, program string
		list             []string
		file, before     string // a file of settings, which is given back
		connects         string // what is listed of a server that answers; "": the agent does not try
	}{
		{"claude-code", "@anthropic-ai/claude-code@2.1.332", "claude", []string{"mcp", "get", "contextd"},
			".claude/settings.json", "{\n  \"cleanupPeriodDays\": 9\n}\n", "Connected"},
		{"codex", "@openai/codex@0.171.0", "codex", []string{"mcp", "get", "contextd"}, ".codex/config.toml",
			"# mine\nmodel = \"x\"\n", ""},
		{"opencode", "opencode-ai@1.18.33", "opencode", []string{"mcp", "list"}, ".config/opencode/opencode.jsonc",
			"{\n  \"$schema\": \"https://opencode.ai/config.json\", // opencode adds it by itself\n  // mine\n  \"autoupdate\": false,\n}\n", "✓ contextd"},
		{"gemini-cli", "@google/gemini-cli@0.61.0", "gemini", []string{"mcp", "list"}, ".gemini/settings.json",
			"{\n  // mine\n  \"general\": {}\n}\n", "Connected"},
	} {
		t.Run(c.id, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			programs := filepath.Join(npm(t, c.pkg), ".bin")
			w.Path = []string{programs, node(t)}
			file := filepath.Join(w.Home, c.file)
			trusted, err := json.Marshal(map[string]string{w.Project: "TRUST_FOLDER"})
			if err != nil {
				t.Fatal(err)
			}
			for path, text := range map[string]string{
				file: c.before,
				filepath.Join(w.Home, ".gemini", "trustedFolders.json"): string(trusted),
			} {
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			args := []string{"install", "--yes", "--agent", c.id, "--type", "mcp,hook,skill,instructions"}
			if _, _, err := w.run(t, retriever(), "mcp", "--help"); err != nil {
				t.Logf("this retriever has no command mcp: its server is written, not spoken to: %v", err)
				args, c.connects = append(args, "--no-check"), ""
			}
			if out, complaints, err := w.run(t, retriever(), args...); err != nil {
				t.Fatalf("%v\n%s%s", err, out, complaints)
			}
			out, complaints, err := w.run(t, filepath.Join(programs, c.program), c.list...)
			if err != nil || !strings.Contains(out+complaints, retriever()) ||
				!strings.Contains(out+complaints, c.connects) {
				t.Errorf("%s %q: %v\n%s%s", c.program, c.list, err, out, complaints)
			}
			if out, complaints, err := w.run(t, retriever(), "doctor"); err != nil ||
				!strings.Contains(out, "agent "+c.id+" ") || !strings.Contains(out, "installed: mcp (user)") {
				t.Errorf("doctor: %v\n%s%s", err, out, complaints)
			}
			if out, complaints, err := w.run(t, retriever(), "uninstall", "--yes"); err != nil {
				t.Fatalf("%v\n%s%s", err, out, complaints)
			}
			if out, complaints, _ := w.run(t, filepath.Join(programs, c.program),
				c.list...); strings.Contains(out+complaints, retriever()) {
				t.Errorf("still there: %s%s", out, complaints)
			}
			if after, err := os.ReadFile(file); err != nil || string(after) != c.before {
				t.Errorf("%s is %q, was %q (%v)", c.file, after, c.before, err)
			}
		})
	}
}

func TestClaudeCodeAcceptsThePlugin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	programs := filepath.Join(npm(t, "@anthropic-ai/claude-code@2.1.332"), ".bin")
	top, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{filepath.Join(top, "plugins", "claude-code"), top} {
		if out, complaints, err := w.run(t, filepath.Join(programs, "claude"), "plugin", "validate", dir); err != nil ||
			!strings.Contains(out, "Validation passed") {
			t.Errorf("%s: %v\n%s%s", dir, err, out, complaints)
		}
	}
}

func TestToolsAreThoseOfTheServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if _, _, err := w.run(t, retriever(), "mcp", "--help"); err != nil {
		t.Skipf("this retriever has no command mcp: %v", err)
	}
	out, complaints, err := w.run(t, retriever(), "tools", "--format", "anthropic")
	if err != nil || !strings.Contains(out, `"name": "search_code"`) || !strings.Contains(out, `"input_schema": {`) {
		t.Errorf("%v\n%s%s", err, out, complaints)
	}
}
