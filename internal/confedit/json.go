package confedit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// maxDepth bounds how deep a file may nest: its parsers call themselves.
const maxDepth = 1000

// document is a parsed file of JSON with comments.
type document struct {
	data []byte // from behind the byte order mark
	base int    // length of that mark
	root hujson.Value
	none bool // nothing but white space
}

func parseJSON(data []byte) (*document, error) {
	base, err := text(data)
	if err != nil {
		return nil, err
	}
	d := &document{data: data[base:], base: base}
	if !notBlank.Match(d.data) {
		d.none = true
		return d, nil
	}
	if err := checkDepth(d.data); err != nil {
		return nil, err
	}
	if d.root, err = hujson.Parse(d.data); err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "hujson: "))
	}
	return d, nil
}

// checkDepth returns an error if values nest deeper than maxDepth.
func checkDepth(data []byte) error {
	depth := 0
	for i := 0; i < len(data); i++ {
		switch c := data[i]; c {
		case '"':
			for i++; i < len(data) && data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
		case '/':
			i = max(i, afterExtra(data, i)-1)
		case '{', '[':
			if depth++; depth > maxDepth {
				line, column := position(data, i)
				return fmt.Errorf("line %d, column %d: nested over %d levels deep", line, column, maxDepth)
			}
		case '}', ']':
			depth--
		}
	}
	return nil
}

// afterExtra is where the white space and comments that begin at i end.
func afterExtra(data []byte, i int) int {
	for i < len(data) {
		switch rest := data[i:]; {
		case rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r' || rest[0] == '\n':
			i++
		case bytes.HasPrefix(rest, []byte("//")):
			n := bytes.IndexByte(rest, '\n')
			if n < 0 {
				return len(data)
			}
			i += n + 1
		case bytes.HasPrefix(rest, []byte("/*")):
			n := bytes.Index(rest[2:], []byte("*/"))
			if n < 0 {
				return len(data)
			}
			i += n + 4
		default:
			return i
		}
	}
	return i
}

// child is a member of an object or an element of an array: where it stands, and its value.
type child struct {
	key        string
	start, end int
	value      *hujson.Value
}

// container is an object or array: the offsets of its brackets, and its children.
type container struct {
	open, close int
	array       bool
	children    []child
}

func (d *document) container(v *hujson.Value) (container, bool) {
	c := container{open: v.StartOffset, close: v.EndOffset - 1}
	switch x := v.Value.(type) {
	case *hujson.Object:
		for i := range x.Members {
			m := &x.Members[i]
			name, _ := m.Name.Value.(hujson.Literal)
			c.children = append(c.children, child{name.String(), m.Name.StartOffset, m.Value.EndOffset, &m.Value})
		}
	case *hujson.Array:
		c.array = true
		for i := range x.Elements {
			e := &x.Elements[i]
			c.children = append(c.children, child{"", e.StartOffset, e.EndOffset, e})
		}
	default:
		return c, false
	}
	return c, true
}

// find is the value at path and how many elements of path exist; v is the value that the last of them leads to. A
// number in path is an index where a list stands. Of a key that stands twice the last counts, as for those who read
// these files.
func (d *document) find(path []string) (v *hujson.Value, depth int, err error) {
	v = &d.root
	for i, key := range path {
		c, ok := d.container(v)
		if n, err := strconv.Atoi(key); c.array && err == nil && n >= 0 && n < len(c.children) {
			v = c.children[n].value
			continue
		}
		if !ok || c.array {
			line, column := position(d.data, v.StartOffset)
			return nil, i, fmt.Errorf("line %d, column %d: want an object (%s)", line, column, name(path[:i]))
		}
		j := len(c.children) - 1
		for j >= 0 && c.children[j].key != key {
			j--
		}
		if j < 0 {
			return v, i, nil
		}
		v = c.children[j].value
	}
	return v, len(path), nil
}

func name(path []string) string {
	if len(path) == 0 {
		return "the whole file"
	}
	return `"` + strings.Join(path, ".") + `"`
}

// GetJSON is the value at path as encoding/json decodes it.
func GetJSON(data []byte, path ...string) (v any, found bool, err error) {
	d, err := parseJSON(data)
	if err != nil || d.none {
		return nil, false, err
	}
	at, depth, err := d.find(path)
	if err != nil || depth < len(path) {
		return nil, false, err
	}
	v, err = decode(at)
	return v, err == nil, err
}

// DepthJSON is how many elements of path exist.
func DepthJSON(data []byte, path []string) int {
	d, err := parseJSON(data)
	if err != nil || d.none {
		return 0
	}
	_, depth, _ := d.find(path) // what it got to before an error
	return depth
}

func decode(v *hujson.Value) (out any, err error) {
	clone := v.Clone()
	clone.Minimize()
	err = json.Unmarshal(clone.Pack(), &out)
	return out, err
}

var notBlank = regexp.MustCompile(`[^ \t\r\n]`)
