package retrieve_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/spelling"
)

// dictionary are the words of the project's dictionary.
func dictionary(t *testing.T, index search.Index) []string {
	t.Helper()
	d, err := index.Attached(t.Context(), "p", spelling.Kind)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Collect(spelling.Words(d))
}

// holds fails for each word that the dictionary has, or has not, against what is wanted.
func holds(t *testing.T, what string, index search.Index, want bool, words ...string) {
	t.Helper()
	d := dictionary(t, index)
	for _, w := range words {
		if slices.Contains(d, w) != want {
			t.Errorf("%s: %q in the dictionary: %v", what, w, !want)
		}
	}
}

// A word leaves the dictionary with the last name that has it, though texts and words of its stem still stand.
func TestAWordLeavesTheDictionaryWithItsLastName(t *testing.T) {
	t.Parallel()
	files := pier()
	files["berth/moorings.go"] = "package berth\n\n// Moorings are many.\ntype Moorings struct{}\n\nfunc Fender() {}\n"
	files["berth/winches.go"] = "package berth\n\n// Winch pulls what moorings and a Capstan hold.\ntype Winch struct{ mooring int }\n\nfunc (w Winch) PullMooring() {}\n"
	files["berth/capstan.go"] = "package berth\n\nfunc Capstan() {}\n\nfunc FenderOfCapstan() {}\n"
	root, on, counts := onBoth(t, files)
	for name := range on {
		holds(t, name+" at first", counts[name].Index, true, "moorings", "mooring", "capstan", "fender", "winch")
	}
	put(t, root, map[string]string{"berth/capstan.go": "package berth\n\nfunc Bollard() {}\n"})
	if err := os.Remove(filepath.Join(root, "berth/moorings.go")); err != nil {
		t.Fatal(err)
	}
	for name := range on { // one name of two is gone; the file is still called so
		fill(t, counts[name].Index, root)
		holds(t, name+" after an edit", counts[name].Index, true, "mooring", "capstan", "winch", "bollard")
		holds(t, name+" after an edit", counts[name].Index, false, "moorings", "fender")
	}
	if err := os.Rename(filepath.Join(root, "berth/capstan.go"), filepath.Join(root, "berth/bollard.go")); err != nil {
		t.Fatal(err)
	}
	for name, rt := range on {
		fill(t, counts[name].Index, root)
		holds(t, name+" after a rename", counts[name].Index, false, "capstan")
		if r := askFor(rt, root, "Mooringz"); !slices.Equal(r.NearestNames, []string{"mooring"}) {
			t.Errorf("%s: near %q", name, r.NearestNames)
		}
		if r := askFor(rt, root, "Capstann"); len(r.NearestNames) > 0 {
			t.Errorf("%s: near %q, which a comment has and no name", name, r.NearestNames)
		}
	}
}

// numberWord is a word of letters alone, another one for each number.
func numberWord(i int) string {
	return "zu" + strings.Map(func(d rune) rune { return d - '0' + 'a' }, fmt.Sprintf("%05d", i))
}

// Many words at once are not looked up one by one, and a version made from nothing has what a dead run left behind go.
func TestManyWordsThatGoAtOnceLeaveTheDictionary(t *testing.T) {
	t.Parallel()
	files, gone := pier(), []string{}
	for i := range 300 {
		files[fmt.Sprintf("many/f%d.go", i)] = fmt.Sprintf("package many\n\nfunc %s() {}\n", numberWord(i))
		gone = append(gone, numberWord(i))
	}
	root, on, counts := onBoth(t, files)
	for name := range on {
		holds(t, name+" at first", counts[name].Index, true, gone...)
	}
	if err := os.RemoveAll(filepath.Join(root, "many")); err != nil {
		t.Fatal(err)
	}
	for name := range on {
		index := counts[name].Index
		fill(t, index, root)
		holds(t, name, index, false, append(gone, "many")...)
		left := dictionary(t, index)
		if err := index.Attach(context.Background(), "p", spelling.Kind, []byte(strings.Join(append(slices.Clone(left), "zebra"), "\n"))); err != nil {
			t.Fatal(err)
		}
		if _, err := ingest.New(index, ingest.Options{Embedder: embed.None{}}).Refresh(t.Context(), ingest.Request{Project: "p", Root: root, Full: true}); err != nil {
			t.Fatal(err)
		}
		if got := dictionary(t, index); !slices.Equal(got, left) {
			t.Errorf("%s: made from nothing %q, want %q", name, got, left)
		}
	}
}
