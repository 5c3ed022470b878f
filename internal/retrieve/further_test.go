package retrieve_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/retrieve"
)

// monolith is a file of four functions that are a chunk each: the first holds the words most often, the last holds
// none.
func monolith(words string) string {
	var b strings.Builder
	b.WriteString("package harbour\n")
	for i := range 4 {
		fmt.Fprintf(&b, "\nfunc part%c() {\n", 'A'+i)
		for line := range 16 {
			said := "paint"
			if i < 3 && line%(i+1) == 0 {
				said = words
			}
			fmt.Fprintf(&b, "\tstep(%d, %q)\n", line, said+" and the rest of a line that is long enough")
		}
		b.WriteString("}\n")
	}
	return b.String()
}

func quay() map[string]string {
	return map[string]string{"quay.go": monolith("mooring lease"),
		"crane.go": "package harbour\n\n// lift looks at the mooring.\nfunc lift() {}\n",
		"paint.go": "package harbour\n\nfunc paint() {}\n"}
}

// split are an answer's first chunks of files and the further ones.
func split(r *retrieve.Reply) (first, further []retrieve.Result) {
	for _, x := range r.Results {
		if x.ShareOfBest > 0 {
			further = append(further, x)
		} else {
			first = append(first, x)
		}
	}
	return first, further
}

func TestFurtherChunksFillTheRoomAfterTheBestOfEachFile(t *testing.T) {
	b := setup(t, quay())
	room := func(k int) func(*retrieve.Request) {
		return func(r *retrieve.Request) {
			r.Gates = gates.Options{MinRelevance: gates.NoThreshold, MaxResults: k, MaxBytes: 1 << 16}
		}
	}
	for k, want := range map[int]int{1: 0, 3: 0, 4: 1, 5: 2, 9: 2} {
		r := b.ask("renew a mooring lease", room(k))
		first, further := split(r)
		if len(first) != min(k, 3) || first[0].Path != "quay.go" || len(further) != want {
			t.Fatalf("room for %d: %q, of which %d are further ones, want %d", k, paths(r), len(further), want)
		}
		if slices.ContainsFunc(r.Results[:len(first)], func(x retrieve.Result) bool { return x.ShareOfBest > 0 }) {
			t.Errorf("room for %d: a further chunk stands before a file's best", k)
		}
		last := first[0].Relevance
		for i, x := range further {
			if x.Path != "quay.go" || x.Relevance > last || x.Relevance > first[0].Relevance*x.ShareOfBest+1e-3 ||
				x.ShareOfBest < .8 || len(x.Explain) == 0 || x.Companions != nil {
				t.Errorf("%+v after a relevance of %v", x, last)
			}
			if want := fmt.Sprintf("part%c", 'B'+i); x.Symbol != want {
				t.Errorf("further chunk %d defines %q, want %q", i, x.Symbol, want)
			}
			for _, y := range append([]retrieve.Result{first[0]}, further[:i]...) {
				if x.StartLine <= y.EndLine && y.StartLine <= x.EndLine {
					t.Errorf("lines %d to %d are shown twice", x.StartLine, y.EndLine)
				}
			}
			last = x.Relevance
		}
	}
}

func TestFurtherChunksPassTheGates(t *testing.T) {
	b := setup(t, quay())
	of := func(change func(*retrieve.Request)) *retrieve.Reply {
		return b.ask("renew a mooring lease", func(r *retrieve.Request) {
			r.Gates = gates.Options{MinRelevance: gates.NoThreshold, MaxResults: 9, MaxBytes: 1 << 16, MaxChars: 120}
			change(r)
		})
	}
	all := of(func(*retrieve.Request) {})
	first, further := split(all)
	if len(further) != 2 {
		t.Fatalf("%d further chunks, want 2", len(further))
	}
	between := first[0].Relevance * (further[0].ShareOfBest + further[1].ShareOfBest) / 2
	if _, got := split(of(func(r *retrieve.Request) { r.Gates.MinRelevance = between })); len(got) != 1 {
		t.Errorf("%d further chunks from a relevance of %v on, want 1", len(got), between)
	}
	bytes := 0
	for _, x := range first {
		bytes += len(x.Snippet)
	}
	r := of(func(r *retrieve.Request) { r.Gates.MaxBytes = bytes + 20 })
	total := 0
	for _, x := range r.Results {
		total += len(x.Snippet)
	}
	if total > bytes+20 {
		t.Errorf("%d bytes of at most %d", total, bytes+20)
	}
	if r := of(func(r *retrieve.Request) { r.Gates.MaxBytes = bytes }); len(r.Results) != len(first) {
		t.Errorf("%q where only the best of each file fits", paths(r))
	}
	for _, x := range *all.Rejected {
		if x.Path == "quay.go" {
			t.Errorf("%v is rejected and served", x)
		}
	}
}

func TestFurtherChunksOfAChangedFileComeFromTheDisk(t *testing.T) {
	b := setup(t, quay())
	b.write(map[string]string{"quay.go": "// moved\n\n" + monolith("mooring lease")})
	r := b.ask("renew a mooring lease", func(r *retrieve.Request) {
		r.Gates.MaxResults, r.Gates.MinRelevance = 9, gates.NoThreshold
	})
	_, further := split(r)
	if len(further) != 2 {
		t.Fatalf("%q: %d further chunks, want 2", paths(r), len(further))
	}
	for _, x := range further {
		if x.Freshness != retrieve.Overlay {
			t.Errorf("%+v: want an overlay", x)
		}
	}
	r = b.ask("renew a mooring lease", func(r *retrieve.Request) {
		r.Gates.MaxResults, r.Gates.MinRelevance, r.Gates.Stale = 9, gates.NoThreshold, gates.Skip
	})
	rejected := 0
	for _, x := range *r.Rejected {
		if x.Path == "quay.go" {
			rejected++
		}
	}
	if len(r.Results) > 0 || rejected != 1 {
		t.Errorf("%q, and quay.go is rejected %d times", paths(r), rejected)
	}
}

func TestWhoAsksForANameGetsItsDefinitionAndNoMentions(t *testing.T) {
	files := quay()
	files["lease.go"] = "package harbour\n\n// MooringLease is one.\ntype MooringLease struct{}\n"
	files["quay.go"] = monolith("MooringLease")
	b := setup(t, files)
	r := b.ask("MooringLease", func(r *retrieve.Request) { r.Gates.MaxResults = 9 })
	if _, further := split(r); len(further) > 0 || r.Results[0].Path != "lease.go" {
		t.Errorf("%q with %d further chunks", paths(r), len(further))
	}
}
