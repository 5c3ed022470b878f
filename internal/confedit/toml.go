package confedit

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// parseTOML reads a file of TOML; its text starts at base, behind a byte order mark.
func parseTOML(data []byte) (base int, all map[string]any, err error) {
	if base, err = text(data); err != nil {
		return 0, nil, err
	}
	depth := 0 // strings count too: real files come nowhere near
	for i, c := range data[base:] {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth = max(depth-1, 0)
		}
		if depth > maxDepth {
			line, column := position(data[base:], i)
			return 0, nil, fmt.Errorf("line %d, column %d: nested over %d levels deep", line, column, maxDepth)
		}
	}
	err = toml.Unmarshal(data[base:], &all)
	if de := (*toml.DecodeError)(nil); errors.As(err, &de) {
		line, column := de.Position()
		return 0, nil, fmt.Errorf("line %d, column %d: %w", line, column, err)
	}
	return base, all, err
}

// GetTOML is the table at path.
func GetTOML(data []byte, path ...string) (table map[string]any, found bool, err error) {
	_, all, err := parseTOML(data)
	if err != nil {
		return nil, false, err
	}
	for _, key := range path {
		if all, found = all[key].(map[string]any); !found {
			return nil, false, nil
		}
	}
	return all, true, nil
}

// SetTOML makes the table at path hold all members of value, strings and lists of strings; other keys and tables below
// it are kept. A new table goes to the end of the file.
func SetTOML(data []byte, path []string, value Object) (Edit, error) {
	have, found, err := GetTOML(data, path...)
	if err != nil || found && within(plain(value), any(have)) {
		return nil, err
	}
	base, _, err := parseTOML(data)
	if err != nil {
		return nil, err
	}
	text, nl := data[base:], newlineOf(data)
	var lines []string
	for _, m := range value {
		lines = append(lines, m.Key+" = "+style{nl, ""}.format(m.Value, "")+nl)
	}
	body := strings.Join(lines, "")
	var e Edit
	if !found {
		header := "[" + strings.Join(path, ".") + "]" + nl
		switch {
		case len(bytes.TrimSpace(text)) == 0:
		case text[len(text)-1] == '\n':
			header = nl + header
		default:
			header = nl + nl + header
		}
		e = Edit{{At: len(data), New: header + body}}
	} else {
		t, ok := tableAt(text, path)
		if !ok {
			return nil, fmt.Errorf("%q stands on one line with other settings: edit it by hand",
				strings.Join(path, "."))
		}
		if text[t.body-1] != '\n' {
			body = nl + body
		}
		e = Edit{{At: base + t.body, New: body}}
		for _, kv := range t.keys {
			if slices.ContainsFunc(value, func(m Member) bool { return m.Key == kv.key }) {
				e = append(e, Splice{At: base + kv.start, Old: string(text[kv.start:kv.end])})
			}
		}
	}
	return checkTOML(data, e, func(after map[string]any, found bool) bool {
		return found && within(plain(value), any(after))
	}, path)
}

// RemoveTOML removes the table at path with the tables below it, and the empty line before it.
func RemoveTOML(data []byte, path []string) (Edit, error) {
	if _, found, err := GetTOML(data, path...); err != nil || !found {
		return nil, err
	}
	base, _, err := parseTOML(data)
	if err != nil {
		return nil, err
	}
	text := data[base:]
	var e Edit
	for _, t := range tables(text) {
		if len(t.path) < len(path) || !slices.Equal(t.path[:len(path)], path) {
			continue
		}
		start := t.start
		if before := strings.TrimRight(string(text[max(0, start-4):start]), "\r\n"); start > 0 {
			if n := min(start, 4) - len(before); n > len(newlineOf(data)) { // an empty line
				start -= len(newlineOf(data))
			}
		}
		if len(e) > 0 {
			start = max(start, e[len(e)-1].At+len(e[len(e)-1].Old)-base)
		}
		e = append(e, Splice{At: base + start, Old: string(text[start:t.end])})
	}
	return checkTOML(data, e, func(_ map[string]any, found bool) bool { return !found }, path)
}

// checkTOML gives e back if its outcome parses and is right.
func checkTOML(data []byte, e Edit, right func(table map[string]any, found bool) bool, path []string) (Edit, error) {
	sortEdit(e)
	out, err := e.Apply(data)
	if err != nil {
		return nil, fmt.Errorf("cannot be edited safely: %w", err)
	}
	table, found, err := GetTOML(out, path...)
	if err != nil {
		return nil, fmt.Errorf("cannot be edited safely: %w", err)
	}
	if !right(table, found) {
		return nil, fmt.Errorf("%q stands on one line with other settings: edit it by hand", strings.Join(path, "."))
	}
	return e, nil
}

// table is one [table] of a file: start to end are its lines, without comments and empty lines that come before the
// next.
type table struct {
	path             []string
	start, body, end int
	keys             []keyValue
}

type keyValue struct {
	key        string
	start, end int // whole lines
}

func tableAt(text []byte, path []string) (table, bool) {
	for _, t := range tables(text) {
		if slices.Equal(t.path, path) {
			return t, true
		}
	}
	return table{}, false
}

func tables(text []byte) []table {
	var list []table
	var p unstable.Parser
	p.Reset(text)
	for p.NextExpression() {
		e := p.Expression()
		it := e.Key()
		var path []string
		at := -1
		for it.Next() {
			if path = append(path, string(it.Node().Data)); at < 0 {
				at = int(it.Node().Raw.Offset)
			}
		}
		if at < 0 {
			continue
		}
		start := bytes.LastIndexByte(text[:at], '\n') + 1
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			body := len(text)
			if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
				body = at + i + 1
			}
			list = append(list, table{path: path, start: start, body: body, end: len(text)})
		case unstable.KeyValue:
			if len(list) > 0 {
				t := &list[len(list)-1]
				t.keys = append(t.keys, keyValue{strings.Join(path, "."), start, len(text)})
			}
		}
	}
	for i := range list {
		t := &list[i]
		if i+1 < len(list) {
			t.end = list[i+1].start
		}
		t.end = trimLines(text, t.body, t.end)
		for j := range t.keys {
			end := t.end
			if j+1 < len(t.keys) {
				end = t.keys[j+1].start
			}
			t.keys[j].end = trimLines(text, t.keys[j].start, end)
		}
	}
	return list
}

// trimLines is end without the empty lines and lines of comments before it.
func trimLines(text []byte, start, end int) int {
	for end > start {
		line := bytes.LastIndexByte(text[:end-1], '\n') + 1
		if t := bytes.TrimSpace(text[max(line, start):end]); len(t) > 0 && t[0] != '#' {
			break
		}
		end = max(line, start)
	}
	return end
}
