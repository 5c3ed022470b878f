package prompt

import (
	"encoding/json"
	"reflect"
)

// ProfileChoice is the profile of a request: in JSON the name of one, or a whole one as an object.
type ProfileChoice struct {
	Name string          // "": none is named
	Own  json.RawMessage // an object as profile.Set.Override takes it; nil: none
}

// UnmarshalJSON implements [json.Unmarshaler].
func (c *ProfileChoice) UnmarshalJSON(data []byte) error {
	*c = ProfileChoice{}
	switch data[0] {
	case '{':
		c.Own = append(c.Own, data...)
		return nil
	case '"':
		return json.Unmarshal(data, &c.Name)
	case 'n':
		return nil
	}
	kind := "number"
	switch data[0] {
	case '[':
		kind = "array"
	case 't', 'f':
		kind = "bool"
	}
	return &json.UnmarshalTypeError{Value: kind, Type: reflect.TypeFor[string]()}
}

// MarshalJSON implements [json.Marshaler].
func (c ProfileChoice) MarshalJSON() ([]byte, error) {
	if len(c.Own) > 0 {
		return c.Own, nil
	}
	return json.Marshal(c.Name)
}
