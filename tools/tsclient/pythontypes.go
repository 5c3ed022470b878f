package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// python collects the types.
type python struct {
	classes, aliases strings.Builder
	names            []string
	seen             map[string]bool
	again            bool // a second pass over the operations: the types of their parts are there
}

func (p *python) name(n string) error {
	if p.seen[n] {
		return fmt.Errorf("two Python types are named %q", n)
	}
	p.seen[n] = true
	p.names = append(p.names, n)
	return nil
}

// schema writes the type of a named schema.
func (p *python) schema(name string, s node) error {
	if err := check(s); err != nil {
		return err
	}
	if data := s.at("x-data"); data.there() {
		return p.events(name, s)
	}
	if bases, own, ok := p.class(s); ok {
		return p.object(name, s, bases, own)
	}
	t, err := p.typeOf(s, name, "")
	if err != nil {
		return err
	}
	if err := p.name(name); err != nil {
		return err
	}
	fmt.Fprintf(&p.aliases, "\n%s%s = %s\n", pythonComment(s.at("description").text(), ""), name, t)
	return nil
}

// class says whether a schema is an object with known properties, which others it extends, and which part has the
// properties.
func (p *python) class(s node) (bases []string, own node, ok bool) {
	if s.at("properties").there() && !s.at("allOf").there() && !s.at("oneOf").there() {
		return nil, s, true
	}
	if !s.at("allOf").there() {
		return nil, s, false
	}
	for _, b := range s.at("allOf").list() {
		ref := b.at("$ref").text()
		if ref == "" {
			return nil, s, false
		}
		bases = append(bases, ref[strings.LastIndexByte(ref, '/')+1:])
	}
	return bases, s, true
}

// object writes a TypedDict. Fields that may be missing stand in a class of their own, since Required is of Python
// 3.11.
func (p *python) object(name string, s node, bases []string, own node) error {
	if p.again && p.seen[name] {
		return nil
	}
	needed := own.at("required").strings()
	var must, may strings.Builder
	var words []string // fields whose names no class can have
	var err error
	own.at("properties").each(func(field string, f node) {
		t, e := p.typeOf(f, name+pascal(field), "")
		if e != nil {
			err = e
		}
		if !identifier(field) {
			words = append(words, fmt.Sprintf("%q: %q", field, t))
			return
		}
		b := &may
		if slices.Contains(needed, field) {
			b = &must
		}
		fmt.Fprintf(b, "%s    %s: %s\n", pythonComment(f.at("description").text(), "    "), field, t)
	})
	if err != nil {
		return err
	}
	if err := p.name(name); err != nil {
		return err
	}
	about := docString(s.at("description").text())
	if len(words) > 0 {
		bases = append(bases, "_"+name+"Words")
		fmt.Fprintf(&p.classes, "\n\n_%sWords = TypedDict(\"_%sWords\", {%s}, total=False)\n", name, name,
			strings.Join(words, ", "))
	}
	from := strings.Join(bases, ", ")
	from = cmp.Or(from, "TypedDict")
	body := func(b string) string {
		if about+b == "" {
			return "    pass\n"
		}
		return about + b
	}
	switch {
	case must.Len() > 0 && may.Len() > 0:
		fmt.Fprintf(&p.classes, "\n\nclass _%s(%s):\n%s\n\nclass %s(_%s, total=False):\n%s", name, from, must.String(),
			name, name, body(may.String()))
	case may.Len() > 0:
		fmt.Fprintf(&p.classes, "\n\nclass %s(%s, total=False):\n%s", name, from, body(may.String()))
	default:
		fmt.Fprintf(&p.classes, "\n\nclass %s(%s):\n%s", name, from, body(must.String()))
	}
	return nil
}

// events writes a type for each type of event, and their union.
func (p *python) events(name string, s node) error {
	var all []string
	var err error
	s.at("x-data").each(func(kind string, data node) {
		t, e := p.typeOf(data, name+pascal(kind)+"Data", "")
		if e != nil {
			err = e
			return
		}
		one := pascal(kind) + name
		if e := p.name(one); e != nil {
			err = e
		}
		all = append(all, one)
		fmt.Fprintf(&p.classes,
			"\n\nclass %s(TypedDict):\n    type: Literal[%q]\n    at: str\n    project: str\n    agent: str\n    data: %s\n", one, kind, t)
	})
	if err != nil {
		return err
	}
	if err := p.name(name); err != nil {
		return err
	}
	fmt.Fprintf(&p.aliases, "\n%s%s = Union[%s]\n", pythonComment(s.at("description").text(), ""), name,
		strings.Join(all, ", "))
	return nil
}

// typeOf is a schema as an annotation. An object with properties becomes a class of the name name.
func (p *python) typeOf(s node, name, module string) (string, error) {
	if !s.there() {
		return "Any", nil
	}
	if err := check(s); err != nil {
		return "", err
	}
	if ref := s.at("$ref").text(); ref != "" {
		return module + ref[strings.LastIndexByte(ref, '/')+1:], nil
	}
	if enum := s.at("enum").strings(); len(enum) > 0 {
		for i := range enum {
			enum[i] = fmt.Sprintf("%q", enum[i])
		}
		return "Literal[" + strings.Join(enum, ", ") + "]", nil
	}
	if parts := s.at("allOf").list(); len(parts) == 1 && !s.at("properties").there() {
		return p.typeOf(parts[0], name, module)
	}
	if bases, own, ok := p.class(s); ok {
		return module + name, p.object(name, s, bases, own)
	}
	if parts := s.at("oneOf").list(); len(parts) > 0 {
		return p.union(parts, name, module)
	}
	kinds := s.at("type").strings()
	if len(kinds) == 0 && s.at("type").there() {
		kinds = []string{s.at("type").text()}
	}
	var all []string
	null := false
	for _, k := range kinds {
		t, err := p.plain(k, s, name, module)
		switch {
		case err != nil:
			return "", err
		case t == "None":
			null = true
		default:
			all = append(all, t)
		}
	}
	t := strings.Join(all, ", ")
	switch {
	case len(all) == 0:
		return "Any", nil
	case len(all) > 1:
		t = "Union[" + t + "]"
	}
	if null {
		t = "Optional[" + t + "]"
	}
	return t, nil
}

func (p *python) union(parts []node, name, module string) (string, error) {
	var all []string
	for i, part := range parts {
		t, err := p.typeOf(part, fmt.Sprintf("%sForm%d", name, i+1), module)
		if err != nil {
			return "", err
		}
		all = append(all, t)
	}
	return "Union[" + strings.Join(all, ", ") + "]", nil
}

func (p *python) plain(kind string, s node, name, module string) (string, error) {
	switch kind {
	case "string":
		return "str", nil
	case "boolean":
		return "bool", nil
	case "null":
		return "None", nil
	case "integer":
		return "int", nil
	case "number":
		return "float", nil
	case "array":
		t, err := p.typeOf(s.at("items"), strings.TrimSuffix(name, "s")+"Item", module)
		return "List[" + t + "]", err
	case "object":
		t := "Any"
		if more := s.at("additionalProperties"); more.there() && more.text() == "" {
			var err error
			if t, err = p.typeOf(more, name+"Value", module); err != nil {
				return "", err
			}
		}
		return "Dict[str, " + t + "]", nil
	}
	return "", fmt.Errorf("line %d: type %q is not known here", s.Line, kind)
}
