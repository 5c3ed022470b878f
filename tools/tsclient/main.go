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
	flag.Parse()
	if err := run(*in, *out); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
}

func run(in, out string) error {
	data, err := os.ReadFile(in)
	if err != nil {
		return err
	}
	js, dts, err := Generate(data)
	if err != nil {
		return fmt.Errorf("generate from %q: %w", in, err)
	}
	if err := os.WriteFile(filepath.Join(out, "contextd.js"), js, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "contextd.d.ts"), dts, 0o644)
}
