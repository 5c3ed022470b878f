package agents

import "github.com/contextd/contextd/plugins"

// events are those that our hook answers.
var events = []Event{{"UserPromptSubmit", ""}, {"SessionStart", ""},
	{"PostToolUse", "Read|Edit|Write|MultiEdit|Grep|Glob"}, {"Stop", ""}, {"PreCompact", ""}}

// codexEvents are the same; its tools have other names, so it tells of all.
var codexEvents = []Event{{"UserPromptSubmit", ""}, {"SessionStart", ""}, {"PostToolUse", ""}, {"Stop", ""},
	{"PreCompact", ""}}

func servers(scope Scope, key string, shape Shape, files ...string) Target {
	return Target{Part: MCP, Scope: scope, Files: files, Form: JSON, Key: []string{key, Server}, Shape: shape}
}

func whole(scope Scope, text string, files ...string) Target {
	return Target{Part: Skill, Scope: scope, Files: files, Form: Whole, Text: text}
}

func section(scope Scope, files ...string) Target {
	return Target{Part: Instructions, Scope: scope, Files: files, Form: Block, Text: plugins.Instructions}
}

func rule(scope Scope, head, file string) Target {
	return Target{Part: Instructions, Scope: scope, Files: []string{file}, Form: Whole,
		Text: head + plugins.Instructions}
}

func hooks(scope Scope, events []Event, file string) Target {
	return Target{Part: Hook, Scope: scope, Files: []string{file}, Form: Hooks, Key: []string{"hooks"}, Event: events}
}

var table = []Agent{
	{ID: "claude-code", Name: "Claude Code", Programs: []string{"claude"}, Folders: []string{"{claude}"},
		Targets: []Target{
			servers(User, "mcpServers", Stdio, "{claudestate}/.claude.json"),
			servers(Project, "mcpServers", Stdio, "{project}/.mcp.json"),
			hooks(User, events, "{claude}/settings.json"),
			hooks(Project, events, "{project}/.claude/settings.json"),
			whole(User, plugins.Skill, "{claude}/skills/contextd/SKILL.md"),
			whole(User, plugins.SubAgent, "{claude}/agents/contextd.md"),
			whole(Project, plugins.Skill, "{project}/.claude/skills/contextd/SKILL.md"),
			whole(Project, plugins.SubAgent, "{project}/.claude/agents/contextd.md"),
			section(User, "{claude}/CLAUDE.md"),
			section(Project, "{project}/CLAUDE.md"),
		}},
	{ID: "codex", Name: "Codex", Programs: []string{"codex"}, Folders: []string{"{codex}"}, Targets: []Target{
		{Part: MCP, Scope: User, Files: []string{"{codex}/config.toml"}, Form: TOML,
			Key: []string{"mcp_servers", Server}, Shape: Plain},
		{Part: MCP, Scope: Project, Files: []string{"{project}/.codex/config.toml"}, Form: TOML,
			Key: []string{"mcp_servers", Server}, Shape: Plain},
		hooks(User, codexEvents, "{codex}/hooks.json"),
		hooks(Project, codexEvents, "{project}/.codex/hooks.json"),
		whole(User, plugins.Skill, "{codex}/skills/contextd/SKILL.md"),
		section(User, "{codex}/AGENTS.md"),
		section(Project, "{project}/AGENTS.md"),
	}},
	{ID: "gemini-cli", Name: "Gemini CLI", Programs: []string{"gemini"}, Folders: []string{"{home}/.gemini"},
		Targets: []Target{
			servers(User, "mcpServers", Plain, "{home}/.gemini/settings.json"),
			servers(Project, "mcpServers", Plain, "{project}/.gemini/settings.json"),
			whole(User, plugins.Skill, "{home}/.gemini/skills/contextd/SKILL.md"),
			section(User, "{home}/.gemini/GEMINI.md"),
			section(Project, "{project}/GEMINI.md"),
		}},
	{ID: "opencode", Name: "opencode", Programs: []string{"opencode"}, Folders: []string{"{config}/opencode"},
		Targets: []Target{
			servers(User, "mcp", List, "{config}/opencode/opencode.json", "{config}/opencode/opencode.jsonc"),
			servers(Project, "mcp", List, "{project}/opencode.json", "{project}/opencode.jsonc"),
			whole(User, plugins.Skill, "{config}/opencode/skills/contextd/SKILL.md"),
			section(User, "{config}/opencode/AGENTS.md"),
			section(Project, "{project}/AGENTS.md"),
		}},
	{ID: "cursor", Name: "Cursor", Programs: []string{"cursor", "cursor-agent"}, Folders: []string{"{home}/.cursor"},
		Targets: []Target{
			servers(User, "mcpServers", Plain, "{home}/.cursor/mcp.json"),
			servers(Project, "mcpServers", Plain, "{project}/.cursor/mcp.json"),
			rule(Project, "---\ndescription: how to find code in this project\nalwaysApply: true\n---\n\n",
				"{project}/.cursor/rules/contextd.mdc"),
		}},
	{ID: "vscode", Name: "VS Code", Programs: []string{"code"}, Folders: []string{"{code}"}, Targets: []Target{
		servers(User, "servers", Stdio, "{code}/mcp.json"),
		servers(Project, "servers", Stdio, "{project}/.vscode/mcp.json"),
		section(Project, "{project}/.github/copilot-instructions.md"),
	}},
	{ID: "zed", Name: "Zed", Programs: []string{"zed", "zeditor"}, Folders: []string{"{zed}"}, Targets: []Target{
		servers(User, "context_servers", Plain, "{zed}/settings.json"),
		servers(Project, "context_servers", Plain, "{project}/.zed/settings.json"),
		section(Project, "{project}/AGENTS.md"),
	}},
	{ID: "windsurf", Name: "Windsurf", Programs: []string{"windsurf"}, Folders: []string{"{home}/.codeium/windsurf"},
		Targets: []Target{
			servers(User, "mcpServers", Plain, "{home}/.codeium/windsurf/mcp_config.json"),
			section(User, "{home}/.codeium/windsurf/memories/global_rules.md"),
			rule(Project, "---\ntrigger: always_on\n---\n\n", "{project}/.windsurf/rules/contextd.md"),
		}},
	{ID: "cline", Name: "Cline", Programs: []string{"cline"}, Folders: []string{"{home}/.cline"}, Targets: []Target{
		servers(User, "mcpServers", Nested, "{home}/.cline/data/settings/cline_mcp_settings.json"),
		rule(Project, "", "{project}/.clinerules/contextd.md"),
	}},
	{ID: "copilot-cli", Name: "Copilot CLI", Programs: []string{"copilot"}, Folders: []string{"{copilot}"},
		Targets: []Target{
			servers(User, "mcpServers", Copilot, "{copilot}/mcp-config.json"),
			section(User, "{copilot}/copilot-instructions.md"),
			section(Project, "{project}/AGENTS.md"),
		}},
	{ID: "qwen-code", Name: "Qwen Code", Programs: []string{"qwen"}, Folders: []string{"{home}/.qwen"},
		Targets: []Target{
			servers(User, "mcpServers", Plain, "{home}/.qwen/settings.json"),
			servers(Project, "mcpServers", Plain, "{project}/.qwen/settings.json"),
			section(User, "{home}/.qwen/QWEN.md"),
			section(Project, "{project}/QWEN.md"),
		}},
	{ID: "kiro", Name: "Kiro", Programs: []string{"kiro", "kiro-cli"}, Folders: []string{"{home}/.kiro"},
		Targets: []Target{
			servers(User, "mcpServers", Plain, "{home}/.kiro/settings/mcp.json"),
			servers(Project, "mcpServers", Plain, "{project}/.kiro/settings/mcp.json"),
			rule(User, "", "{home}/.kiro/steering/contextd.md"),
			rule(Project, "", "{project}/.kiro/steering/contextd.md"),
		}},
}
