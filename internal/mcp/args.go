package mcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contextd/contextd/internal/safetext"
)

// Limits of arguments, in bytes.
const (
	maxQuery = 4 << 20 // as of the command line; package retrieve reads the start of a long one
	maxPath  = 4096
	maxName  = 200
	maxNote  = 256 << 10
)

// argError is an argument that is wrong.
type argError struct{ field, want string }

func (e *argError) Error() string { return fmt.Sprintf("argument %q: want %s", e.field, e.want) }

// decode reads the arguments of a call into v, a pointer to a struct, strictly.
func decode(args json.RawMessage, v any) error {
	if len(bytes.TrimSpace(args)) == 0 {
		return nil // what is wanted is missed later
	}
	dec := json.NewDecoder(bytes.NewReader(args))
	dec.DisallowUnknownFields()
	err := dec.Decode(v)
	if err == nil {
		if _, err = dec.Token(); errors.Is(err, io.EOF) {
			return nil
		}
		return errors.New("arguments: want one JSON object")
	}
	var kind *json.UnmarshalTypeError
	name, unknown := strings.CutPrefix(err.Error(), "json: unknown field ")
	switch {
	case unknown:
		return fmt.Errorf("argument %s: not known; want one of %s", safetext.Cut(name, maxName),
			strings.Join(fieldsOf(v), ", "))
	case errors.As(err, &kind) && kind.Field != "":
		return &argError{kind.Field, cmp.Or(map[reflect.Kind]string{reflect.Int: "a whole number",
			reflect.Bool: "true or false", reflect.Slice: "a list of strings"}[kind.Type.Kind()], "a string")}
	}
	return errors.New("arguments: want a JSON object")
}

// fieldsOf are the names of a struct's fields in JSON.
func fieldsOf(v any) (names []string) {
	for f := range reflect.TypeOf(v).Elem().Fields() {
		names = append(names, f.Tag.Get("json"))
	}
	return names
}

// text checks an argument that must hold some text.
func text(field, s string, most int) error {
	if strings.TrimSpace(s) == "" {
		return &argError{field, "text that is not empty"}
	}
	return optional(field, s, most)
}

// optional checks an argument that may be empty.
func optional(field, s string, most int) error {
	switch {
	case len(s) > most:
		return &argError{field, fmt.Sprintf("at most %d bytes (got %d)", most, len(s))}
	case !utf8.ValidString(s):
		return &argError{field, "UTF-8"}
	}
	return nil
}

// line is optional for a name or a path, which holds no control characters.
func line(field, s string, most int) error {
	if err := optional(field, s, most); err != nil {
		return err
	}
	if strings.ContainsFunc(s, unicode.IsControl) {
		return &argError{field, "no control characters"}
	}
	return nil
}

// number is n, or otherwise where it is not given.
func number(field string, n *int, otherwise, least, most int) (int, error) {
	if n == nil {
		return otherwise, nil
	}
	if *n < least || *n > most {
		return 0, &argError{field, fmt.Sprintf("a whole number from %d to %d (got %d)", least, most, *n)}
	}
	return *n, nil
}
