package secret

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
)

// RedactJSONWithin is [RedactWithin] for every string of a JSON value, the names of fields too. A value without secrets
// comes back as it is; order and numbers stay. What is no JSON, or nested too deep to be read, is redacted as text and
// comes back as a string. Where its context is over there is no value, and the error says so.
func RedactJSONWithin(ctx context.Context, data []byte) ([]byte, error) {
	return MapJSON(data, func(s string) (string, error) {
		clean, _, err := RedactWithin(ctx, s)
		return clean, err
	})
}

// MapJSON puts each(s) in the place of every string s of a JSON value, as RedactJSONWithin says. The first error of each ends
// it.
func MapJSON(data []byte, each func(string) (string, error)) ([]byte, error) {
	w := jsonMapper{each: each, in: json.NewDecoder(bytes.NewReader(data))}
	w.in.UseNumber()
	err := w.value(0)
	if err == nil {
		if _, err = w.in.Token(); err == nil {
			err = errTwoValues
		} else if errors.Is(err, io.EOF) {
			err = nil
		}
	}
	switch {
	case w.ended != nil:
		return nil, w.ended
	case err != nil:
		text, err := each(string(data))
		if err != nil {
			return nil, err
		}
		return json.Marshal(text)
	case !w.changed:
		return data, nil
	}
	return w.out.Bytes(), nil
}

// maxNesting is how deep a value may be that is mapped string by string.
const maxNesting = 200

var (
	errTwoValues = errors.New("more than one value")
	errNesting   = errors.New("nested too deep")
)

// jsonMapper copies one JSON value.
type jsonMapper struct {
	each    func(string) (string, error)
	ended   error // what each said
	in      *json.Decoder
	out     bytes.Buffer
	changed bool
}

func (w *jsonMapper) value(depth int) error {
	t, err := w.in.Token()
	if err != nil {
		return err
	}
	d, nested := t.(json.Delim)
	switch {
	case !nested:
		return w.write(t)
	case depth == maxNesting:
		return errNesting
	}
	w.out.WriteString(d.String())
	for n := 0; w.in.More(); n++ {
		if n > 0 {
			w.out.WriteByte(',')
		}
		if d == '{' {
			if t, err = w.in.Token(); err != nil {
				return err
			}
			if err := w.write(t); err != nil {
				return err
			}
			w.out.WriteByte(':')
		}
		if err := w.value(depth + 1); err != nil {
			return err
		}
	}
	if t, err = w.in.Token(); err != nil {
		return err
	}
	w.out.WriteString(t.(json.Delim).String())
	return nil
}

// write copies a value that is not nested, or the name of a field.
func (w *jsonMapper) write(t json.Token) error {
	if s, ok := t.(string); ok {
		clean, err := w.each(s)
		if err != nil {
			w.ended = err
			return err
		}
		w.changed = w.changed || clean != s
		t = clean
	}
	b, err := json.Marshal(t)
	w.out.Write(b)
	return err
}
