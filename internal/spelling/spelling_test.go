package spelling

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/costtest"
)

func dictionary(words ...string) []byte { return []byte(strings.Join(words, "\n")) }

func TestTheNearestWordIsTheOneMeant(t *testing.T) {
	t.Parallel()
	words := Words(dictionary("connectivity", "berth", "filesystem", "lamp", "lantern", "mooring", "moorings", "ordering", "ordinal", "partition", "partitions",
		"petition", "quay", "tide", "tidal", "working"))
	for _, c := range []struct {
		word string
		want []string
	}{
		{"partiton", []string{"partition"}},                 // a letter left out
		{"partittion", []string{"partition", "partitions"}}, // one put in; from 9 letters on two mistakes
		{"orderng", []string{"ordering"}},
		{"workign", []string{"working"}}, // neighbours changed places
		{"owrking", []string{"working"}}, // the first two
		{"bertg", []string{"berth"}},     // another letter
		{"conectivty", []string{"connectivity"}},
		{"filesystm", []string{"filesystem"}},
		{"moorin", []string{"mooring"}},
		{"tidd", []string{"tide"}},
		{"borking", nil},                  // begins otherwise
		{"wrkign", nil},                   // two mistakes in a short word
		{"mooring", []string{"moorings"}}, // never itself
		{"tid", nil},                      // too short
		{"Workign", nil},                  // not in lower case
		{"lantern9", nil},                 // no word
		{"", nil},
		{strings.Repeat("a", 41), nil},
	} {
		if got := Nearest(words, c.word, 5); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.word, got, c.want)
		}
	}
}

func TestTheNearestComeInOneOrder(t *testing.T) {
	t.Parallel()
	words := []string{"mooringer", "hooring", "mooringly", "boorings", "moorinng", "moorimgs", "moorings", "mxorings", "moor"}
	want := []string{"moorings", "moorinng"}
	for range 20 {
		rand.Shuffle(len(words), func(i, k int) { words[i], words[k] = words[k], words[i] })
		if got := Nearest(slices.Values(words), "mooring", 9); !slices.Equal(got, want) {
			t.Fatalf("%q of %q", got, words)
		}
		if got := Nearest(slices.Values(words), "moorinngs", 3); !slices.Equal(got, []string{"moorinng", "moorings", "moorimgs"}) {
			t.Fatalf("%q of %q", got, words)
		}
	}
	if got := Nearest(slices.Values([]string{"evaluate", "evaluator"}), "evaluatr", 2); got[0] != "evaluator" {
		t.Errorf("what ends alike comes after: %q", got)
	}
	if got := Nearest(slices.Values(words), "mooring", 1); !slices.Equal(got, want[:1]) {
		t.Errorf("one: %q", got)
	}
}

func TestADictionaryHasTheWordsOfNamesOnce(t *testing.T) {
	t.Parallel()
	var s Set
	for _, name := range []string{"AssignBerth", "assign_quay", "HTTPServer2Go", "x", "größe", "tide", strings.Repeat("ab", 100)} {
		s.AddName(name)
	}
	s.AddWholeName("QuayLease")
	s.AddWholeName(strings.Repeat("Quay", 11))
	d, grew := s.MergeInto(nil)
	if want := "assign\nberth\nhttp\nquay\nquaylease\nserver\ntide"; string(d) != want || !grew {
		t.Errorf("%q, want %q", d, want)
	}
	if again, grew := s.MergeInto(d); grew || &again[0] != &d[0] {
		t.Errorf("the same words make it grow: %q", again)
	}
	var more Set
	more.AddName("berth_anchor")
	if d, grew = more.MergeInto(d); !grew || string(d) != "anchor\nassign\nberth\nhttp\nquay\nquaylease\nserver\ntide" {
		t.Errorf("grown: %q", d)
	}
	if d, _ = more.MergeInto([]byte("Zebra\n\x1b[31m\nquay\nquay\n\nx")); string(d) != "anchor\nberth\nquay" {
		t.Errorf("of a damaged one: %q", d)
	}
}

// numbered are n distinct words of 8 letters.
func numbered(n int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range n {
			b := []byte("qaaaaaaa")
			for k := len(b) - 1; i > 0; k, i = k-1, i/26 {
				b[k] = 'a' + byte(i%26)
			}
			if !yield(string(b)) {
				return
			}
		}
	}
}

func TestADictionaryStaysWithinItsBounds(t *testing.T) {
	t.Parallel()
	var s Set
	for w := range numbered(maxWords + 1000) {
		s.AddName(w)
	}
	d, _ := s.MergeInto(dictionary("lantern"))
	n := 0
	for range Words(d) {
		n++
	}
	if n != maxWords || len(d) > maxBytes || !strings.HasPrefix(string(d), "lantern\n") {
		t.Errorf("%d words in %d bytes", n, len(d))
	}
	var long Set
	for i := range maxBytes / 30 {
		long.add(fmt.Sprintf("%s%s", strings.Repeat("z", 32), strings.NewReplacer("0", "a", "1", "b", "2", "c", "3", "d", "4", "e", "5", "f", "6", "g", "7", "h", "8", "i", "9", "j").Replace(fmt.Sprintf("%06d", i))))
	}
	if d, _ := long.MergeInto(nil); len(d) > maxBytes || len(d) < maxBytes-100 {
		t.Errorf("%d bytes", len(d))
	}
}

func TestALookUpEndsAtItsBound(t *testing.T) {
	t.Parallel()
	looks := 0
	endless := func(yield func(string) bool) {
		for yield("lamps") {
			looks++
		}
	}
	if got := Nearest(endless, "lampe", 3); !slices.Equal(got, []string{"lamps"}) || looks != maxCompared {
		t.Errorf("%q after %d words", got, looks)
	}
}

func TestALookUpIsLinearInTheDictionary(t *testing.T) {
	t.Parallel()
	look := func(n int) func() {
		words := slices.Collect(numbered(n))
		return func() { Nearest(slices.Values(words), "qaabaaac", 5) }
	}
	costtest.Linear(t, "a look into 30,000 words", 12, 0, look(30_000), look(120_000))
}

// naive is the distance by the whole table.
func naive(a, b string) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		d[i][0] = i
	}
	for k := range d[0] {
		d[0][k] = k
	}
	for i := 1; i <= len(a); i++ {
		for k := 1; k <= len(b); k++ {
			same := 1
			if a[i-1] == b[k-1] {
				same = 0
			}
			d[i][k] = min(d[i-1][k]+1, d[i][k-1]+1, d[i-1][k-1]+same)
			if i > 1 && k > 1 && a[i-1] == b[k-2] && a[i-2] == b[k-1] {
				d[i][k] = min(d[i][k], d[i-2][k-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}

func FuzzTheNearestAreThoseOfTheWholeTable(f *testing.F) {
	f.Add("partiton", "partition\npetition\nparting")
	f.Add("abababababab", "babababababa\nabababababba\nbaababababab\nabab")
	f.Add("aaaaaaaaa", "aaaaaaa\naaaaaaaaaaa\nAAAA\n\x00\xff\naaaaaaaab")
	f.Fuzz(func(t *testing.T, word, list string) {
		if len(list) > 4000 {
			return
		}
		words := strings.Split(list, "\n")
		got := Nearest(slices.Values(words), word, len(words))
		var want []string
		for _, w := range words {
			within := 1
			if len(word) >= longLetters {
				within = 2
			}
			if isWord(word) && isWord(w) && w != word && beginsLike(w, word) && !slices.Contains(want, w) && naive(w, word) <= within {
				want = append(want, w)
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%q in %q: %q, want %q in some order", word, words, got, want)
		}
		for i, w := range got {
			if !slices.Contains(want, w) || i > 0 && naive(got[i-1], word) > naive(w, word) {
				t.Fatalf("%q in %q: %q, want %q by distance", word, words, got, want)
			}
		}
	})
}
