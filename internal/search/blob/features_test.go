package blob_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
	"github.com/contextd/contextd/internal/search/blob"
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
		}
		f.Chunks = append(f.Chunks, c)
		line += n
	}
	return f
}

// largeFile has what the small ones have not: many terms, terms that stay away for long, counts of all sizes, and
// symbols that name each other.
func largeFile(rng *rand.Rand) *code.File {
	f := &code.File{Path: "a/b.go", Language: "go"}
	terms, names, indent := 1+rng.IntN(3000), []string{"", "Pool", "New", strings.Repeat("x", 200)}, 0
	for i := range 1 + rng.IntN(400) {
		c := code.AnalyzedChunk{Chunk: code.Chunk{Span: code.Span{Start: 10*i + 1 + rng.IntN(3), End: 10*i + 3 + rng.IntN(6)}}}
		for range rng.IntN(20) {
			t := code.TermFreq{Term: lexical.Word(fmt.Sprint("w", rng.IntN(terms)))}
			if slices.ContainsFunc(c.Terms, func(have code.TermFreq) bool { return have.Term == t.Term }) {
				continue
			}
			for k := range t.TF {
				if rng.IntN(2) == 0 {
					t.TF[k] = uint16(1<<rng.IntN(17) - 1)
				}
			}
			c.Terms = append(c.Terms, t)
		}
		for k := range c.Lens {
			c.Lens[k] = rng.IntN(1 << rng.IntN(20))
		}
		for range rng.IntN(5) {
			if rng.IntN(3) == 0 {
				names = append(names, fmt.Sprint("name", len(names)))
			}
			indent = max(0, indent+rng.IntN(17)-8)
			line := c.Span.Start + rng.IntN(2)
			c.Symbols = append(c.Symbols, code.Symbol{Name: names[rng.IntN(len(names))], Kind: kinds[rng.IntN(len(kinds))], Line: line,
				End: line + rng.IntN(1<<rng.IntN(12)), Indent: indent, Parent: names[rng.IntN(len(names))]})
		}
		f.Chunks = append(f.Chunks, c)
	}
	return f
}

var kinds = []code.Kind{code.KindType, code.KindModule, code.KindFunc, code.KindValue, code.KindImpl, code.KindDecl, code.KindSection, ""}

func TestFeaturesComeBackAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		f := randomFile(rand.New(rand.NewPCG(seed, 1)))
		if seed%3 == 0 {
			f = largeFile(rand.New(rand.NewPCG(seed, 1)))
		}
		got, err := blob.DecodeFeatures(blob.EncodeFeatures(f))
		if err != nil || len(got.Chunks) != len(f.Chunks) {
			t.Fatalf("seed %d: %v, %d chunks", seed, err, len(got.Chunks))
		}
		if !slices.IsSorted(got.Terms) {
			t.Fatalf("seed %d: terms out of order", seed)
		}
		for i, c := range got.Chunks {
			want := f.Chunks[i]
			if c.Span != want.Span || c.Lens != want.Lens || !slices.Equal(c.Symbols, want.Symbols) || len(c.Postings) != len(want.Terms) {
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

// Two terms of a chunk may share an id: their counts add up, and neither is lost.
func TestTermsOfOneIDBecomeOne(t *testing.T) {
	t.Parallel()
	word := lexical.Word("berth")
	counts := func(body, defs uint16) code.TermFreq {
		return code.TermFreq{Term: word, TF: [code.NumFields]uint16{code.Body: body, code.Defs: defs}}
	}
	f := &code.File{Chunks: []code.AnalyzedChunk{
		{Chunk: code.Chunk{Span: code.Span{Start: 1, End: 9}}, Terms: []code.TermFreq{counts(1, 0), counts(2, 1), counts(65_534, 0)}},
		{Chunk: code.Chunk{Span: code.Span{Start: 10, End: 19}}, Terms: []code.TermFreq{counts(3, 3)}},
	}}
	got, err := blob.DecodeFeatures(blob.EncodeFeatures(f))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []code.TermFreq{counts(65_535, 1), counts(3, 3)} {
		if p := got.Chunks[i].Postings; len(p) != 1 || p[0].TF != want.TF {
			t.Errorf("chunk %d has %v, want %v", i, p, want.TF)
		}
	}
}

func TestNamesAndParentsAreStoredOnce(t *testing.T) {
	t.Parallel()
	f := &code.File{}
	for i := range 3 {
		c := code.AnalyzedChunk{Chunk: code.Chunk{Span: code.Span{Start: i + 1, End: i + 1}}}
		for _, s := range [][2]string{{"Harbour", ""}, {"Berth", "Harbour"}, {"Quay", "Port"}, {"Crane", "Port"}, {"Berth", "Harbour"}, {"Port", "Quay"}} {
			c.Symbols = append(c.Symbols, code.Symbol{Name: s[0], Parent: s[1], Kind: code.KindFunc, Line: i + 1, End: i + 1})
		}
		f.Chunks = append(f.Chunks, c)
	}
	packed := string(blob.EncodeFeatures(f))
	for name, want := range map[string]int{"Harbour": 1, "Berth": 1, "Quay": 1, "Crane": 1, "Port": 2} { // a parent does not lend a name
		if n := strings.Count(packed, name); n != want {
			t.Errorf("%s stands %d times in the blob, want %d", name, n, want)
		}
	}
}

func TestBlobsOfOtherVersionsAreRefused(t *testing.T) {
	t.Parallel()
	packed := blob.EncodeFeatures(largeFile(rand.New(rand.NewPCG(1, 6))))
	for _, v := range []byte{0, 1, 2, 3, 5, 255} {
		packed[0] = v
		_, all := blob.DecodeFeatures(packed)
		_, some := blob.LookupFeatures(packed, []code.TermID{1})
		terms := blob.ChunkTerms(string(packed), nil, nil)
		for _, err := range []error{all, some, terms} {
			if !errors.Is(err, blob.ErrFeatures) || !strings.Contains(err.Error(), "want version 4") {
				t.Errorf("version %d: %v", v, err)
			}
		}
	}
}

// A blob that ends early has lost something, wherever it is cut.
func TestBlobsThatAreCutShortAreRefused(t *testing.T) {
	t.Parallel()
	packed := blob.EncodeFeatures(randomFile(rand.New(rand.NewPCG(8, 1))))
	for n := range packed {
		if f, err := blob.DecodeFeatures(packed[:n]); !errors.Is(err, blob.ErrFeatures) {
			t.Errorf("%d of %d bytes: %+v, %v", n, len(packed), f, err)
		}
	}
}

func TestLookupGivesThePostingsOfTheWantedTermsOnly(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		packed := blob.EncodeFeatures(randomFile(rand.New(rand.NewPCG(seed, 2))))
		all, _ := blob.DecodeFeatures(packed)
		want := []code.TermID{lexical.Word("w7").ID, lexical.Word("absent").ID, lexical.Word("w3").ID}
		some, err := blob.LookupFeatures(packed, want)
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
		f.Add(blob.EncodeFeatures(randomFile(rand.New(rand.NewPCG(seed, 3)))))
		f.Add(blob.EncodeFeatures(largeFile(rand.New(rand.NewPCG(seed, 3)))))
	}
	f.Fuzz(func(t *testing.T, packed []byte) {
		for _, want := range [][]code.TermID{nil, {}, {1, 1 << 30, lexical.Word("w3").ID, 1<<40 - 1, 1<<40 + 1, 1}} {
			f, err := blob.LookupFeatures(packed, want)
			if want == nil {
				f, err = blob.DecodeFeatures(packed)
			}
			if err != nil {
				if !errors.Is(err, blob.ErrFeatures) {
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

func TestALookupReadsManyFilesAsOneByOne(t *testing.T) {
	t.Parallel()
	l := blob.NewLookup(nil)
	for use := range uint64(8) {
		want := []code.TermID{lexical.Word(fmt.Sprint("w", use)).ID, lexical.Word("absent").ID, lexical.Word("w3").ID}
		l.Reset(want)
		var got, alone []*blob.Features
		for seed := range uint64(60) {
			packed := string(blob.EncodeFeatures(randomFile(rand.New(rand.NewPCG(seed, use)))))
			f, err := l.Read(packed)
			one, oneErr := blob.LookupFeatures(packed, want)
			if err != nil || oneErr != nil {
				t.Fatal(err, oneErr)
			}
			if _, err := l.Read(packed[:len(packed)/2]); err == nil && len(packed) > 4 {
				t.Fatal("half a blob is read")
			}
			got, alone = append(got, f), append(alone, one)
		}
		if !reflect.DeepEqual(got, alone) {
			t.Fatalf("use %d: %+v, want %+v", use, got, alone)
		}
	}
}
