package githist

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/code"
)

func TestWideChangesPointWeakly(t *testing.T) {
	t.Parallel()
	files := func(n int) (out []code.Path) {
		for i := range n {
			out = append(out, fmt.Sprintf("wide%02d.go", i))
		}
		return out
	}
	p := NewPart([]Note{{Text: "Renew leases", Files: files(20)},
		{Text: "Renew leases", Files: []code.Path{"lease.go"}}, {Text: "Renew leases", Files: files(31)},
		{Text: "Other"}})
	if p.Notes() != 2 {
		t.Errorf("%d notes, want those that changed 1 to %d files", p.Notes(), maxFiles)
	}
	hits := Search(terms("renew leases"), p)
	if len(hits) != 21 || hits[0].Path != "lease.go" || hits[0].Score < 4*hits[1].Score {
		t.Errorf("%v", hits[:2])
	}
	for _, h := range hits {
		if h.Score <= 0 || h.Score > 1.01 || hits.Scores()[h.Path] != h.Score {
			t.Errorf("score %+v", h)
		}
	}
}

func TestOnlyTheNewestNotesAreKept(t *testing.T) {
	t.Parallel()
	notes := make([]Note, MaxNotes+5)
	for i := range notes {
		notes[i] = Note{Text: word(i), Files: []code.Path{"a.go"}, Time: time.Unix(int64(len(notes)-i), 0)}
	}
	p := NewPart(notes)
	if p.Notes() != MaxNotes || len(Search(terms(word(0)), p)) != 1 || len(Search(terms(word(MaxNotes+1)), p)) != 0 {
		t.Errorf("%d notes", p.Notes())
	}
}

// word is a word of letters for a number.
func word(i int) string {
	w := "w"
	for ; i > 0; i /= 20 {
		w += string(rune('b' + i%20))
	}
	return w + "zz"
}

func TestWhatUsuallyChangesTogether(t *testing.T) {
	t.Parallel()
	var notes []Note
	add := func(times int, files ...code.Path) {
		for range times {
			notes = append(notes, Note{Text: "Change", Files: files})
		}
	}
	add(4, "a.go", "a_test.go")
	add(3, "a.go", "a_test.go", "doc.md")
	add(2, "a.go", "rare.go")
	got := Companions("a.go", 5, NewPart(notes), nil)
	want := []Companion{{"a_test.go", 7. / 9, 7}, {"doc.md", 3. / 9, 3}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := Companions("gone.go", 5, NewPart(notes)); len(got) != 0 {
		t.Errorf("of an unknown file: %v", got)
	}
}

func FuzzOpen(f *testing.F) {
	good := Encode([]Note{{Text: "Renew leases", Files: []code.Path{"a.go", "b.go"}},
		{Text: "Dial", Files: []code.Path{"b.go"}}})
	f.Add(good, 0, byte(0))
	f.Add(good, 40, byte(7))
	f.Fuzz(func(t *testing.T, blob []byte, at int, flip byte) {
		if len(blob) > 0 && at >= 0 {
			blob = slices.Clone(blob)
			blob[at%len(blob)] ^= flip
		}
		if len(blob) >= headerSize { // past the sum, bounds are all that protects
			writeChecksum(blob)
		}
		p, err := Open(blob)
		if err != nil {
			return
		}
		Search(terms("renew leases dial"), p)
		Companions("a.go", 3, p)
		p.decodeNotes()
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("1111111111111111111111111111111111111111\x00\x001700000000\x00Renew\n\x00\x00\nM\x00a.go\x00R100\x00b.go\x00c.go\x00"))
	f.Fuzz(func(t *testing.T, out []byte) {
		for _, c := range parse(out, "").Commits {
			if len(c.Files) != len(c.Changes) {
				t.Fatalf("%d files of %d changes", len(c.Files), len(c.Changes))
			}
		}
	})
}

func BenchmarkSearch(b *testing.B) {
	words := []string{"lease", "dial", "cache", "parse", "token", "queue", "render", "index", "timeout", "header"}
	notes := make([]Note, MaxNotes)
	for i := range notes {
		notes[i].Text = fmt.Sprintf("%s the %s of f%d\n\nBecause %s and %s were not what %s needs.", words[i%10],
			words[i/7%10], i, words[i/3%10], words[i/11%10], words[i/13%10])
		notes[i].Files = []code.Path{fmt.Sprintf("pkg%d/f%d.go", i%40, i%700), fmt.Sprintf("pkg%d/g%d.go", i%40, i%900)}
	}
	p, q := NewPart(notes), terms("renew the lease of the dial cache before the token times out")
	b.ReportAllocs()
	for b.Loop() {
		Search(q, p)
	}
}
