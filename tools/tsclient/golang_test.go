package main

import (
	"strings"
	"testing"
)

// structs is types.go for the schemas of a document, without its head.
func structs(t *testing.T, schemas string) (string, error) {
	t.Helper()
	doc := "paths: {/x: {get: {operationId: x}}}\ncomponents:\n  schemas:\n    " +
		strings.ReplaceAll(strings.TrimSpace(schemas), "\n", "\n    ")
	d, err := read([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	g := &golang{d: d, named: map[string]bool{}, used: map[string]bool{}}
	return g.structs()
}

func TestGoTypes(t *testing.T) {
	t.Parallel()
	const named = "A: {type: object, description: One., properties: {x: {type: string}}}\nT: {type: string, enum: [HOT, WARM]}\n"
	for field, want := range map[string]string{
		"{type: string}":                                              "F string `json:\"f,omitempty\"`",
		"{type: string, enum: [a, b, c]}":                             "F string `json:\"f,omitempty\"` // a, b or c",
		"{$ref: '#/components/schemas/T'}":                            "F string `json:\"f,omitempty\"` // HOT or WARM",
		"{type: integer, description: 'Files. Or folders.'}":          "F int `json:\"f,omitempty\"` // files. Or folders",
		"{type: integer, format: int64}":                              "F int64 `json:\"f,omitempty\"`",
		"{type: number}":                                              "F float64 `json:\"f,omitempty\"`",
		"{type: [boolean, 'null']}":                                   "F *bool `json:\"f,omitempty\"`",
		"{type: string, format: date-time}":                           "F time.Time `json:\"f,omitzero\"`",
		"{$ref: '#/components/schemas/A'}":                            "F *A `json:\"f,omitempty\"`",
		"{allOf: [{$ref: '#/components/schemas/A'}]}":                 "F *A `json:\"f,omitempty\"`",
		"{type: array, items: {$ref: '#/components/schemas/A'}}":      "F []A `json:\"f,omitempty\"`",
		"{type: object, additionalProperties: {type: integer}}":       "F map[string]int `json:\"f,omitempty\"`",
		"{type: object}":                                              "F map[string]any `json:\"f,omitempty\"`",
		"{}":                                                          "F any `json:\"f,omitempty\"`",
		"{oneOf: [{type: string}, {$ref: '#/components/schemas/A'}]}": "F any `json:\"f,omitempty\"`",
	} {
		got, err := structs(t, named+"B: {type: object, description: Two., properties: {f: "+field+"}}")
		if err != nil || !strings.HasSuffix(got, "\n// B: two.\ntype B struct {\n"+want+"\n}\n") {
			t.Errorf("%s: %v, want %s in%s", field, err, want, got)
		}
	}
	got, err := structs(t,
		named+"B: {description: Two., allOf: [{$ref: '#/components/schemas/A'}], required: [task_id], properties: {task_id: {type: string}}}")
	if err != nil || !strings.HasSuffix(got, "\ntype B struct {\nA\nTaskID string `json:\"task_id\"`\n}\n") {
		t.Errorf("%v in%s", err, got)
	}
}

// What the writer cannot name or does not know is refused, never guessed.
func TestGoTypesAreNotGuessed(t *testing.T) {
	t.Parallel()
	for _, schemas := range []string{
		"A: {type: object, properties: {x: {type: string}}}", // no description
		"A: {type: object, description: One., properties: {x: {type: object, description: Two., properties: {y: {type: string}}}}}",
		"A: {type: object, description: One., properties: {x: {type: file}}}",
		"A: {type: object, description: One., properties: {x: {type: string, contentEncoding: base64}}}",
		"Recalled: {type: object, description: One., properties: {x: {type: string}}}\nRecallReply: {type: object, description: Two., properties: {x: {type: string}}}",
	} {
		if got, err := structs(t, schemas); err == nil {
			t.Errorf("%s gives%s", schemas, got)
		}
	}
}
