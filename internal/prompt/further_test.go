package prompt

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/compile"
	"github.com/contextd/contextd/internal/receipt"
)

// ledger is a file of three functions that are a chunk each.
func ledger(words string) string {
	var b strings.Builder
	b.WriteString("package ledger\n")
	for i := range 3 {
		fmt.Fprintf(&b, "\nfunc entry%c() {\n", 'A'+i)
		for line := range 16 {
			fmt.Fprintf(&b, "\tstep(%d, %q)\n", line, words+" and the rest of a line that is long enough")
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// pieces are the lines of a receipt on a file.
func pieces(t *testing.T, b *bench, r *Reply, path string) (out []receipt.Line) {
	t.Helper()
	got, err := b.Receipt(context.Background(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range got.Items {
		if strings.HasPrefix(l.Source, "file:"+path+":") {
			out = append(out, l)
		}
	}
	return out
}

func TestAFileThatAnswersInSeveralPlacesIsSeveralPieces(t *testing.T) {
	t.Parallel()
	files := map[string]string{"ledger.go": ledger("overdraft interest booking")}
	for name, text := range harbour {
		files[name] = text
	}
	b := setup(t, files)
	req := task()
	req.Task.Title, req.Task.Description, req.MinRelevance, req.InjectAt = "Round the overdraft interest when booking",
		"", ptr(.001), ptr(.001)
	r := b.build(req)
	got := pieces(t, b, r, "ledger.go")
	if len(got) != 3 {
		t.Fatalf("%d pieces, want 3: %+v", len(got), got)
	}
	ids := map[string]bool{}
	for i, l := range got {
		ids[l.ID] = true
		if l.Decision == receipt.Dropped || l.Relevance > got[0].Relevance {
			t.Errorf("piece %d: %+v", i, l)
		}
	}
	if len(ids) != 3 {
		t.Errorf("the pieces have %d ids, want 3", len(ids))
	}
	for _, name := range []string{"entryA", "entryB", "entryC"} {
		if strings.Count(prompt(r), "func "+name) != 1 {
			t.Errorf("func %s stands %d times in the context, want once", name, strings.Count(prompt(r), "func "+name))
		}
	}
}

func TestABlockCitesTheLinesThatItShows(t *testing.T) {
	t.Parallel()
	text := "package ledger\n\nfunc book() {\n" + strings.Repeat("\tstep(\"overdraft interest\")\n", 80) + "}\n"
	b := setup(t, map[string]string{"ledger.go": text})
	req := task()
	req.AgentKind = "squire" // whose texts are shorter than chunks
	req.Task.Title, req.Task.Description, req.MinRelevance, req.InjectAt = "Round the overdraft interest when booking",
		"", ptr(.001), ptr(.001)
	r := b.build(req)
	blocks := regexp.MustCompile("(?m)^ledger\\.go:(\\d+)-(\\d+)\n```go\n((?s:.*?))```$").FindAllStringSubmatch(
		prompt(r), -1)
	if len(blocks) == 0 {
		t.Fatalf("no block of ledger.go in\n%s", prompt(r))
	}
	lines := strings.SplitAfter(text, "\n")
	for _, m := range blocks {
		first, _ := strconv.Atoi(m[1])
		last, _ := strconv.Atoi(m[2])
		if want := strings.Join(lines[first-1:last], ""); m[3] != want {
			t.Errorf("%s-%s shows\n%swant\n%s", m[1], m[2], m[3], want)
		}
	}
	if l := pieces(t, b, r, "ledger.go")[0]; l.Source == "file:ledger.go:"+blocks[0][1]+"-"+blocks[0][2] {
		t.Errorf("the receipt names %s, want the whole piece", l.Source)
	}
}

func TestOfAFileThatIsOnlyNamedItsBestPieceIsEnough(t *testing.T) {
	t.Parallel()
	files := map[string]string{"ledger.go": ledger("overdraft interest booking")}
	for name, text := range harbour {
		files[name] = text
	}
	b := setup(t, files)
	req := task()
	req.Task.Title, req.Task.Description = "Delete sessions with their user", ""
	req.Task.FileOperations = []compile.FileOperation{{Op: "modify", Path: "ledger.go"}}
	if got := pieces(t, b, b.build(req), "ledger.go"); len(got) != 1 {
		t.Errorf("%d pieces, want 1: %+v", len(got), got)
	}
}
