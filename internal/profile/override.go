package profile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// OverrideID is the id of a profile that a request brings without one.
const OverrideID = "override"

// maxOverride is the size in bytes over which the profile of a request is refused.
const maxOverride = 64 << 10

// Override is a profile that a request brings: one JSON object with the fields that a profile has in a file, and
// perhaps its id. What [Profile.Whole] gives can be changed and sent. Fields that are missing or null are those of the
// profile that it inherits from, without one those of default. With the id of a profile of the set its own gets
// "-override" behind, so that accounts of contexts tell the two apart. The set stays as it is. The error names all
// mistakes, in one line.
func (s *Set) Override(data []byte) (Profile, error) {
	if len(data) > maxOverride {
		return Profile{}, fmt.Errorf("%d bytes, want at most %d", len(data), maxOverride)
	}
	var written map[string]any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&written); err != nil || written == nil {
		return Profile{}, errors.New("want the name of a profile or an object")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Profile{}, errors.New("want one object and nothing after it")
	}
	id := OverrideID
	if v, given := written["id"]; given && v != nil {
		if name, isText := v.(string); isText && isName(name, "-_") {
			id = name
		} else {
			return Profile{}, errors.New("id must be of a-z, 0-9, - and _, at most 64")
		}
	}
	delete(written, "id")
	if _, known := s.profiles[id]; known {
		id += "-override"
	}
	l, own := &loader{}, &draft{parent: "default"}
	l.eachPair(yamlNode(written), "", "", "the profile", func(key, value *yaml.Node) { l.field(own, "", key, value) })
	p, err := s.Get(own.parent)
	if err != nil {
		l.fail(&FieldError{Field: "inherits", Value: fmt.Sprintf("%q", own.parent),
			Want: "is unknown: want one of " + strings.Join(s.IDs(), ", ")})
	}
	p.ID, p.Agents, p.Description = id, nil, ""
	for _, set := range own.sets {
		set(&p)
	}
	if len(l.errs) == 0 {
		l.complete(own, &p)
	}
	if len(l.errs) > 0 {
		var texts []string
		for _, e := range l.errs[:min(len(l.errs), 5)] {
			texts = append(texts, e.Error())
		}
		return Profile{}, errors.New(strings.Join(texts, "; "))
	}
	return p, nil
}

// yamlNode is a value of JSON as one of YAML, maps by key. A key without a value is left out.
func yamlNode(v any) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str"}
	switch v := v.(type) {
	case map[string]any:
		n.Kind, n.Tag = yaml.MappingNode, "!!map"
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if v[key] != nil {
				n.Content = append(n.Content, yamlNode(key), yamlNode(v[key]))
			}
		}
	case []any:
		n.Kind, n.Tag = yaml.SequenceNode, "!!seq"
		for _, x := range v {
			n.Content = append(n.Content, yamlNode(x))
		}
	case json.Number:
		if n.Tag, n.Value = "!!int", v.String(); strings.ContainsAny(n.Value, ".eE") {
			n.Tag = "!!float"
		}
	case bool:
		n.Tag, n.Value = "!!bool", fmt.Sprint(v)
	case string:
		n.Value = v
	default:
		n.Tag, n.Value = "!!null", "null"
	}
	return n
}

// WithEmptyLists is the profile as it is written in JSON: lists that are empty are there.
func (p Profile) WithEmptyLists() Profile {
	p = p.clone()
	for _, list := range []*[]string{&p.Tags, &p.Agents, &p.Preferred, &p.Excluded} {
		*list = append([]string{}, *list...)
	}
	p.Sections = append([]Section{}, p.Sections...)
	return p
}
