package gates

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/code"
)

func TestEachGateStandsInTheTableOfTests(t *testing.T) {
	t.Parallel()
	var tested []code.Reason
	for _, g := range order {
		tested = append(tested, g.reason)
	}
	if !slices.Equal(tested, Reasons()) {
		t.Errorf("the table of gates_test.go has %q, want a row for each of %q", tested, Reasons())
	}
}

func TestEachGateIsNamedWhereItsReasonIsRead(t *testing.T) {
	t.Parallel()
	var names []string
	for _, r := range Reasons() {
		names = append(names, string(r))
	}
	for _, place := range []struct {
		file string
		want []string
	}{
		{"internal/gates/doc.go", wrap("\n//   - ", names, ": ")},
		{"internal/api/openapi.yaml", []string{"enum: [" + strings.Join(names, ", ") + "]"}},
		{"docs/CLI_JSON.md", []string{"`" + strings.Join(names, " ") + "`"}},
		{"docs/OPERATIONS.md", wrap("\n| `", names, "` |")},
		{"web/src/pages/search.tsx", wrap("\n  ", names, ": \"")},
	} {
		data, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(place.file)))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(string(data), "\r\n", "\n")
		for _, want := range place.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q", place.file, want)
			}
		}
	}
}

func wrap(before string, names []string, after string) (all []string) {
	for _, name := range names {
		all = append(all, before+name+after)
	}
	return all
}
