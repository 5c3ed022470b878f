package redisearch

import (
	"bytes"
	"testing"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
)

// TestAWordCountsAsOftenAsTheWeightsOfItsFieldsAddUpTo: in both forms, and at most maxRepeat times.
func TestAWordCountsAsOftenAsTheWeightsOfItsFieldsAddUpTo(t *testing.T) {
	t.Parallel()
	for _, f := range []form{wide, compact} {
		for n := range 130 {
			c := &code.AnalyzedChunk{Names: []code.Term{lexical.Name("parse")}, Terms: []code.TermFreq{{Term: lexical.Word("parse"),
				TF: [code.NumFields]uint16{code.Body: uint16(n)}}}}
			var w words
			w.appendTerms(c, f.weights())
			word, name := shortTerm(c.Terms[0].Term), shortTerm(c.Names[0])
			got, names := 0, 0
			for i, weight := range f.weights() {
				got += weight * bytes.Count(w[i], append(word[:], ' '))
				names += weight * bytes.Count(w[i], append(name[:], ' '))
			}
			if got != min(n, maxRepeat) || names != 1 {
				t.Errorf("form %q: %d words count %d times, its name %d times", f, n, got, names)
			}
		}
	}
}

// TestShortTermsAreWordsToAllServers: a letter, then letters and digits, and never the same for two terms of a project.
func TestShortTermsAreWordsToAllServers(t *testing.T) {
	t.Parallel()
	known := map[[6]byte]string{}
	for a := range 26 {
		for b := range 26 {
			for d := range 10 {
				word := string([]byte{'a' + byte(a), 'a' + byte(b), 'a' + byte(d)})
				short := shortTerm(lexical.Word(word))
				for i, c := range short {
					if !(c >= 'a' && c <= 'z' || i > 0 && c >= '0' && c <= '9') {
						t.Fatalf("%q is %q", word, short)
					}
				}
				if other, twice := known[short]; twice {
					t.Errorf("%q and %q are both %q", word, other, short)
				}
				known[short] = word
			}
		}
	}
}
