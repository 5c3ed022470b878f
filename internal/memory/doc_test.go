package memory

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of docs/MEMORY.md again")

// The table of kinds in docs/MEMORY.md is the one that the code has.
func TestDocsHaveTheTableOfKinds(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("| kind | what it is | weight | past | constant (days) | HOT for | WARM until |\n|---|---|---|---|---|---|---|\n")
	for _, k := range Traits {
		exact := ""
		if k.Exact {
			exact = " †"
		}
		fmt.Fprintf(&b, "| `%s`%s | %s | %s | %s | %v | %s | %s |\n", k.Kind, exact, k.For, hundredths(k.Weight),
			hundredths(k.Past), k.Days, above(k, HotFrom), above(k, WarmFrom))
	}
	path := filepath.Join("..", "..", "docs", "MEMORY.md")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	head, rest, ok := strings.Cut(text, "<!-- kinds -->\n")
	_, tail, ok2 := strings.Cut(rest, "<!-- /kinds -->\n")
	if !ok || !ok2 {
		t.Fatal("the marks around the table are missing")
	}
	if want := head + "<!-- kinds -->\n" + b.String() + "<!-- /kinds -->\n" + tail; want != text {
		if !*update {
			t.Fatal("docs/MEMORY.md differs from the code: run go test ./internal/memory -run Docs -update")
		}
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// hundredths writes .85 for 0.85.
func hundredths(x float64) string { return strings.TrimPrefix(fmt.Sprint(x), "0") }

// above says for how long a new item of a kind that nobody uses stays at an importance or above.
func above(k Trait, importance float64) string {
	if k.Weight < importance {
		return "–"
	}
	days := k.Days * math.Log(k.Weight/importance)
	switch {
	case days < 2:
		return fmt.Sprintf("%.0f h", days*24)
	case days < 10:
		return fmt.Sprintf("%.1f d", days)
	}
	return fmt.Sprintf("%.0f d", days)
}
