package rank

import (
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/code"
)

func TestAFurtherChunkIsNearlyAsGoodAsTheBest(t *testing.T) {
	t.Parallel()
	words := func(s string) []string { return strings.Fields(s) }
	for _, c := range []struct {
		name     string
		question string
		file     *code.File
		best     int
		further  []int
	}{
		{"equals in their order", "renew the lease", file("a.go", words("other"), words("renew lease"),
			words("renew lease"), words("renew lease")), 1, []int{2, 3}},
		{"at most two", "renew the lease", file("a.go", words("renew lease"), words("renew lease"),
			words("renew lease"), words("renew lease")), 0, []int{1, 2}},
		{"the better first", "renew the lease of a berth", file("a.go", words("renew lease berth paint paint"),
			words("renew lease berth"), words("renew lease berth paint"), words("renew")), 1, []int{2, 0}},
		{"half of the question is too little", "renew the lease",
			file("a.go", words("renew lease"), words("lease"), words("renew")), 0, nil},
		{"one chunk", "renew the lease", file("a.go", words("renew lease")), 0, nil},
		{"nothing of the question", "renew the lease", file("a.go", words("paint"), words("paint")), 0, nil},
		{"no chunk", "renew the lease", file("a.go"), -1, nil},
	} {
		other := file("b.go", words("other"), words("words"), words("paint"))
		for _, got := range score(t, c.question, c.file, other) {
			if got.File != 0 {
				continue
			}
			var further []int
			last := 1.0
			for _, f := range got.Further {
				further = append(further, f.Chunk)
				if f.Share > last || f.Share < furtherShare {
					t.Errorf("%s: chunk %d has the share %v after %v", c.name, f.Chunk, f.Share, last)
				}
				last = f.Share
			}
			if got.Chunk != c.best || !slices.Equal(further, c.further) {
				t.Errorf("%s: chunk %d and further %v, want %d and %v", c.name, got.Chunk, further, c.best, c.further)
			}
		}
	}
}

func TestAFurtherChunkIsWorthLessToATask(t *testing.T) {
	t.Parallel()
	for question, worth := range map[string]float64{
		"where is the lease renewed":          1,
		"fix that the lease is renewed twice": .6,
	} {
		f := score(t, question, file("a.go", []string{"lease", "renewed"}, []string{"lease", "renewed"}),
			file("b.go", []string{"paint"}))[0].Further
		if len(f) != 1 || f[0].Share != 1 || f[0].Worth != worth {
			t.Errorf("%q: %+v, want one that is worth %v", question, f, worth)
		}
	}
}

func TestAFurtherChunkKnowsWhatItDefines(t *testing.T) {
	t.Parallel()
	f := define(define(file("a.go", []string{"renewLease"}, []string{"renewLease"}), 0, "renewLease", code.KindFunc), 1,
		"RenewLease", code.KindFunc)
	got := score(t, "how to renew the lease", f)[0]
	if len(got.Further) != 1 || got.Symbol.Name != "renewLease" || got.Further[0].Symbol.Name != "RenewLease" {
		t.Errorf("got %+v", got)
	}
}

func TestWhoAsksForANameGetsFurtherChunksOnlyOfWhatDefinesIt(t *testing.T) {
	t.Parallel()
	overloads := file("a.go", []string{"AssignBerth", "ship"}, []string{"AssignBerth", "tide"})
	define(define(overloads, 0, "AssignBerth", code.KindFunc), 1, "AssignBerth", code.KindFunc)
	callers := file("b.go", []string{"AssignBerth"}, []string{"AssignBerth"})
	for _, got := range score(t, "AssignBerth", overloads, callers) {
		if want := map[int]int{0: 1, 1: 0}[got.File]; len(got.Further) != want {
			t.Errorf("file %d has %d further chunks, want %d", got.File, len(got.Further), want)
		}
	}
}
