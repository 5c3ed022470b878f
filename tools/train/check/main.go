// Command check opens an embedding table as the program does and compares its vectors with those that table.py wrote.
//
//	go run ./tools/train/check TABLE.bin TABLE.jsonl
//
// A line of the second file is an object: "path", "text" and "vector", of a document, or without "path" of a question.
// It fails if a vector is farther off than 1e-3 in one dimension.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/embed/static"
)

// near is how far a value may be off: training sums floats, the program whole numbers.
const near = 1e-3

type vector struct {
	Path   string    `json:"path"`
	Text   string    `json:"text"`
	Vector []float32 `json:"vector"`
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "error: want two files, a table and vectors")
		os.Exit(1)
	}
	line, err := check(context.Background(), os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	fmt.Println(line)
}

// check says how many vectors agree, and how well.
func check(ctx context.Context, table, vectors string) (string, error) {
	data, err := os.ReadFile(table)
	if err != nil {
		return "", err
	}
	e, err := static.Open(data)
	if err != nil {
		return "", err
	}
	data, err = os.ReadFile(vectors)
	if err != nil {
		return "", err
	}
	n, worst := 0, 0.0
	for dec := json.NewDecoder(bufio.NewReader(bytes.NewReader(data))); ; n++ {
		var want vector
		if err := dec.Decode(&want); err == io.EOF {
			break
		} else if err != nil {
			return "", fmt.Errorf("read %q: %w", vectors, err)
		}
		got, err := e.Query(ctx, want.Text)
		if err == nil && want.Path != "" {
			var all [][]float32
			if all, err = e.Documents(ctx, []embed.Text{{Path: want.Path, Body: want.Text}}); err == nil {
				got = all[0]
			}
		}
		if err != nil {
			return "", err
		}
		if len(got) != len(want.Vector) {
			return "", fmt.Errorf("vector %d of %q: want %d dimensions (got %d)", n+1, vectors, len(got),
				len(want.Vector))
		}
		for i := range got {
			worst = max(worst, math.Abs(float64(got[i]-want.Vector[i])))
		}
		if !(worst <= near) {
			return "", fmt.Errorf("vector %d of %q: want the same within %g (got %g off)", n+1, vectors, near, worst)
		}
	}
	if n == 0 {
		return "", fmt.Errorf("read %q: want a vector or more", vectors)
	}
	return fmt.Sprintf("%s: %d vectors agree within %.1e", e.Name(), n, worst), nil
}
