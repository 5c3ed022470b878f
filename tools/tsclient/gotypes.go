package main

import (
	"fmt"
	"slices"
	"strings"
)

// typeOf is a schema as a Go type. A name in the document is needed for each object that stands inside another.
func (g *golang) typeOf(key string, s node) (string, error) {
	if ref := refName(s); ref != "" {
		if !isObject(g.d.resolve(s)) {
			return g.typeOf(key, g.d.resolve(s))
		}
		return g.lookup(goNames, ref, ref), nil
	}
	if parts := s.at("allOf").list(); len(parts) == 1 && !s.at("properties").there() {
		return g.typeOf(key, parts[0])
	}
	if s.at("properties").there() {
		if name := g.lookup(goInline, key, ""); name != "" {
			return name, nil
		}
		return "", fmt.Errorf("line %d: goInline has no name for the object %s", s.Line, key)
	}
	kinds := s.at("type").strings()
	if len(kinds) == 0 {
		kinds = []string{s.at("type").text()}
	}
	star := ""
	kinds = slices.DeleteFunc(kinds, func(k string) bool {
		if k == "null" {
			star = "*"
		}
		return k == "null"
	})
	if len(kinds) != 1 || s.at("oneOf").there() {
		return "any", nil
	}
	switch kinds[0] {
	case "string":
		if s.at("format").text() == "date-time" {
			return star + "time.Time", nil
		}
		return star + "string", nil
	case "boolean":
		return star + "bool", nil
	case "integer":
		if s.at("format").text() == "int64" {
			return star + "int64", nil
		}
		return star + "int", nil
	case "number":
		return star + "float64", nil
	case "array":
		t, err := g.typeOf(key, s.at("items"))
		return "[]" + t, err
	case "object":
		if more := s.at("additionalProperties"); more.there() && more.text() == "" {
			t, err := g.typeOf(key, more)
			return "map[string]" + t, err
		}
		return "map[string]any", nil
	case "":
		return "any", nil
	}
	return "", fmt.Errorf("line %d: type %q is not known here", s.Line, kinds[0])
}

// values lists what a string may be; "" where that is not said.
func (g *golang) values(s node) string {
	all := g.d.resolve(s).at("enum").strings()
	if last := len(all) - 1; last > 0 && last < 6 && all[last] != "" {
		return strings.Join(all[:last], ", ") + " or " + all[last]
	}
	return strings.Join(all, ", ")
}

// isStruct reports whether a schema is a struct in Go, which is left out only as a pointer.
func (g *golang) isStruct(s node) bool {
	s = g.d.resolve(s)
	if parts := s.at("allOf").list(); len(parts) == 1 && !s.at("properties").there() {
		return g.isStruct(parts[0])
	}
	return isObject(s)
}

// later writes the structs of objects that stand inside a schema.
func (g *golang) later(schema string, s node) error {
	var err error
	s.at("properties").each(func(field string, p node) {
		for p.at("items").there() || p.at("additionalProperties", "type").there() {
			if items := p.at("items"); items.there() {
				p = items
			} else {
				p = p.at("additionalProperties")
			}
		}
		if err == nil && p.at("properties").there() {
			err = g.object(schema+"."+field, goInline[schema+"."+field], p)
		}
	})
	return err
}

// refName is the name of the schema that a reference leads to; "" for no reference.
func refName(s node) string {
	ref := s.at("$ref").text()
	return ref[strings.LastIndexByte(ref, '/')+1:]
}
