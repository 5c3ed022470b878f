package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	in := flag.String("in", filepath.Join("internal", "api", "openapi.yaml"), "the OpenAPI document")
	out := flag.String("out", filepath.Join("clients", "ts"), "the folder for contextd.js and contextd.d.ts")
	python := flag.String("python", filepath.Join("clients", "python", "contextd_client"),
		"the folder for _types.py and _methods.py")
	golang := flag.String("go", filepath.Join("clients", "go"), "the folder for types.go")
	flag.Parse()
	if err := run(*in, *out, *python, *golang); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
}

func run(in, out, python, golang string) error {
	data, err := os.ReadFile(in)
	if err != nil {
		return err
	}
	js, dts, err := Generate(data)
	if err != nil {
		return fmt.Errorf("generate from %q: %w", in, err)
	}
	types, methods, err := GeneratePython(data)
	if err != nil {
		return fmt.Errorf("generate from %q: %w", in, err)
	}
	structs, err := GenerateGo(data)
	if err != nil {
		return fmt.Errorf("generate from %q: %w", in, err)
	}
	for path, text := range map[string][]byte{
		filepath.Join(out, "contextd.js"): js, filepath.Join(out, "contextd.d.ts"): dts,
		filepath.Join(python, "_types.py"): types, filepath.Join(python, "_methods.py"): methods,
		filepath.Join(golang, "types.go"): structs,
	} {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
