package profile

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

//go:embed profiles.yaml
var builtin []byte

// File is a file of profiles, as its owner read it.
type File struct {
	Name string // for errors
	Data []byte
}

// FieldError is one mistake in a file of profiles.
type FieldError struct {
	File    string // "": a request
	Line    int    // 0: none in particular
	Profile string // "": the file as a whole
	Field   string // "": the profile as a whole
	Value   string // as written; "": none
	Want    string // what is wrong or wanted, as the end of a sentence that begins with the field
}

func (e *FieldError) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File)
		if e.Line > 0 {
			fmt.Fprintf(&b, ":%d", e.Line)
		}
		b.WriteString(": ")
	}
	if e.Profile != "" {
		fmt.Fprintf(&b, "profile %q: ", e.Profile)
	}
	b.WriteString(strings.TrimLeft(e.Field+" "+e.Want, " "))
	if e.Value != "" {
		fmt.Fprintf(&b, " (got %s)", e.Value)
	}
	return b.String()
}

// Builtin is the set of the profiles that contextd brings along.
var Builtin = sync.OnceValue(func() *Set {
	s, err := Load(nil)
	if err != nil {
		panic(err) // the file is part of the program, and a test reads it
	}
	return s
})

// Load is the built-in profiles and those of the files, in any number and order. All mistakes are told in one error
// that joins a [*FieldError] for each.
func Load(files []File) (*Set, error) {
	l := &loader{}
	l.base = l.read(File{"profiles.yaml", builtin}, map[string]*draft{})
	own := map[string]*draft{}
	files = slices.Clone(files)
	slices.SortStableFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	for _, f := range files {
		l.read(f, own)
	}
	l.all = maps.Clone(l.base)
	maps.Copy(l.all, own)
	s := &Set{profiles: map[string]Profile{}, agents: map[string]string{}}
	for _, id := range slices.Sorted(maps.Keys(l.all)) {
		if p, ok := l.resolve(l.all[id], nil); ok {
			s.profiles[id] = p
		}
	}
	l.assignAgents(s, l.base, own)
	if len(l.errs) > 0 {
		slices.SortStableFunc(l.errs, func(a, b *FieldError) int {
			if c := strings.Compare(a.File, b.File); c != 0 {
				return c
			}
			return a.Line - b.Line
		})
		joined := make([]error, len(l.errs))
		for i, e := range l.errs {
			joined[i] = e
		}
		return nil, errors.Join(joined...)
	}
	return s, nil
}

// loader reads files and settles inheritance.
type loader struct {
	base map[string]*draft // built in
	all  map[string]*draft // the user's over them
	errs []*FieldError
}

func (l *loader) fail(e *FieldError) { l.errs = append(l.errs, e) }

// resolve is the profile of a draft over those that it inherits from. path holds the drafts that led to it.
func (l *loader) resolve(d *draft, path []*draft) (Profile, bool) {
	if slices.Contains(path, d) {
		var ids []string
		for _, p := range path[slices.Index(path, d):] {
			ids = append(ids, p.id)
		}
		if d == slices.MinFunc(path[slices.Index(path, d):], func(a, b *draft) int {
			return strings.Compare(a.id, b.id)
		}) && path[0] == d {
			// told once
			l.fail(&FieldError{d.file, d.parentLine, d.id, "inherits", "",
				"goes round in a circle: " + strings.Join(append(ids, d.id), " → ")})
		}
		return Profile{}, false
	}
	p := Profile{}
	if parent := d.parent; parent != "" || d.id != "default" {
		parent = cmp.Or(parent, "default")
		from := l.all[parent]
		if parent == d.id && from == d {
			from = l.base[parent]
			if from == d {
				from = nil
			}
		}
		if from == nil {
			if len(path) == 0 {
				l.fail(&FieldError{d.file, d.parentLine, d.id, "inherits", fmt.Sprintf("%q", parent),
					"is unknown: want one of " + strings.Join(slices.Sorted(maps.Keys(l.all)), ", ")})
			}
			return Profile{}, false
		}
		var ok bool
		if p, ok = l.resolve(from, append(path, d)); !ok {
			return Profile{}, false
		}
		p.Agents, p.Description = nil, ""
	}
	p.ID = d.id
	for _, set := range d.sets {
		set(&p)
	}
	if len(path) == 0 {
		l.complete(d, &p)
	}
	return p, true
}

// complete checks and completes what no field alone can tell.
func (l *loader) complete(d *draft, p *Profile) {
	if !p.Compress {
		p.Aggressiveness = 0
	}
	if w := p.Weights; !(w.Task+w.Project+w.Global > 0) {
		l.fail(&FieldError{d.file, d.line, d.id, "weights", "", "must have a sum above 0"})
	}
	for _, kind := range p.Preferred {
		if slices.Contains(p.Excluded, kind) {
			l.fail(&FieldError{d.file, d.line, d.id, "preferred_kinds", fmt.Sprintf("%q", kind),
				"must not hold what excluded_kinds holds"})
		}
	}
	if p.OnlyPreferred && len(p.Preferred) == 0 {
		l.fail(&FieldError{d.file, d.line, d.id, "only_preferred", "true", "must not be set without preferred_kinds"})
	}
	if p.MinRelevance > p.InjectAt {
		l.fail(&FieldError{d.file, d.line, d.id, "min_relevance", fmt.Sprint(p.MinRelevance),
			fmt.Sprintf("must not be above inject_at, %v", p.InjectAt)})
	}
}

// assignAgents says which kinds of agents get which profile: those that a profile names and, where no profile names it,
// the one of its id. The user's come before the built-in.
func (l *loader) assignAgents(s *Set, base, own map[string]*draft) {
	for _, layer := range []map[string]*draft{own, base} {
		claimed := map[string]string{}
		for _, id := range slices.Sorted(maps.Keys(layer)) {
			if l.all[id] != layer[id] {
				continue
			}
			for _, kind := range s.profiles[id].Agents {
				if other, ok := claimed[kind]; ok {
					d := layer[id]
					l.fail(&FieldError{d.file, d.line, id, "agents", fmt.Sprintf("%q", kind),
						fmt.Sprintf("must not hold a kind that profile %q has already", other)})
				}
				claimed[kind] = id
				if _, ok := s.agents[kind]; !ok {
					s.agents[kind] = id
				}
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(s.profiles)) {
		if _, ok := s.agents[id]; !ok && len(s.profiles[id].Agents) == 0 {
			s.agents[id] = id
		}
	}
}
