package static

import (
	"bytes"
	"flag"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write code-static.index")

func TestWordsAreThoseOfTraining(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{"getUserById", "get user by id"},
		{"HTTPServer", "http server"},
		{"parseHTTPResponse2xx", "parse http response 2 xx"},
		{"SCREAMING_SNAKE", "screaming snake"},
		{"iOSVersion", "os version"},
		{"sha256sum", "sha 256 sum"},
		{"a1B2", "1 2"},
		{"IPv6", "pv 6"},
		{"2fa", "fa"},
		{"naïve", "na ve"},
		{"__init__ _ x", "init"},
		{"42 0x1F", "1"},
		{"ABc", "bc"},
		{"", ""},
	} {
		if got := strings.Join(Words(c.in), " "); got != c.want {
			t.Errorf("words of %q are %q, want %q", c.in, got, c.want)
		}
	}
}

func TestLoadPadsWithZeros(t *testing.T) {
	t.Parallel()
	const text = "abcdefghijklmnopqrstuvwxyz"
	for start := range text {
		for n := 0; n <= min(16, len(text)-start); n++ {
			var b [16]byte
			copy(b[:], text[start:start+n])
			lo, hi := load(text, start, n)
			if lo != le64(string(b[:8])) || hi != le64(string(b[8:])) {
				t.Errorf("load %d bytes at %d: %x %x", n, start, lo, hi)
			}
		}
	}
}

// Each word of the vocabulary has its own row, in any case of letters.
func TestEveryWordIsFound(t *testing.T) {
	t.Parallel()
	e := fresh(t)
	ix := &e.words
	words := strings.Split(string(e.table.words), "\n")
	if len(words) != 38224 || e.table.rows != len(words) {
		t.Fatalf("%d words for %d rows, want 38224", len(words), e.table.rows)
	}
	for row, w := range words {
		for _, s := range []string{w, strings.ToUpper(w), "(" + w} {
			if got := ix.lookup(s, len(s)-len(w), len(s)); got != row {
				t.Fatalf("row of %q is %d, want %d", s, got, row)
			}
		}
		if s := e.table.scale(uint32(row)); !(s > 0) || math.IsInf(s, 0) {
			t.Fatalf("scale of %q is %v", w, s)
		}
	}
	for _, w := range []string{"zzqxv", "theif", strings.Repeat("a", 500)} {
		if got := ix.lookup(w, 0, len(w)); got != -1 {
			t.Errorf("row of %q is %d", w, got)
		}
	}
}

// Run with -update after the table or hash has changed.
func TestIndexBelongsToTheTable(t *testing.T) {
	table, err := parseTable(tableFile)
	if err != nil {
		t.Fatal(err)
	}
	want := buildIndex(table)
	if *update {
		if err := os.WriteFile("code-static.index", want, 0o644); err != nil {
			t.Fatal(err)
		}
	} else if !bytes.Equal(indexFile, want) {
		t.Error("code-static.index was made from another table: run this test with -update")
	}
}

// The whole-number arithmetic holds the plain formula, also where lanes are fullest.
func TestSumIsTheFormula(t *testing.T) {
	t.Parallel()
	e := fresh(t)
	all := make([]term, e.table.rows)
	for i := range all {
		all[i] = term{uint32(i), uint32(i%7 + 1)}
	}
	for _, terms := range [][]term{all[:1], {{3, 1 << 31}, {9, 1}}, all[100:400], all, nil} {
		var want [Dims]float64
		square := 0.0
		for d := range want {
			for _, w := range terms {
				want[d] += math.Sqrt(float64(w.count)) * e.table.scale(w.row) * float64(int8(e.table.row(w.row)[d]))
			}
			square += want[d] * want[d]
		}
		var got [Dims]float32
		sum(e.table, terms, &got)
		for d := range want {
			if w := want[d] / max(math.Sqrt(square), 1e-9); math.Abs(w-float64(got[d])) > 2e-4 {
				t.Fatalf("%d terms: dimension %d is %v, want %v", len(terms), d, got[d], w)
			}
		}
	}
}

func TestDamagedTableIsRefused(t *testing.T) {
	t.Parallel()
	set := func(at int, b byte) []byte {
		d := slices.Clone(tableFile[:header])
		d[at] = b
		return append(d, tableFile[header:]...)
	}
	for name, data := range map[string][]byte{
		"empty": nil, "header only": tableFile[:header], "short": tableFile[:len(tableFile)-1],
		"long":  append(slices.Clone(tableFile), 0),
		"magic": set(0, 'X'), "rows": set(7, 255),
		"no rows": bytes.Join([][]byte{tableFile[:4], make([]byte, 4), tableFile[8:]}, nil),
		"dims":    set(8, 1), "bits": set(12, 4), "words": set(19, 255),
	} {
		if _, err := parseTable(data); err == nil || !strings.HasPrefix(err.Error(), "read embedding table: want ") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	table := fresh(t).table
	for _, data := range [][]byte{nil, indexFile[1:], append(indexFile[:len(indexFile)-1:len(indexFile)-1], 9)} {
		if _, err := parseIndex(data, table); err == nil ||
			!strings.HasPrefix(err.Error(), "read embedding index: want ") {
			t.Errorf("index of %d bytes: error %v", len(data), err)
		}
	}
}

// Identifiers that push each other out of the cache, do not fit a slot or are too long for one count like others.
func TestCacheChangesNothing(t *testing.T) {
	t.Parallel()
	s := fresh(t).get()
	words := strings.Split(string(s.vocabulary), "\n")
	var b strings.Builder
	for i := range 3 * cacheSlots {
		w := words[i%len(words)]
		b.WriteString(w + " " + w + "_1 get_a1b2c3d4 " + w + "VeryLongIdentifierOfManyWords ")
	}
	text := b.String() + b.String()
	s.text(text)
	want := map[int]uint32{}
	for _, w := range Words(text) {
		if row := s.lookup(w, 0, len(w)); row >= 0 {
			want[row]++
		}
	}
	for row, n := range s.count {
		if n != want[row] {
			t.Fatalf("%q counts %d, want %d", words[row], n, want[row])
		}
	}
	var v [Dims]float32
	s.flush(&v)
	if slices.Max(s.count) != 0 || len(s.terms) != 0 {
		t.Error("counts are left after flush")
	}
}
