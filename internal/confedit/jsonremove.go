package confedit

import "bytes"

// RemoveJSON removes the member at path; a key that stands twice is removed twice.
func RemoveJSON(data []byte, path []string) (Edit, error) {
	return removeJSON(data, path[:len(path)-1], func(c child) (bool, error) { return c.key == path[len(path)-1], nil })
}

// RemoveElementsJSON removes those elements of the array at path of which gone is true.
func RemoveElementsJSON(data []byte, path []string, gone func(v any) bool) (Edit, error) {
	if _, isList, err := listAt(data, path); err != nil || !isList {
		return nil, err
	}
	return removeJSON(data, path, func(c child) (bool, error) {
		v, err := decode(c.value)
		return err == nil && gone(v), err
	})
}

func listAt(data []byte, path []string) (list []any, isList bool, err error) {
	v, _, err := GetJSON(data, path...)
	list, isList = v.([]any)
	return list, isList, err
}

// EmptyJSON reports whether the value at path is an object or array with nothing in it, comments included; with no
// path, whether the file holds nothing.
func EmptyJSON(data []byte, path ...string) bool {
	d, err := parseJSON(data)
	if err != nil || d.none {
		return err == nil
	}
	v, depth, err := d.find(path)
	if err != nil || depth < len(path) {
		return false
	}
	c, ok := d.container(v)
	outside := len(path) > 0 || !notBlank.Match(d.data[:c.open]) && !notBlank.Match(d.data[c.close+1:])
	return ok && outside && !notBlank.Match(d.data[c.open+1:c.close])
}

func removeJSON(data []byte, path []string, gone func(child) (bool, error)) (Edit, error) {
	d, err := parseJSON(data)
	if err != nil || d.none {
		return nil, err
	}
	v, depth, err := d.find(path)
	if err != nil || depth < len(path) {
		return nil, err
	}
	c, ok := d.container(v)
	if !ok {
		return nil, nil
	}
	var out []bool
	kept := 0
	for _, ch := range c.children {
		g, err := gone(ch)
		if err != nil {
			return nil, err
		}
		out = append(out, g)
		if !g {
			kept++
		}
	}
	if kept == len(c.children) {
		return nil, nil
	}
	return d.finish(data, d.drop(c, out))
}

// drop removes children of c with their commas and, where they have lines of their own, these lines.
func (d *document) drop(c container, gone []bool) Edit {
	var e Edit
	cut := func(from, to int) {
		if from < to {
			e = append(e, Splice{At: from, Old: string(d.data[from:to])})
		}
	}
	lastKept := -1
	for i := range c.children {
		if !gone[i] {
			lastKept = i
		}
	}
	at := c.open + 1 // behind the last child or comma
	for i, ch := range c.children {
		comma, has := d.comma(ch.end)
		if !gone[i] {
			if has && i == lastKept && i < len(c.children)-1 { // those behind it go: no comma, unless the last had one
				if _, trailing := d.comma(c.children[len(c.children)-1].end); !trailing {
					cut(comma, comma+1)
				}
			}
			at = ch.end
			if has {
				at = comma + 1
			}
			continue
		}
		from := at + len(bytes.TrimRight(d.data[at:ch.start], " \t\r\n"))
		to := ch.end
		apart := has && comma > ch.end // a comment in between
		if has && !apart {
			to = comma + 1
		}
		if bytes.ContainsRune(d.data[from:ch.start], '\n') && !d.lineEnds(to) {
			from = ch.start // the line before may end in a comment, which must not swallow what follows
		}
		cut(from, to)
		if apart {
			cut(comma, comma+1)
		}
		at = to
		if has {
			at = comma + 1
		}
	}
	if lastKept < 0 {
		if out, err := e.Apply(d.data); err == nil {
			inside := out[c.open+1 : c.close-(len(d.data)-len(out))]
			if !notBlank.Match(inside) {
				return Edit{{At: c.open + 1, Old: string(d.data[c.open+1 : c.close])}}
			}
		}
	}
	return e
}

// lineEnds reports whether only spaces stand between at and the end of its line.
func (d *document) lineEnds(at int) bool {
	for ; at < len(d.data) && (d.data[at] == ' ' || d.data[at] == '\t' || d.data[at] == '\r'); at++ {
	}
	return at == len(d.data) || d.data[at] == '\n'
}
