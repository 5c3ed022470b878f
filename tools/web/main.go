// Command web builds the dashboard from web/src into internal/web/dist, which package web embeds.
//
//	go run ./tools/web          # build; commit what changed
//	go run ./tools/web -check   # only tell whether the built files are those of the sources
//	go run ./tools/web -fetch   # get what the tests in the browser need: Chromium and axe-core
package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/contextd/contextd/tools/web/bundle"
)

func main() {
	check := flag.Bool("check", false, "only tell whether the built files are those of the sources")
	in := flag.String("in", "web", "the folder of the sources")
	out := flag.String("out", filepath.Join("internal", "web", "dist"), "the folder of the built files")
	need := flag.Bool("fetch", false, "get what the tests in the browser need: Chromium and axe-core")
	flag.Parse()
	if *need {
		if err := fetch(); err != nil {
			fmt.Fprintln(os.Stderr, "error:", err)
			os.Exit(2)
		}
		return
	}
	if err := run(*in, *out, *check, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
}

func run(in, out string, check bool, to io.Writer) error {
	files, err := bundle.Build(in)
	if err != nil {
		return err
	}
	if check {
		return compare(files, out)
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(out, name), data, 0o644); err != nil {
			return err
		}
		packed, err := pack(data)
		if err != nil {
			return err
		}
		fmt.Fprintf(to, "%-24s %7d bytes, %6d compressed\n", name, len(data), len(packed))
		if len(packed) < len(data) {
			if err := os.WriteFile(filepath.Join(out, name+".gz"), packed, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// compare tells how the files in a folder differ from what was built. What is packed is compared by what it holds: its
// bytes depend on the version of Go.
func compare(files bundle.Files, out string) error {
	entries, err := os.ReadDir(out)
	if err != nil {
		return err
	}
	const hint = `; run "go run ./tools/web" and commit what it writes`
	var wrong []error
	have := map[string]bool{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(out, e.Name()))
		if err != nil {
			return err
		}
		name, packed := strings.CutSuffix(e.Name(), ".gz")
		if packed {
			r, err := gzip.NewReader(bytes.NewReader(data))
			if err != nil {
				return fmt.Errorf("read %q: %w", e.Name(), err)
			}
			if data, err = io.ReadAll(r); err != nil {
				return fmt.Errorf("read %q: %w", e.Name(), err)
			}
		} else {
			have[name] = true
		}
		if want, ok := files[name]; !ok || !bytes.Equal(data, want) {
			wrong = append(wrong, fmt.Errorf("%q is not what the sources give"+hint, e.Name()))
		}
	}
	for name := range files {
		if !have[name] {
			wrong = append(wrong, fmt.Errorf("%q is missing"+hint, name))
		}
	}
	return errors.Join(wrong...)
}

func pack(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
