package install

import (
	"encoding/json"

	"github.com/contextd/contextd/internal/agents"
	"github.com/contextd/contextd/internal/confedit"
)

// Claude Code keeps its users' servers in a file of state that its sessions write all the time. Its own command takes
// the lock of that file, so it is asked where it is there; all other files are settings, which an edit changes by fewer
// bytes than a foreign command.

func (in *Installer) ownProgram(uses []targetUse) (program string, u targetUse, ok bool) {
	if u = uses[0]; in.Run == nil || len(uses) != 1 || u.agent.ID != "claude-code" || u.target.Part != agents.MCP ||
		u.target.Scope != agents.User {
		return "", u, false
	}
	program = in.program(u.agent)
	return program, u, program != ""
}

func addCall(program, command string) Call {
	return Call{program, "mcp", "add", "--scope", "user", "--transport", "stdio", agents.Server, "--", command, "mcp"}
}

func removeCall(program string) Call {
	return Call{program, "mcp", "remove", "--scope", "user", agents.Server}
}

// ownInstall is the change that an agent's own command makes; ok false: the file is edited. One that we have edited
// before stays with that.
func (in *Installer) ownInstall(f *file, uses []targetUse, recorded bool) (c Change, ok bool, err error) {
	program, u, ok := in.ownProgram(uses)
	if !ok || recorded {
		return c, false, nil
	}
	old, found, err := confedit.GetJSON(f.data, u.target.Key...)
	if err != nil {
		return c, false, err
	}
	c = change(f, "", uses, f.data)
	c.Run = []Call{addCall(program, u.command)}
	c.undone = []Call{removeCall(program)}
	if found {
		c.Run = append([]Call{removeCall(program)}, c.Run...)
		text, err := json.Marshal(old)
		if err != nil {
			return c, false, err
		}
		c.undone = append(c.undone, Call{program, "mcp", "add-json", "--scope", "user", agents.Server, string(text)})
	}
	return c, true, nil
}

// ownUninstall is the change that an agent's own command makes; ok false: the file is edited, or holds nothing of ours.
func (in *Installer) ownUninstall(f *file, uses []targetUse, recorded bool) (c Change, ok bool) {
	program, u, ok := in.ownProgram(uses)
	if !ok || recorded {
		return c, false
	}
	entry, found, err := confedit.GetJSON(f.data, u.target.Key...)
	if err != nil || !found || !ours(entry) {
		return c, false
	}
	c = change(f, "", uses, f.data)
	c.Run = []Call{removeCall(program)}
	c.undone = []Call{addCall(program, agents.Command(entry)[0])}
	return c, true
}
