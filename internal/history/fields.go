package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/contextd/contextd/internal/safetext"
)

// fields are the fields of a JSON object that are not taken yet. What is left in the end is what this version does not
// know.
type fields map[string]json.RawMessage

// take reads the field with the first of names that is there and not null into v, and removes them all.
func take[T any](f fields, v *T, want string, parse func(json.RawMessage) (T, bool), names ...string) error {
	defer func() {
		for _, name := range names {
			delete(f, name)
		}
	}()
	for _, name := range names {
		raw, ok := f[name]
		if !ok || string(raw) == "null" {
			continue
		}
		got, ok := parse(raw)
		if !ok {
			return fmt.Errorf("field %q is %s: want %s", name, safetext.Line(fmt.Sprintf("%.60s", raw)), want)
		}
		*v = got
		return nil
	}
	return nil
}

func parseJSON[T any](raw json.RawMessage) (v T, ok bool) { return v, json.Unmarshal(raw, &v) == nil }

// parseText takes a number for its digits: ids were written so once.
func parseText(raw json.RawMessage) (string, bool) {
	if _, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return string(raw), true
	}
	return parseJSON[string](raw)
}

func parseRaw(raw json.RawMessage) (json.RawMessage, bool) { return slices.Clone(raw), true }

// join writes the fields of known, which becomes an object, and then those of rest by name.
func join(known any, rest fields) ([]byte, error) {
	b, err := json.Marshal(known)
	if err != nil || len(rest) == 0 {
		return b, err
	}
	out := bytes.NewBuffer(b[:len(b)-1])
	for _, name := range slices.Sorted(maps.Keys(rest)) {
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		fmt.Fprintf(out, "%s:%s", key, rest[name])
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}
