package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// testdata is what table.py wrote of 48 words: `table.py --words 48 --epochs 1` of this repository's own pairs.
const table, vectors = "testdata/tiny.bin", "testdata/tiny.jsonl"

func TestProgramReadsWhatTrainingWrites(t *testing.T) {
	t.Parallel()
	line, err := check(context.Background(), table, vectors)
	if err != nil || !strings.Contains(line, ": 4 vectors agree within ") {
		t.Errorf("check = %q, %v", line, err)
	}
}

func TestDifferencesAreTold(t *testing.T) {
	t.Parallel()
	good, err := os.ReadFile(vectors)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ vectors, want string }{
		"off": {strings.Replace(string(good), `"vector": [`, `"vector": [0.5, `, 1),
			"want 256 dimensions (got 257)"},
		"another": {strings.Replace(string(good), `"text": "_`, `"text": "_path_path_path_`, 1),
			"want the same within 0.001"},
		"nothing":  {"", "want a vector or more"},
		"no lines": {"[", "read "},
	} {
		file := filepath.Join(t.TempDir(), "v.jsonl")
		if err := os.WriteFile(file, []byte(c.vectors), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := check(context.Background(), table, file); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}
