package confedit

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Object is a JSON object whose members keep their order. Values are strings, numbers, booleans, []any and Object.
type Object []Member

// Member is one member of an Object.
type Member struct {
	Key   string
	Value any
}

// MarshalJSON writes the members in their order.
func (o Object) MarshalJSON() ([]byte, error) { return []byte(compactStyle.format(o, "")), nil }

// style is how new values are written: unit indents by one level; without a newline all stands on one line.
type style struct{ newline, unit string }

var compactStyle style

// format writes v; indent is that of the line that v begins on.
func (s style) format(v any, indent string) string {
	var open, end string
	var items []string
	inner := indent + s.unit
	switch v := v.(type) {
	case Object:
		open, end = "{", "}"
		for _, m := range v {
			items = append(items, s.member(m.Key, m.Value, inner))
		}
	case []any:
		open, end = "[", "]"
		flat := true
		for _, e := range v {
			switch e.(type) {
			case Object, []any:
				flat = false
			}
			items = append(items, s.format(e, inner))
		}
		if flat {
			return open + strings.Join(items, s.comma()) + end
		}
	default:
		return quote(v)
	}
	if s.newline == "" || len(items) == 0 {
		return open + strings.Join(items, s.comma()) + end
	}
	return open + s.newline + inner + strings.Join(items, ","+s.newline+inner) + s.newline + indent + end
}

func (s style) member(key string, v any, indent string) string {
	if s.newline == "" {
		return quote(key) + ":" + s.format(v, indent)
	}
	return quote(key) + ": " + s.format(v, indent)
}

func (s style) comma() string {
	if s.newline == "" {
		return ","
	}
	return ", "
}

// quote writes a string, number or boolean as JSON.
func quote(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // the values are our own
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// within reports whether have, as decoded from a file, holds all that want says; members that somebody added are no
// difference.
func within(want, have any) bool {
	switch want := want.(type) {
	case map[string]any:
		m, ok := have.(map[string]any)
		for k, v := range want {
			ok = ok && within(v, m[k])
		}
		return ok
	case []any:
		list, ok := have.([]any)
		ok = ok && len(list) == len(want)
		for i := 0; ok && i < len(want); i++ {
			ok = within(want[i], list[i])
		}
		return ok
	}
	return want == have
}

// plain is v as a decoder would return it.
func plain(v any) (out any) {
	switch v := v.(type) {
	case Object:
		m := map[string]any{}
		for _, x := range v {
			m[x.Key] = plain(x.Value)
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i, x := range v {
			list[i] = plain(x)
		}
		return list
	case int:
		return float64(v)
	}
	return v
}
