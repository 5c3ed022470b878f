package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/contextd/contextd/internal/agents"
	"github.com/contextd/contextd/internal/confedit"
)

// ErrNone is the error of an installation where no agent was found.
var ErrNone = errors.New("no coding agent was found here")

// Change is one file that a plan changes, or an agent's own command that changes it.
type Change struct {
	Path   string
	Agents []string
	Parts  []agents.Part
	Before []byte // nil: there is no file
	After  []byte // nil: it is removed
	Run    []Call // in the place of an edit

	file   *file
	mode   fs.FileMode
	dirs   []string // made by an earlier installation, to be removed with the file
	undone []Call
}

// Call is a command line.
type Call []string

// Item is a part of an agent that a plan leaves as it is, with the reason.
type Item struct {
	Agent  string
	Part   agents.Part
	Path   string
	Reason string
}

// Plan is what is to be done. Close it.
type Plan struct {
	Changes []Change
	Same    []Item

	read, book recordFile
	verify     []targetUse
}

// Close releases the plan's files.
func (p *Plan) Close() {
	for _, c := range p.Changes {
		if c.file != nil {
			c.file.close()
		}
	}
}

// targetUse is a target of an agent in a file.
type targetUse struct {
	agent   agents.Agent
	target  agents.Target
	path    string
	command string
}

func (u targetUse) is(p part) bool {
	return p.Agent == u.agent.ID && p.Part == u.target.Part && p.Scope == u.target.Scope
}

// Install plans an installation. Parts that an agent has no place for are left out.
func (in *Installer) Install(ctx context.Context, s Selection) (*Plan, error) {
	list, err := in.chosen(s, false)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, ErrNone
	}
	p := &Plan{}
	if p.read, err = in.readRecords(); err != nil {
		return nil, err
	}
	p.book = p.read
	uses, order := map[string][]targetUse{}, []string(nil)
	for _, a := range list {
		for _, kind := range s.Parts {
			for _, scope := range s.Scopes {
				for _, t := range a.TargetsFor(kind, scope) {
					path, err := in.file(t)
					if err != nil {
						return nil, err
					}
					if _, seen := uses[path]; !seen {
						order = append(order, path)
					}
					uses[path] = append(uses[path], targetUse{a, t, path, in.Command})
				}
			}
		}
	}
	for _, path := range order {
		if err := in.installFile(p, path, uses[path]); err != nil {
			p.Close()
			return nil, err
		}
	}
	return p, nil
}

func (in *Installer) installFile(p *Plan, path string, uses []targetUse) error {
	for _, u := range uses {
		if u.target.Part == agents.MCP {
			p.verify = append(p.verify, u)
		}
	}
	within := in.within(uses[0].target)
	f, err := open(path, within)
	if err != nil {
		return err
	}
	done, err := in.installOpen(p, f, within, uses)
	if err != nil {
		err = fmt.Errorf("edit %q: %w", path, err)
	}
	if err != nil || !done {
		f.close()
	}
	return err
}

// installOpen adds to p what uses need in f; taken: p keeps f.
func (in *Installer) installOpen(p *Plan, f *file, within string, uses []targetUse) (taken bool, err error) {
	rec, recorded := p.book.find(f.path)
	present := true
	for _, u := range uses {
		edits, _, err := in.put(u, rec, f.data)
		if err != nil {
			return false, err
		}
		present = present && len(edits) == 0
	}
	if present {
		for _, u := range uses {
			p.Same = append(p.Same, Item{u.agent.ID, u.target.Part, f.path, "nothing to change"})
			if recorded && !slices.ContainsFunc(rec.Parts, u.is) {
				rec.Parts = append(slices.Clone(rec.Parts), in.partOf(u, f.data))
			}
		}
		p.book = p.book.withRecord(rec)
		return false, nil
	}
	if c, ok, err := in.ownInstall(f, uses, recorded); ok || err != nil {
		if err == nil {
			p.Changes = append(p.Changes, c)
		}
		return ok, err
	}
	base, exact := f.data, !recorded
	all := uses
	if before, ok := rec.before(f.data); recorded && ok {
		base, exact = before, true
		all = append(in.usesOf(rec, uses), uses...)
	}
	if !recorded {
		rec = record{Path: f.path, Within: within, Existed: f.info != nil, Dirs: f.missing()}
	}
	old := rec.Parts
	rec.Parts = nil
	if !exact {
		rec.Parts = slices.DeleteFunc(slices.Clone(old), func(q part) bool {
			return slices.ContainsFunc(uses, func(u targetUse) bool { return u.is(q) })
		})
	}
	data := base
	var edits []confedit.Edit
	for _, u := range all {
		q := in.partOf(u, data)
		if i := slices.IndexFunc(old, u.is); i >= 0 && !exact {
			q.Made = old[i].Made
		}
		more, out, err := in.put(u, rec, data)
		if err != nil {
			return false, err
		}
		edits, data = append(edits, more...), out
		rec.Parts = append(rec.Parts, q)
	}
	rec.Edits, rec.Exact, rec.Sum = edits, exact, sum(data)
	p.book = p.book.withRecord(rec)
	p.Changes = append(p.Changes, change(f, within, uses, data))
	return true, nil
}

func change(f *file, within string, uses []targetUse, after []byte) Change {
	c := Change{Path: f.path, After: after, file: f, mode: f.mode(within)}
	if f.info != nil {
		c.Before = append([]byte{}, f.data...)
	}
	for _, u := range uses {
		if !slices.Contains(c.Agents, u.agent.ID) {
			c.Agents = append(c.Agents, u.agent.ID)
		}
		if !slices.Contains(c.Parts, u.target.Part) {
			c.Parts = append(c.Parts, u.target.Part)
		}
	}
	return c
}
