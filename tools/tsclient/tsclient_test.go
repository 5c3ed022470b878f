package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func source(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "internal", "api", "openapi.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// What is committed is what the document gives now, whoever runs it and how often.
func TestCommittedClientIsFresh(t *testing.T) {
	t.Parallel()
	js, dts, err := Generate(source(t))
	if err != nil {
		t.Fatal(err)
	}
	js2, dts2, err := Generate(source(t))
	if err != nil || !bytes.Equal(js, js2) || !bytes.Equal(dts, dts2) {
		t.Errorf("a second run gives other bytes: %v", err)
	}
	types, methods, err := GeneratePython(source(t))
	if err != nil {
		t.Fatal(err)
	}
	structs, err := GenerateGo(source(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]byte{
		"go/types.go":                        structs,
		"ts/contextd.js":                     js,
		"ts/contextd.d.ts":                   dts,
		"python/contextd_client/_types.py":   types,
		"python/contextd_client/_methods.py": methods,
	} {
		have, err := os.ReadFile(filepath.Join("..", "..", "clients", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(have, want) {
			t.Errorf("clients/%s is stale: run go run ./tools/tsclient", name)
		}
	}
}

// Each operation has a method, and each schema a type.
func TestNothingIsLeftOut(t *testing.T) {
	t.Parallel()
	js, dts, err := Generate(source(t))
	if err != nil {
		t.Fatal(err)
	}
	d, err := read(source(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range d.ops {
		if !strings.Contains(string(js), "\n  "+o.id+"(") || !strings.Contains(string(dts), "\n  "+o.id+"(") {
			t.Errorf("no method %s", o.id)
		}
	}
	d.root.at("components", "schemas").each(func(name string, _ node) {
		if !strings.Contains(string(dts), "export interface "+name+" {") &&
			!strings.Contains(string(dts), "export type "+name+" =") {
			t.Errorf("no type %s", name)
		}
	})
}

func TestTypes(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{type: string}`:                              "string",
		`{type: [integer, 'null']}`:                   "number | null",
		`{type: array, items: {enum: [a, b]}}`:        `("a" | "b")[]`,
		`{$ref: '#/components/schemas/A'}`:            "A",
		`{allOf: [{$ref: '#/components/schemas/A'}]}`: "A",
		`{}`:             "unknown",
		`{type: object}`: "Record<string, unknown>",
		`{type: object, additionalProperties: {type: boolean}}`:                                               "Record<string, boolean>",
		`{type: object, required: [a], properties: {a: {type: number, description: "x */ y"}, b: {}}}`:        "{\n  /** x * / y */\n  a: number;\n  b?: unknown;\n}",
		`{type: object, additionalProperties: true, properties: {a: {type: string}}}`:                         "{\n  a?: string;\n  [key: string]: unknown;\n}",
		`{allOf: [{$ref: '#/components/schemas/A'}], required: [b], properties: {b: {type: string}}}`:         "A & {\n  b: string;\n}",
		`{oneOf: [{$ref: '#/components/schemas/A'}, {type: array, items: {$ref: '#/components/schemas/B'}}]}`: "A | B[]",
	} {
		d, err := parse(in)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := typeOf(d, ""); err != nil || got != want {
			t.Errorf("%s is %q (%v), want %q", in, got, err, want)
		}
	}
	for _, in := range []string{
		`{type: string, contentEncoding: base64}`, `{type: file}`, `{type: array, items: {not: {}}}`,
		`{type: object, properties: {a: {if: {}}}}`,
	} {
		d, err := parse(in)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := typeOf(d, ""); err == nil {
			t.Errorf("%s is guessed: %q", in, got)
		}
	}
}
