package install

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/contextd/contextd/internal/agents"
	"github.com/contextd/contextd/internal/confedit"
)

// Uninstall plans the removal of what was installed, recorded or not.
func (in *Installer) Uninstall(ctx context.Context, s Selection) (*Plan, error) {
	list, err := in.chosen(s, true)
	if err != nil {
		return nil, err
	}
	p := &Plan{}
	if p.read, err = in.readRecords(); err != nil {
		return nil, err
	}
	p.book = p.read
	uses, order := map[string][]targetUse{}, []string(nil)
	add := func(u targetUse) {
		if _, seen := uses[u.path]; !seen {
			order = append(order, u.path)
		}
		if !slices.ContainsFunc(uses[u.path], func(v targetUse) bool {
			return v.agent.ID == u.agent.ID && v.target.Part == u.target.Part
		}) {
			uses[u.path] = append(uses[u.path], u)
		}
	}
	chosen := func(id string) bool {
		return slices.ContainsFunc(list, func(a agents.Agent) bool { return a.ID == id })
	}
	for _, rec := range p.read.Files { // also where variables name other folders by now
		for _, q := range rec.Parts {
			if u, ok := useOf(rec, q); ok && chosen(q.Agent) && slices.Contains(s.Parts, q.Part) &&
				slices.Contains(s.Scopes, q.Scope) && (rec.Within == "" || rec.Within == in.Env.Project) {
				add(u)
			}
		}
	}
	for _, a := range list {
		for _, t := range a.Targets {
			if !slices.Contains(s.Parts, t.Part) || !slices.Contains(s.Scopes, t.Scope) || t.Scope == agents.Project &&
				in.Env.Project == "" {
				continue
			}
			for _, pattern := range t.Files {
				if path := in.Env.Expand(pattern); exists(path) {
					add(targetUse{a, t, path, in.Command})
				}
			}
		}
	}
	for _, path := range order {
		if err := in.uninstallFile(p, path, uses[path]); err != nil {
			p.Close()
			return nil, err
		}
	}
	return p, nil
}

func (in *Installer) uninstallFile(p *Plan, path string, uses []targetUse) error {
	rec, recorded := p.book.find(path)
	within := in.within(uses[0].target)
	if !exists(path) {
		p.book = p.book.withRecord(record{Path: path})
		return nil
	}
	f, err := open(path, within)
	if err != nil {
		return err
	}
	rest := slices.DeleteFunc(slices.Clone(rec.Parts), func(q part) bool {
		return slices.ContainsFunc(uses, func(u targetUse) bool { return u.is(q) })
	})
	if c, ok := in.ownUninstall(f, uses, recorded); ok {
		p.Changes = append(p.Changes, c)
		return nil
	}
	data, gone := []byte(nil), false
	if before, ok := rec.before(f.data); recorded && ok {
		data, gone, err = in.restoreFile(&rec, before, rest)
	} else {
		data, err = in.removeParts(p, f, rec, rest, uses)
		if err != nil && !recorded && !bytes.Contains(f.data, []byte(agents.Server)) {
			err, data = nil, f.data // nothing of ours is in it
		}
		gone = recorded && !rec.Existed && len(rest) == 0 &&
			(len(bytes.TrimSpace(data)) == 0 || confedit.EmptyJSON(data)) && !bytes.Equal(data, f.data)
		rec.Parts, rec.Exact = rest, false
	}
	if err != nil {
		f.close()
		return fmt.Errorf("edit %q: %w", path, err)
	}
	if recorded {
		p.book = p.book.withRecord(rec)
	}
	if bytes.Equal(data, f.data) && !gone {
		f.close()
		return nil
	}
	c := change(f, within, uses, data)
	if gone {
		c.After, c.dirs = nil, rec.Dirs
	}
	p.Changes = append(p.Changes, c)
	return nil
}

// restoreFile is a file as it was before us, with the parts that stay; gone: there was none.
func (in *Installer) restoreFile(rec *record, before []byte, rest []part) (data []byte, gone bool, err error) {
	uses := in.usesOf(record{Path: rec.Path, Parts: rest}, nil)
	data = before
	rec.Edits, rec.Parts = nil, nil
	for _, u := range uses {
		q := in.partOf(u, data)
		edits, out, err := in.put(u, *rec, data)
		if err != nil {
			return nil, false, err
		}
		data = out
		rec.Edits, rec.Parts = append(rec.Edits, edits...), append(rec.Parts, q)
	}
	rec.Sum = sum(data)
	return data, len(uses) == 0 && !rec.Existed, nil
}

// removeParts removes our parts from a file that others have edited too, or that nothing is recorded of.
func (in *Installer) removeParts(p *Plan, f *file, rec record, rest []part, uses []targetUse) ([]byte, error) {
	ed := &editor{data: f.data}
	for _, u := range uses {
		i := slices.IndexFunc(rec.Parts, u.is)
		made, own := len(u.target.Key), i >= 0
		if own {
			made = rec.Parts[i].Made
		}
		key := u.target.Key
		switch u.target.Form {
		case agents.JSON:
			v, found, err := confedit.GetJSON(ed.data, key...)
			if ed.do(nil, err); found && (own || ours(v)) {
				ed.do(confedit.RemoveJSON(ed.data, key))
			}
		case agents.TOML:
			v, found, err := confedit.GetTOML(ed.data, key...)
			if ed.do(nil, err); found && (own || ours(any(v))) {
				ed.do(confedit.RemoveTOML(ed.data, key))
			}
		case agents.Hooks:
			in.removeHooks(ed, u)
		case agents.Block:
			if !slices.ContainsFunc(rest, func(q part) bool { return q.Part == agents.Instructions }) {
				// else another agent reads it too
				ed.do(confedit.RemoveBlock(ed.data))
			}
		case agents.Whole:
			if string(ed.data) == u.target.Text || own && rec.Parts[i].Text == sum(ed.data) {
				if !slices.ContainsFunc(rest, func(q part) bool { return q.Text != "" }) {
					ed.do(confedit.Edit{{Old: string(ed.data)}}, nil)
				}
			} else {
				p.Same = append(p.Same, Item{u.agent.ID, u.target.Part, f.path, "somebody has edited it: left"})
			}
		}
		if u.target.Form == agents.JSON || u.target.Form == agents.Hooks {
			for n := len(key); n > made && ed.err == nil; n-- {
				if confedit.EmptyJSON(ed.data, key[:n]...) {
					ed.do(confedit.RemoveJSON(ed.data, key[:n]))
				}
			}
		}
	}
	return ed.data, ed.err
}

// ours reports whether an entry starts "retriever mcp", from wherever.
func ours(entry any) bool {
	argv := agents.Command(entry)
	return len(argv) == 2 && agents.IsRetriever(argv[0]) && argv[1] == "mcp"
}
