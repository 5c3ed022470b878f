package api

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	yaml "go.yaml.in/yaml/v3"
)

// schemas checks values against the schemas of the OpenAPI document: the part of JSON Schema that the document uses. A
// keyword that it does not know fails, so that nothing in the document goes unchecked.
type schemas struct {
	doc    map[string]any
	strict bool // an object with properties has no others, whatever the document leaves open
}

// annotations are the keywords that say nothing about a value.
var annotations = []string{"description", "title", "default", "example", "examples", "deprecated", "x-data"}

// resolve follows a reference within the document.
func (s schemas) resolve(ref string) map[string]any {
	var at any = s.doc
	for part := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		m, _ := at.(map[string]any)
		at = m[part]
	}
	m, ok := at.(map[string]any)
	if !ok {
		panic(fmt.Sprintf("no %s in the document", ref))
	}
	return m
}

// properties are all that an object may have. more is what additionalProperties says of others, nil where nothing does.
func (s schemas) properties(schema map[string]any) (props map[string]any, more any) {
	props = map[string]any{}
	take := func(m map[string]any) {
		p, o := s.properties(m)
		for k, v := range p {
			props[k] = v
		}
		if o != nil {
			more = o
		}
	}
	if ref, ok := schema["$ref"].(string); ok {
		take(s.resolve(ref))
	}
	for _, m := range list(schema["allOf"]) {
		take(m.(map[string]any))
	}
	own, _ := schema["properties"].(map[string]any)
	for k, v := range own {
		props[k] = v
	}
	if o, given := schema["additionalProperties"]; given {
		more = o
	}
	return props, more
}

func list(v any) []any { l, _ := v.([]any); return l }

// check says what is wrong with a value; at is where it stands.
func (s schemas) check(schema map[string]any, v any, at string) (faults []string) {
	return s.checkPart(schema, v, at, false)
}

// checkPart is check; inner: the schema is a part of another of the same value, which knows all properties.
func (s schemas) checkPart(schema map[string]any, v any, at string, inner bool) (faults []string) {
	bad := func(format string, args ...any) { faults = append(faults, at+": "+fmt.Sprintf(format, args...)) }
	for key, want := range schema {
		switch key {
		case "$ref":
			faults = append(faults, s.checkPart(s.resolve(want.(string)), v, at, true)...)
		case "allOf":
			for _, m := range list(want) {
				faults = append(faults, s.checkPart(m.(map[string]any), v, at, true)...)
			}
		case "oneOf":
			fits := 0
			var why []string
			for _, m := range list(want) {
				f := s.check(m.(map[string]any), v, at)
				if why = append(why, f...); len(f) == 0 {
					fits++
				}
			}
			if fits != 1 {
				bad("fits %d of oneOf: %s", fits, strings.Join(why, "; "))
			}
		case "type":
			if !slices.ContainsFunc(append(list(want), want), func(t any) bool { return hasType(v, t) }) {
				bad("%v is no %v", v, want)
			}
		case "enum":
			if !slices.Contains(list(want), v) {
				bad("%v is none of %v", v, want)
			}
		case "const":
			if v != want {
				bad("%v is not %v", v, want)
			}
		case "required":
			o, _ := v.(map[string]any)
			for _, name := range list(want) {
				if _, ok := o[name.(string)]; !ok {
					bad("%s is missing", name)
				}
			}
		case "items":
			for i, x := range list(v) {
				faults = append(faults, s.check(want.(map[string]any), x, fmt.Sprintf("%s[%d]", at, i))...)
			}
		case "minItems":
			if len(list(v)) < int(number(want)) {
				bad("want at least %v elements", want)
			}
		case "minLength", "maxLength":
			n := utf8.RuneCountInString(fmt.Sprint(v))
			if key == "minLength" && n < int(number(want)) || key == "maxLength" && n > int(number(want)) {
				bad("has %d characters, %s is %v", n, key, want)
			}
		case "minimum", "maximum":
			if x := number(v); key == "minimum" && x < number(want) || key == "maximum" && x > number(want) {
				bad("%v, %s is %v", v, key, want)
			}
		case "pattern":
			if !regexp.MustCompile(want.(string)).MatchString(fmt.Sprint(v)) {
				bad("%v does not match %v", v, want)
			}
		case "format":
			if _, err := time.Parse(time.RFC3339Nano, fmt.Sprint(v)); want != "int64" &&
				(want != "date-time" || err != nil) {
				bad("%v is no %v", v, want)
			}
		case "properties", "additionalProperties":
		default:
			if !slices.Contains(annotations, key) {
				bad("the test does not know the keyword %s", key)
			}
		}
	}
	o, isObject := v.(map[string]any)
	if !isObject || inner {
		return faults
	}
	props, more := s.properties(schema)
	open, given := more.(bool)
	open = open || !given && (!s.strict || len(props) == 0)
	for name, x := range o {
		if p, known := props[name].(map[string]any); known {
			faults = append(faults, s.check(p, x, at+"."+name)...)
		} else if m, ok := more.(map[string]any); ok {
			faults = append(faults, s.check(m, x, at+"."+name)...)
		} else if !open {
			bad("%s is not described", name)
		}
	}
	return faults
}

func number(v any) float64 {
	switch x := v.(type) {
	case int:
		return float64(x)
	case float64:
		return x
	}
	return math.NaN()
}

func hasType(v, t any) bool {
	switch x := v.(type) {
	case nil:
		return t == "null"
	case bool:
		return t == "boolean"
	case string:
		return t == "string"
	case float64:
		return t == "number" || t == "integer" && x == math.Trunc(x)
	case []any:
		return t == "array"
	case map[string]any:
		return t == "object"
	}
	return false
}

// document is openapi.yaml as JSON would be read.
func document(t *testing.T) map[string]any {
	t.Helper()
	var doc map[string]any
	if err := yaml.Unmarshal(OpenAPI, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestTheCheckerFindsFaults(t *testing.T) {
	t.Parallel()
	var doc map[string]any
	if err := yaml.Unmarshal([]byte(`
components: {schemas: {
  A: {type: object, required: [a], properties: {a: {type: integer, minimum: 1}, b: {type: array, minItems: 1, items: {type: string, enum: [x, y]}}}},
  B: {type: object, allOf: [{$ref: '#/components/schemas/A'}], required: [c], properties: {c: {type: [string, 'null'], pattern: '^z', maxLength: 2}}},
  C: {type: object, additionalProperties: {type: number}},
  D: {oneOf: [{$ref: '#/components/schemas/A'}, {const: 7}]},
  E: {type: string, format: date-time},
  F: {type: string, contentEncoding: base64},
  G: {type: object, additionalProperties: false, properties: {g: {type: boolean}}}}}`), &doc); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		schema, value string
		want          bool
	}{
		{"A", `{"a":1}`, true}, {"A", `{"a":1,"b":["x","y"]}`, true}, {"A", `{"a":0}`, false},
		{"A", `{"a":1.5}`, false}, {"A", `{}`, false}, {"A", `[]`, false},
		{"A", `{"a":1,"b":[]}`, false}, {"A", `{"a":1,"b":["z"]}`, false}, {"A", `{"a":1,"z":1}`, false},
		{"B", `{"a":1,"c":"z"}`, true}, {"B", `{"a":1,"c":null}`, false}, {"B", `{"c":"z"}`, false},
		{"B", `{"a":1,"c":"zzz"}`, false}, {"B", `{"a":1,"c":"z","d":1}`, false},
		{"C", `{"x":1}`, true}, {"C", `{"x":"1"}`, false}, {"D", `{"a":1}`, true}, {"D", `{"b":["x"]}`, false},
		{"E", `"2026-01-02T03:04:05Z"`, true}, {"E", `"yesterday"`, false}, {"F", `"x"`, false},
		{"G", `{"g":true}`, true}, {"G", `{"h":true}`, false},
	} {
		var v any
		if err := json.Unmarshal([]byte(tt.value), &v); err != nil {
			t.Fatal(err)
		}
		s := schemas{doc: doc, strict: true}
		if faults := s.check(s.resolve("#/components/schemas/"+tt.schema), v, "$"); (len(faults) == 0) != tt.want {
			t.Errorf("%s of %s: %q", tt.value, tt.schema, faults)
		}
	}
}
