package main

import (
	"fmt"
	"slices"
	"strings"
)

// known are the keywords of a schema that say nothing to a type.
var known = []string{"description", "title", "default", "minimum", "maximum", "minLength", "maxLength", "minItems",
	"pattern", "format", "required", "properties",
	"additionalProperties", "type", "items", "enum", "allOf", "oneOf", "$ref", "x-data"}

// check refuses a schema with a keyword that is not known here.
func check(s node) (err error) {
	s.each(func(key string, _ node) {
		if !slices.Contains(known, key) {
			err = fmt.Errorf("line %d: keyword %q is not known here", s.Line, key)
		}
	})
	return err
}

// typeOf is a schema as a type, written at an indentation.
func typeOf(s node, indent string) (string, error) {
	if !s.there() {
		return "unknown", nil
	}
	if err := check(s); err != nil {
		return "", err
	}
	if ref := s.at("$ref").text(); ref != "" {
		return ref[strings.LastIndexByte(ref, '/')+1:], nil
	}
	if enum := s.at("enum").strings(); len(enum) > 0 {
		for i := range enum {
			enum[i] = fmt.Sprintf("%q", enum[i])
		}
		return strings.Join(enum, " | "), nil
	}
	if parts := append(s.at("allOf").list(), s.at("oneOf").list()...); len(parts) > 0 {
		sign := " & "
		if s.at("oneOf").there() {
			sign = " | "
		}
		var all []string
		for _, p := range parts {
			t, err := typeOf(p, indent)
			if err != nil {
				return "", err
			}
			all = append(all, t)
		}
		if s.at("properties").there() { // beside what it is made of
			own, err := object(s, indent)
			if err != nil {
				return "", err
			}
			all = append(all, own)
		}
		return strings.Join(all, sign), nil
	}
	kinds := s.at("type").strings()
	if len(kinds) == 0 && s.at("type").there() {
		kinds = []string{s.at("type").text()}
	}
	if len(kinds) == 0 {
		return "unknown", nil
	}
	var all []string
	for _, k := range kinds {
		t, err := plainType(k, s, indent)
		if err != nil {
			return "", err
		}
		all = append(all, t)
	}
	return strings.Join(all, " | "), nil
}

func plainType(kind string, s node, indent string) (string, error) {
	switch kind {
	case "string", "boolean", "null":
		return kind, nil
	case "integer", "number":
		return "number", nil
	case "array":
		t, err := typeOf(s.at("items"), indent)
		if strings.ContainsAny(t, "|&") {
			t = "(" + t + ")"
		}
		return t + "[]", err
	case "object":
		return object(s, indent)
	}
	return "", fmt.Errorf("line %d: type %q is not known here", s.Line, kind)
}

// object is an object's type: its properties, and others where the schema says so.
func object(s node, indent string) (string, error) {
	more := s.at("additionalProperties")
	inner := indent + "  "
	if !s.at("properties").there() {
		t := "unknown"
		if more.there() && more.text() == "" {
			var err error
			if t, err = typeOf(more, indent); err != nil {
				return "", err
			}
		}
		return "Record<string, " + t + ">", nil
	}
	needed := s.at("required").strings()
	var b strings.Builder
	b.WriteString("{\n")
	var err error
	s.at("properties").each(func(name string, p node) {
		t, e := typeOf(p, inner)
		if e != nil {
			err = e
		}
		mark := "?"
		if slices.Contains(needed, name) {
			mark = ""
		}
		b.WriteString(comment(p.at("description").text(), inner))
		fmt.Fprintf(&b, "%s%s%s: %s;\n", inner, name, mark, t)
	})
	if more.text() == "true" {
		fmt.Fprintf(&b, "%s[key: string]: unknown;\n", inner)
	}
	b.WriteString(indent + "}")
	return b.String(), err
}

// comment is a documentation comment; "" for no text.
func comment(text, indent string) string {
	if text == "" {
		return ""
	}
	return indent + "/** " + strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "*/", "* /") + " */\n"
}

// events is the type of the messages of a WebSocket: one shape for each type of event, told apart by it.
func events(s node) (string, error) {
	var all []string
	var err error
	s.at("x-data").each(func(kind string, data node) {
		t, e := typeOf(data, "")
		if e != nil {
			err = e
		}
		all = append(all, fmt.Sprintf("Envelope<%q, %s>", kind, t))
	})
	return strings.Join(all, "\n  | "), err
}
