// Package install writes contextd into the settings of coding agents and takes it out again.
//
// It plans first: [Installer.Install] and [Installer.Uninstall] read every file and return what would change; a file
// that does not parse is an error, and nothing is changed. [Installer.Apply] then carries out all of a plan or none of
// it. What was written is recorded in the state directory, as the splices that take it back: where nobody else has
// edited a file since, uninstall gives back its bytes.
package install

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/agents"
)

// Options say what an Installer works with.
type Options struct {
	Env      agents.Env
	Command  string // absolute path of the binary that agents start
	StateDir string // holds the record
	LookPath func(program string) (string, error)
	// Run runs an agent's own command; nil: files are edited always.
	Run func(ctx context.Context, argv []string) error
	// Check starts a written command line and speaks to it; nil: nothing is started.
	Check func(ctx context.Context, argv []string) error
}

// Installer makes plans and carries them out.
type Installer struct{ Options }

// Selection says what a plan is about.
type Selection struct {
	Agents []string // ids; empty: those that are found (Install), all (Uninstall)
	Parts  []agents.Part
	Scopes []agents.Scope
}

// New checks the options.
func New(o Options) (*Installer, error) {
	switch {
	case !filepath.IsAbs(o.Command):
		return nil, fmt.Errorf("command %q: want an absolute path", o.Command)
	case !agents.IsRetriever(o.Command):
		return nil, fmt.Errorf("command %q: want a binary that is named retriever", o.Command)
	case strings.ContainsAny(o.Command, "\"\r\n\x00"):
		return nil, fmt.Errorf("command %q: agents cannot be given a path with quotation marks or line breaks",
			o.Command)
	case !filepath.IsAbs(o.Env.Home):
		return nil, errors.New("the home folder is not known: set HOME")
	}
	return &Installer{o}, nil
}

// Found is an agent that is here.
type Found struct {
	agents.Agent
	Program string // its binary; "" if only its folder is there
	Folder  string
}

// Detect finds the agents of this user: by a program on the PATH or by a folder of settings.
func (in *Installer) Detect() []Found {
	var list []Found
	for _, a := range agents.All() {
		f := Found{Agent: a, Program: in.program(a)}
		for _, pattern := range a.Folders {
			if dir := in.Env.Expand(pattern); f.Folder == "" && isDir(dir) {
				f.Folder = dir
			}
		}
		if f.Program != "" || f.Folder != "" {
			list = append(list, f)
		}
	}
	return list
}

// program is the binary of an agent, "" if there is none. One that a relative entry of the PATH names does not count.
func (in *Installer) program(a agents.Agent) string {
	for _, name := range a.Programs {
		if path, err := in.LookPath(name); err == nil && filepath.IsAbs(path) {
			return path
		}
	}
	return ""
}

// chosen are the agents of a selection.
func (in *Installer) chosen(s Selection, all bool) ([]agents.Agent, error) {
	var list []agents.Agent
	for _, id := range s.Agents {
		a, ok := agents.ByID(id)
		if !ok {
			return nil, fmt.Errorf("agent %q: want one of %s", id, strings.Join(agents.IDs(), ", "))
		}
		if !slices.ContainsFunc(list, func(b agents.Agent) bool { return b.ID == id }) {
			list = append(list, a)
		}
	}
	switch {
	case len(list) > 0:
	case all:
		list = agents.All()
	default:
		for _, f := range in.Detect() {
			list = append(list, f.Agent)
		}
	}
	return list, nil
}

// file is the file of a target: the first that exists, else the first.
func (in *Installer) file(t agents.Target) (string, error) {
	var first string
	for i, pattern := range t.Files {
		path, err := filepath.Abs(in.Env.Expand(pattern))
		if err != nil {
			return "", err
		}
		if i == 0 {
			first = path
		}
		if exists(path) {
			return path, nil
		}
	}
	return first, nil
}

// within is the folder that a target's file may not lie outside of; "" for the user's own files.
func (in *Installer) within(t agents.Target) string {
	if t.Scope == agents.Project {
		return in.Env.Project
	}
	return ""
}
