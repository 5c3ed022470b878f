package confedit

import (
	"fmt"
	"strings"
)

// SetJSON makes the value at path hold all that value says. An object keeps the members that value does not name;
// objects on the way are made where they are missing.
func SetJSON(data []byte, path []string, value any) (Edit, error) {
	if have, found, err := GetJSON(data, path...); err != nil || found && within(plain(value), have) {
		return nil, err
	}
	d, err := parseJSON(data)
	if err != nil {
		return nil, err
	}
	if d.none {
		for i := len(path) - 1; i >= 0; i-- {
			value = Object{{path[i], value}}
		}
		return d.fillEmpty(value)
	}
	var e Edit
	if err := d.set(path, value, &e); err != nil {
		return nil, err
	}
	return d.finish(data, e)
}

func (d *document) set(path []string, value any, e *Edit) error {
	v, depth, err := d.find(path)
	if err != nil {
		return err
	}
	if depth < len(path) {
		key, rest := path[depth], path[depth+1:]
		for i := len(rest) - 1; i >= 0; i-- {
			value = Object{{rest[i], value}}
		}
		c, ok := d.container(v)
		if !ok || c.array {
			line, column := position(d.data, v.StartOffset)
			return fmt.Errorf("line %d, column %d: want an object (%s)", line, column, name(path[:depth]))
		}
		*e = append(*e, d.insert(c, func(s style, indent string) string {
			return s.member(key, value, indent)
		}, v == &d.root)...)
		return nil
	}
	if have, err := decode(v); err != nil || within(plain(value), have) {
		return err
	}
	members, isObject := value.(Object)
	c, ok := d.container(v)
	if !isObject || !ok || c.array {
		*e = append(*e, Splice{v.StartOffset, string(d.data[v.StartOffset:v.EndOffset]),
			d.style().format(value, indentAt(d.data, v.StartOffset))})
		return nil
	}
	var fresh Object
	for _, m := range members {
		if _, depth, err := d.find(append(path[:len(path):len(path)], m.Key)); err != nil {
			return err
		} else if depth == len(path) {
			fresh = append(fresh, m)
		} else if err := d.set(append(path[:len(path):len(path)], m.Key), m.Value, e); err != nil {
			return err
		}
	}
	if len(fresh) > 0 {
		*e = append(*e, d.insert(c, func(s style, indent string) string {
			var items []string
			for _, m := range fresh {
				items = append(items, s.member(m.Key, m.Value, indent))
			}
			return strings.Join(items, ","+s.newline+indent)
		}, v == &d.root)...)
	}
	return nil
}

// AppendJSON adds value to the end of the array at path, which is made where it is missing.
func AppendJSON(data []byte, path []string, value any) (Edit, error) {
	d, err := parseJSON(data)
	if err != nil {
		return nil, err
	}
	if d.none {
		return SetJSON(data, path, []any{value})
	}
	v, depth, err := d.find(path)
	switch {
	case err != nil:
		return nil, err
	case depth < len(path):
		return SetJSON(data, path, []any{value})
	}
	c, ok := d.container(v)
	if !ok || !c.array {
		line, column := position(d.data, v.StartOffset)
		return nil, fmt.Errorf("line %d, column %d: want a list (%s)", line, column, name(path))
	}
	return d.finish(data, d.insert(c, func(s style, indent string) string { return s.format(value, indent) }, false))
}

// fillEmpty returns the edit that puts a value into an empty file.
func (d *document) fillEmpty(value any) (Edit, error) {
	nl := newlineOf(d.data)
	at := d.base + len(d.data)
	return Edit{{At: at, New: style{nl, "  "}.format(value, "") + nl}}, nil
}

// finish shifts the edit behind the byte order mark and checks that the result parses.
func (d *document) finish(data []byte, e Edit) (Edit, error) {
	sortEdit(e)
	for i := range e {
		e[i].At += d.base
	}
	out, err := e.Apply(data)
	if err == nil {
		_, err = parseJSON(out)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot be edited safely: %w", err)
	}
	return e, nil
}
