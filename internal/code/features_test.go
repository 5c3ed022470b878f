package code_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
)

func randomFile(rng *rand.Rand) *code.File {
	f := &code.File{Path: "a/b.go", Language: "go"}
	line := 1
	for range rng.IntN(6) {
		n := 1 + rng.IntN(40)
		c := code.AnalyzedChunk{Chunk: code.Chunk{Span: code.Span{Start: line, End: line + n - 1}}}
		for _, k := range rng.Perm(50)[:rng.IntN(30)] {
			t := code.TermFreq{Term: lexical.Word(fmt.Sprint("w", k))}
			t.TF[rng.IntN(int(code.NumFields))] = 1 + uint16(rng.IntN(3))
			t.TF[code.Body] += uint16(rng.IntN(2))
			c.Terms = append(c.Terms, t)
			c.Lens[code.Body] += int(t.TF[code.Body])
		}
		for k := range rng.IntN(3) {
			c.Symbols = append(c.Symbols, code.Symbol{Name: fmt.Sprint("Größe", k), Kind: code.KindFunc, Line: line + rng.IntN(n), End: line + n + 7, Indent: 4, Parent: "P"})
			c.Names = append(c.Names, lexical.Name(fmt.Sprint("grose", k)))
		}
		f.Chunks = append(f.Chunks, c)
		line += n
	}
	return f
}

func TestFeaturesComeBackAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		f := randomFile(rand.New(rand.NewPCG(seed, 1)))
		got, err := code.DecodeFeatures(code.EncodeFeatures(f))
		if err != nil || len(got.Chunks) != len(f.Chunks) {
			t.Fatalf("seed %d: %v, %d chunks", seed, err, len(got.Chunks))
		}
		for i, c := range got.Chunks {
			want := f.Chunks[i]
			if c.Span != want.Span || c.Lens != want.Lens || !slices.Equal(c.Symbols, want.Symbols) || len(c.Names) != len(want.Names) {
				t.Fatalf("seed %d chunk %d: %+v, want %+v", seed, i, c, want)
			}
			tf := map[code.TermID][code.NumFields]uint16{}
			for _, p := range c.Postings {
				tf[got.Terms[p.Term]] = p.TF
			}
			for _, w := range want.Terms {
				if tf[w.Term.ID] != w.TF {
					t.Fatalf("seed %d chunk %d term %q: %v, want %v", seed, i, w.Term.Text, tf[w.Term.ID], w.TF)
				}
			}
		}
	}
}

func TestLookupGivesThePostingsOfTheWantedTermsOnly(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		blob := code.EncodeFeatures(randomFile(rand.New(rand.NewPCG(seed, 2))))
		all, _ := code.DecodeFeatures(blob)
		want := []code.TermID{lexical.Word("w7").ID, lexical.Word("absent").ID, lexical.Word("w3").ID}
		some, err := code.LookupFeatures(blob, want)
		if err != nil {
			t.Fatal(err)
		}
		for i := range all.Chunks {
			a, s := map[code.TermID][code.NumFields]uint16{}, map[code.TermID][code.NumFields]uint16{}
			for _, p := range all.Chunks[i].Postings {
				if id := all.Terms[p.Term]; slices.Contains(want, id) {
					a[id] = p.TF
				}
			}
			for _, p := range some.Chunks[i].Postings {
				s[some.Terms[p.Term]] = p.TF
			}
			if !reflect.DeepEqual(a, s) {
				t.Fatalf("seed %d chunk %d: %v, want %v", seed, i, s, a)
			}
		}
	}
}

func FuzzDecodeFeatures(f *testing.F) {
	for seed := range uint64(5) {
		f.Add(code.EncodeFeatures(randomFile(rand.New(rand.NewPCG(seed, 3)))))
	}
	f.Fuzz(func(t *testing.T, blob []byte) {
		for _, want := range [][]code.TermID{nil, {}, {1, 2}} {
			f, err := code.LookupFeatures(blob, want)
			if want == nil {
				f, err = code.DecodeFeatures(blob)
			}
			if err != nil {
				if !errors.Is(err, code.ErrFeatures) {
					t.Fatal(err)
				}
				continue
			}
			line := 0 // whoever shows a chunk indexes lines by its span
			for i, c := range f.Chunks {
				if c.Span.Start <= line || c.Span.End < c.Span.Start {
					t.Fatalf("chunk %d spans %v behind line %d", i, c.Span, line)
				}
				line = c.Span.End
				for _, p := range c.Postings {
					if p.Term < 0 || p.Term >= len(f.Terms) {
						t.Fatalf("chunk %d has term %d of %d", i, p.Term, len(f.Terms))
					}
				}
				for _, s := range c.Symbols {
					if s.Line < c.Span.Start || s.End < s.Line {
						t.Fatalf("chunk %d at %v defines %+v", i, c.Span, s)
					}
				}
			}
		}
	})
}

func TestProjectIDsAreCheckedAndMade(t *testing.T) {
	t.Parallel()
	for id, ok := range map[string]bool{"web": true, "A.b_c-9": true, "": false, ".x": false, "-a": false, "a b": false, "a/b": false, "é": false, "a\n": false} {
		if err := code.CheckProjectID(id); (err == nil) != ok {
			t.Errorf("CheckProjectID(%q) = %v", id, err)
		}
	}
	for root, start := range map[string]string{"/x/my app+x": "my-app-x-", "/x/.hidden": "hidden-", "/x/日本": "root-", "/x/_-": "root-"} {
		id := code.DefaultProjectID(root)
		if len(id) != len(start)+8 || id[:len(start)] != start || code.CheckProjectID(id) != nil {
			t.Errorf("DefaultProjectID(%q) = %q", root, id)
		}
	}
}

// What a Lookup reads stays good while it reads other files, and owes nothing to what it read before a Reset.
func TestALookupReadsManyFilesAsOneByOne(t *testing.T) {
	t.Parallel()
	l := code.NewLookup(nil)
	for use := range uint64(8) {
		want := []code.TermID{lexical.Word(fmt.Sprint("w", use)).ID, lexical.Word("absent").ID, lexical.Word("w3").ID}
		l.Reset(want)
		var got, alone []*code.Features
		for seed := range uint64(60) {
			blob := string(code.EncodeFeatures(randomFile(rand.New(rand.NewPCG(seed, use)))))
			f, err := l.Read(blob)
			one, oneErr := code.LookupFeatures(blob, want)
			if err != nil || oneErr != nil {
				t.Fatal(err, oneErr)
			}
			if _, err := l.Read(blob[:len(blob)/2]); err == nil && len(blob) > 4 {
				t.Fatal("half a blob is read")
			}
			got, alone = append(got, f), append(alone, one)
		}
		if !reflect.DeepEqual(got, alone) {
			t.Fatalf("use %d: %+v, want %+v", use, got, alone)
		}
	}
}
