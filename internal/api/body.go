package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/contextd/contextd/internal/wire"
)

// The greatest bodies, in bytes.
const (
	maxBody    = 1 << 20
	maxContext = 4 << 20 // of a request that holds a conversation
)

// decode reads the body of a request into v, strictly. An empty body leaves v as it is if it may be empty.
func decode(w http.ResponseWriter, r *http.Request, limit int64, mayBeEmpty bool, v any) error {
	data, err := readBody(w, r, limit, mayBeEmpty)
	if err != nil || len(bytes.TrimSpace(data)) == 0 && mayBeEmpty {
		return err
	}
	return decodeJSON(data, v)
}

// readBody reads the body of a request, which must be sent as JSON and be UTF-8; an empty one need not where it may be
// empty.
func readBody(w http.ResponseWriter, r *http.Request, limit int64, mayBeEmpty bool) ([]byte, error) {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, refuse(bodyTooLarge, "the body has over %d bytes", limit)
	case errors.Is(err, errBodies):
		return nil, refuse(busy, "read the body: %w", err)
	case err != nil: // the client's doing: it was cut off, or is not framed as it says
		return nil, refuse(invalidRequest, "read the body: %w", err)
	case len(bytes.TrimSpace(data)) == 0 && mayBeEmpty:
		return nil, nil
	}
	if kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil ||
		kind != "application/json" && !strings.HasSuffix(kind, "+json") {
		return nil, refuse(mediaType, "Content-Type is %q, want application/json", r.Header.Get("Content-Type"))
	} else if c := params["charset"]; c != "" && !strings.EqualFold(c, "utf-8") {
		return nil, refuse(mediaType, "charset is %q, want utf-8", c)
	}
	if !utf8.Valid(data) {
		return nil, refuse(invalidEncoding, "the body is not UTF-8: its byte %d cannot be read", badByte(data))
	}
	return data, nil
}

// decodeJSON reads one JSON object without fields that v does not have.
func decodeJSON(data []byte, v any) error {
	if t := bytes.TrimLeft(data, " \t\r\n"); len(t) == 0 || t[0] != '{' {
		return refuse(invalidJSON, "want a JSON object")
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return jsonFault(err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return refuse(invalidJSON, "want one JSON object and nothing after it")
	}
	return nil
}

// jsonFault says in our words what is wrong with a body.
func jsonFault(err error) error {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	var own *fault
	switch name, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); {
	case errors.As(err, &own):
		return err
	case unknown:
		name = strings.Trim(name, `"`)
		return &fault{slug: unknownField, field: name, err: fmt.Errorf("there is no field %q", name)}
	case errors.As(err, &kind):
		field := wire.FieldName(kind.Field)
		if field == "" {
			return refuse(invalidJSON, "want a JSON object (got %s)", kind.Value)
		}
		return wrong(field, "want %s (got %s)", wanted(kind.Type.Kind().String()), kind.Value)
	case errors.As(err, &syntax):
		return refuse(invalidJSON, "byte %d: %s", syntax.Offset, strings.TrimPrefix(syntax.Error(), "json: "))
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return refuse(invalidJSON, "the body ends within the object")
	}
	return refuse(invalidJSON, "%s", strings.TrimPrefix(err.Error(), "json: "))
}

// wanted names a Go kind as JSON does.
func wanted(kind string) string {
	switch {
	case strings.HasPrefix(kind, "int"), strings.HasPrefix(kind, "uint"):
		return "a whole number"
	case strings.HasPrefix(kind, "float"):
		return "a number"
	case kind == "bool":
		return "true or false"
	case kind == "slice", kind == "array":
		return "a list"
	case kind == "struct", kind == "map":
		return "an object"
	}
	return "a string"
}

// badByte is the position of the first byte that is no UTF-8.
func badByte(data []byte) int {
	at := 0
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		if r == utf8.RuneError && n == 1 {
			return at
		}
		at, data = at+n, data[n:]
	}
	return at
}
