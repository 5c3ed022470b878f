package install

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/agents"
	"github.com/contextd/contextd/internal/confedit"
	"github.com/contextd/contextd/internal/syserr"
)

// State is what was found about one agent.
type State struct {
	Agent  string
	Name   string
	OK     bool
	Detail string
	Hint   string
}

// Status looks at each agent that is here: does a file of its user, or of the project, start this binary? Nothing is
// started for that.
func (in *Installer) Status() []State {
	var list []State
	for _, f := range in.Detect() {
		list = append(list, in.state(f))
	}
	return list
}

func (in *Installer) state(f Found) State {
	s := State{Agent: f.ID, Name: f.Name, OK: true, Detail: "not installed",
		Hint: fmt.Sprintf("retriever install --agent %s", f.ID)}
	var has, bad []string
	for _, t := range f.Targets {
		if t.Scope == agents.Project && in.Env.Project == "" || t.Part != agents.MCP && t.Part != agents.Hook {
			continue
		}
		path, err := in.file(t)
		if err != nil || !exists(path) {
			continue
		}
		u := targetUse{f.Agent, t, path, in.Command}
		commands, err := in.commands(u)
		if err != nil {
			bad = append(bad, err.Error())
			continue
		}
		for _, command := range commands {
			if what := in.compare(command); what != "" {
				bad = append(bad, fmt.Sprintf("%q starts %s", path, what))
			}
		}
		if len(commands) > 0 {
			has = append(has, fmt.Sprintf("%s (%s)", t.Part, t.Scope))
		}
	}
	switch {
	case len(bad) > 0:
		slices.Sort(bad)
		s.OK, s.Detail = false, strings.Join(slices.Compact(bad), "; ")
	case len(has) > 0:
		s.Detail, s.Hint = "installed: "+strings.Join(has, ", "), ""
	}
	return s
}

// commands are the binaries that our entries in a file start.
func (in *Installer) commands(u targetUse) ([]string, error) {
	if u.target.Form != agents.Hooks {
		entry, err := in.entry(u)
		if argv := agents.Command(entry); err == nil && len(argv) > 0 {
			return argv[:1], nil
		}
		return nil, err
	}
	f, err := open(u.path, in.within(u.target))
	if err != nil {
		return nil, err
	}
	defer f.close()
	all, _, err := confedit.GetJSON(f.data, u.target.Key...)
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", u.path, err)
	}
	events, _ := all.(map[string]any)
	var list []string
	for name := range events {
		lines, _ := hookLines(f.data, append(u.target.Key[:len(u.target.Key):len(u.target.Key)], name), u.agent.ID)
		for _, line := range lines {
			command, _ := agents.HookCommand(line, u.agent.ID)
			list = append(list, command)
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// compare says what is wrong with a binary that an agent starts; "" for this one, or a copy of it.
func (in *Installer) compare(command string) string {
	if !strings.ContainsAny(command, `/\`) { // the agent looks on its PATH
		path, err := in.LookPath(command)
		if err != nil {
			return fmt.Sprintf("%q, which is not on the PATH", command)
		}
		command = path
	}
	there, err := os.Stat(command)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("%q, which is gone", command)
	case err != nil:
		return fmt.Sprintf("%q, which cannot be looked at: %v", command, syserr.Cause(err))
	case !there.Mode().IsRegular():
		return fmt.Sprintf("%q, which is no file", command)
	}
	here, err := os.Stat(in.Command)
	if err != nil || os.SameFile(here, there) || here.Size() == there.Size() &&
		checksum(command) == checksum(in.Command) {
		return ""
	}
	return fmt.Sprintf("%q, another version than this one (%q)", command, in.Command)
}

// checksum returns a checksum of a file. Files that cannot be read never compare equal.
func checksum(path string) string {
	h := sha256.New()
	f, err := os.Open(path)
	if err == nil {
		defer f.Close()
		_, err = io.Copy(h, f)
	}
	if err != nil {
		return "unreadable " + path
	}
	return string(h.Sum(nil))
}
