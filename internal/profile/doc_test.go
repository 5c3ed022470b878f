package profile

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/intent"
)

var update = flag.Bool("update", false, "write the tables of docs/PROFILES.md again")

func doc(t *testing.T) (path, text string) {
	t.Helper()
	path = filepath.Join("..", "..", "docs", "PROFILES.md")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, strings.ReplaceAll(string(data), "\r\n", "\n")
}

// The tables of docs/PROFILES.md say what the data say.
func TestDocsHaveTheTablesOfProfilesAndFrames(t *testing.T) {
	t.Parallel()
	path, text := doc(t)
	want := replaced(t, replaced(t, text, "profiles", profileTable(t)), "frames", frameTable(t))
	if want == text {
		return
	}
	if !*update {
		t.Fatal("docs/PROFILES.md differs from the data: run go test ./internal/profile -run Docs -update")
	}
	if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

func replaced(t *testing.T, text, mark, table string) string {
	t.Helper()
	head, rest, ok := strings.Cut(text, "<!-- "+mark+" -->\n")
	_, tail, ok2 := strings.Cut(rest, "<!-- /"+mark+" -->\n")
	if !ok || !ok2 {
		t.Fatalf("the marks around the table %q are missing", mark)
	}
	return head + "<!-- " + mark + " -->\n" + table + "<!-- /" + mark + " -->\n" + tail
}

// inOrder lists the built-in profiles as their file does, the one that all begin with last.
func inOrder(t *testing.T) (ids []string) {
	for _, m := range regexp.MustCompile(`(?m)^  ([a-z0-9_-]+):$`).FindAllSubmatch(builtin, -1) {
		if id := string(m[1]); id != "default" {
			ids = append(ids, id)
		}
	}
	if ids = append(ids, "default"); !slices.Equal(slices.Sorted(slices.Values(ids)), Builtin().IDs()) {
		t.Fatalf("read the profiles %v, want %v", ids, Builtin().IDs())
	}
	return ids
}

func profileTable(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| profile | task / project / global | prefers | excludes | importance from | compression | head, tail | code: pieces × characters, bytes | text from | likely code |\n" +
		"|---|---|---|---|---|---|---|---|---|---|\n")
	for _, id := range inOrder(t) {
		p, err := Builtin().Get(id)
		if err != nil {
			t.Fatal(err)
		}
		prefers, shorter, code := listed(p.Preferred), short(p.Aggressiveness),
			fmt.Sprintf("%d × %d, %d", p.Code.Results, p.Code.Chars, p.Code.Bytes)
		if p.OnlyPreferred {
			prefers += ", nothing else"
		}
		if !p.Compress {
			shorter = "none"
		}
		likely := "pointer"
		if p.LikelyText {
			likely = "text"
		}
		if slices.Contains(p.Excluded, "code") && slices.Contains(p.Excluded, "test") {
			code, likely = "none", "–"
		}
		fmt.Fprintf(&b, "| `%s` | %s / %s / %s | %s | %s | %s | %s | %d, %d | %s | %s | %s |\n", id,
			short(p.Weights.Task), short(p.Weights.Project), short(p.Weights.Global), prefers, listed(p.Excluded),
			short(p.MinImportance), shorter, p.Head, p.Tail, code, short(p.InjectAt), likely)
	}
	return b.String()
}

func frameTable(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| frame | tokens | messages | tokens of memory |\n|---|---|---|---|\n")
	for _, f := range []intent.Frame{
		intent.Conversation, intent.Question, intent.Task, intent.Decision, intent.Creative, intent.Debug,
	} {
		p, err := intent.PlanFor(intent.Signals{}, f)
		if err != nil {
			t.Fatal(err)
		}
		budgets := []string{}
		for _, m := range slices.SortedFunc(maps.Keys(p.Budgets), func(a, b intent.Memory) int {
			return slices.Index(intent.Memories, a) - slices.Index(intent.Memories, b)
		}) {
			budgets = append(budgets, fmt.Sprintf("%s %d", m, p.Budgets[m]))
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %s |\n", f, p.TotalBudget, p.Turns, strings.Join(budgets, ", "))
	}
	return b.String()
}

// short writes .85 for 0.85.
func short(x float64) string {
	if x == 0 {
		return "0"
	}
	return strings.TrimPrefix(fmt.Sprint(x), "0")
}

func listed(list []string) string {
	if len(list) == 0 {
		return "–"
	}
	return strings.Join(list, ", ")
}

// The example of docs/PROFILES.md loads and says what the text around it does.
func TestTheExampleInTheDocsLoads(t *testing.T) {
	t.Parallel()
	_, text := doc(t)
	_, rest, ok := strings.Cut(text, "```yaml\n")
	example, _, ok2 := strings.Cut(rest, "```\n")
	if !ok || !ok2 {
		t.Fatal("there is no example")
	}
	s, err := Load([]File{{"example.yaml", []byte(example)}})
	if err != nil {
		t.Fatal(err)
	}
	backend, err := s.ForAgent("api-dev")
	if err != nil || backend.ID != "backend" || backend.Head != 3 || backend.Strategy != "knight" {
		t.Errorf("backend %+v, %v", backend, err)
	}
	if k, err := s.ForAgent("knight"); err != nil || k.Aggressiveness != .3 || k.MinImportance != .3 {
		t.Errorf("knight %+v, %v", k, err)
	}
	// and the mistake that the text shows is told as it stands there
	_, err = Load(
		[]File{{"team.yaml", []byte("profiles:\n  backend:\n    inherits: knight\n    min_importance: 1.4\n")}})
	if err == nil || !strings.Contains(text, "\n    "+err.Error()+"\n") {
		t.Errorf("the text shows another error than %v", err)
	}
}
