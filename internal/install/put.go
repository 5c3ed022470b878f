package install

import (
	"bytes"
	"errors"
	"slices"

	"github.com/contextd/contextd/internal/agents"
	"github.com/contextd/contextd/internal/confedit"
)

// usesOf are the parts that are recorded of a file, but for those in place of which new ones come.
func (in *Installer) usesOf(rec record, but []targetUse) []targetUse {
	var list []targetUse
	for _, q := range rec.Parts {
		if slices.ContainsFunc(but, func(u targetUse) bool { return u.is(q) }) {
			continue
		}
		if u, ok := useOf(rec, q); ok {
			list = append(list, u)
		}
	}
	return list
}

func useOf(rec record, q part) (targetUse, bool) {
	a, ok := agents.ByID(q.Agent)
	if !ok {
		return targetUse{}, false
	}
	targets := a.TargetsFor(q.Part, q.Scope)
	if len(targets) == 0 {
		return targetUse{}, false
	}
	t := targets[0]
	for _, other := range targets[1:] { // a skill and a sub-agent: two files, told apart by their text
		if q.Text != "" && q.Text == sum([]byte(other.Text)) {
			t = other
		}
	}
	return targetUse{a, t, rec.Path, q.Command}, true
}

func (in *Installer) partOf(u targetUse, data []byte) part {
	q := part{Agent: u.agent.ID, Part: u.target.Part, Scope: u.target.Scope, Command: u.command}
	switch u.target.Form {
	case agents.JSON, agents.Hooks:
		q.Made = confedit.DepthJSON(data, u.target.Key)
	case agents.Whole:
		q.Text = sum([]byte(u.target.Text))
	}
	return q
}

// put makes the edits that a use needs in data.
func (in *Installer) put(u targetUse, rec record, data []byte) (edits []confedit.Edit, out []byte, err error) {
	entry, ed := u.target.Shape.Entry(u.command, "mcp"), &editor{data: data}
	switch u.target.Form {
	case agents.JSON:
		if old, found, err := confedit.GetJSON(data, u.target.Key...); err == nil && found && !ours(old) {
			// what only its kind has, such as a URL, must not stay
			ed.do(confedit.RemoveJSON(data, u.target.Key))
		}
		ed.do(confedit.SetJSON(ed.data, u.target.Key, entry))
	case agents.TOML:
		if old, found, err := confedit.GetTOML(data, u.target.Key...); err == nil && found && !ours(any(old)) {
			ed.do(confedit.RemoveTOML(data, u.target.Key))
		}
		ed.do(confedit.SetTOML(ed.data, u.target.Key, entry))
	case agents.Block:
		ed.do(confedit.SetBlock(data, u.target.Text))
	case agents.Hooks:
		in.addHooks(ed, u)
	case agents.Whole:
		switch ours := slices.ContainsFunc(rec.Parts, func(q part) bool { return q.Text == sum(data) }); {
		case string(data) == u.target.Text:
		case len(bytes.TrimSpace(data)) == 0 || ours:
			ed.do(confedit.Edit{{Old: string(data), New: u.target.Text}}, nil)
		default:
			ed.do(nil, errors.New(
				"there is such a file of somebody else: move it away, or leave out this part with --type"))
		}
	}
	return ed.edits, ed.data, ed.err
}
