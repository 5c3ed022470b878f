package tokens

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tiktoken-go/tokenizer"
)

// library is what the library itself says of a text, in the library's own pieces.
func library(t testing.TB, encoding, text string) int {
	t.Helper()
	c, err := tokenizer.Get(tokenizer.Encoding(encoding))
	if err != nil {
		t.Fatal(err)
	}
	n, err := c.Count(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func counter(t testing.TB, encoding string) *Counter {
	t.Helper()
	c, err := For(encoding)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var tricky = []string{"", "a", " ", "\n", "Hello, world", "don't we'LL they'Re 'S 'ſ it'ſ x'l y'r",
	"ABCdef ABC defABC aB", "HTTPServer2xx 1234567 ١٢٣٤",
	"  two  spaces\n\n\n   \tx \r\n y\n", "   ", "x   ", "a \u00a0\u2003 b", "//// /=/\n/x ```go\n```\n",
	"日本語テキスト。漢字カナ", "ภาษาไทย é e\u0301 \u0301\u0301x \u0301A",
	"ǅungla ʰʰA Aʰ aʰA אבA Aא aאB", "👩\u200d🚀 ❤\ufe0f", "\u0085\u2028\n\u2029x", "\xff\xfea\xc3", "<|endoftext|>",
	"ⅫⅫ½½²²", "_a __B -c -D", "\u200b\u200bz",
	"A\u0301\u0301B", "=\u0301x", "'\u0301s", "'sS", "'ll'll"}

func TestCountsAreThoseOfTheLibrary(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	texts := tricky
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(data))
	}
	for _, name := range Encodings() {
		c := counter(t, name)
		for _, text := range texts {
			for range 2 { // the second time from the caches
				if got, want := c.Count(text), library(t, name, text); got != want {
					t.Errorf("%s: %.60q has %d tokens, the library says %d", name, text, got, want)
				}
			}
		}
	}
}

func FuzzCountsAreThoseOfTheLibrary(f *testing.F) {
	for _, s := range tricky {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > maxBlank {
			text = text[:maxBlank] // below every limit: exact
		}
		for _, name := range Encodings() {
			got, want := counter(t, name).Count(text), library(t, name, string([]rune(text)))
			if exact := !strings.Contains(text, "\x7f"); got != want && (exact || got < want) {
				t.Fatalf("%s: %q has %d tokens, the library says %d", name, text, got, want)
			}
		}
	})
}

func TestPublishedCounts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text          string
		o200k, cl100k int
	}{{"hello world", 2, 2}, {"tiktoken is great!", 6, 6}, {"お誕生日おめでとう", 8, 9}, {"2 + 2 = 4", 7, 7}} {
		if got := counter(t, "o200k_base").Count(tt.text); got != tt.o200k {
			t.Errorf("o200k_base: %q has %d tokens, want %d", tt.text, got, tt.o200k)
		}
		if got := counter(t, "cl100k_base").Count(tt.text); got != tt.cl100k {
			t.Errorf("cl100k_base: %q has %d tokens, want %d", tt.text, got, tt.cl100k)
		}
	}
}

func TestAnUnknownEncodingNamesTheKnownOnes(t *testing.T) {
	t.Parallel()
	_, err := For("gpt-9")
	if err == nil || err.Error() != `encoding "gpt-9" is not known: want cl100k_base or o200k_base` {
		t.Error(err)
	}
	if c := counter(t, ""); c.Encoding() != Default {
		t.Errorf("the default is %s", c.Encoding())
	}
}

// A megabyte of anything is counted without giving up a budget: never below the truth. (The library takes hours for the
// third.)
func TestHostileTextIsAnUpperBound(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"a", "A", " \n", "\r\n\t", "=", "語", "\u0301", "ab\n", "\xff", "x ", " ", "0"} {
		text := strings.Repeat(unit, 1<<20/len(unit))
		for _, name := range Encodings() {
			c := counter(t, name)
			n := c.Count(text)
			if n <= 0 || n > 3*len(text) {
				t.Errorf("%s: a megabyte of %q has %d tokens", name, unit, n)
			}
			// The pieces of the first 8 KB are cut as those of the whole: by the library they are no more.
			if part := text[:min(len(text), 8<<10)]; !strings.ContainsAny(unit, "\n") {
				if got, want := c.Count(part), library(t, name, string([]rune(part))); got < want {
					t.Errorf("%s: %q ×: counted %d, the library says %d", name, unit, got, want)
				}
			}
		}
	}
}

func TestCachesStayBounded(t *testing.T) {
	t.Parallel()
	c := &Counter{name: Default, split: splitO200k, load: counters[1].load}
	tail := strings.Repeat(" and so on", 30)
	for i := range 2*maxTexts + 10 {
		c.Count(fmt.Sprint("text ", i, tail))
	}
	if n := c.texts.Len(); n > maxTexts || n < maxTexts/2 {
		t.Errorf("%d texts remembered, want up to %d", n, maxTexts)
	}
	words := make([]string, 0, maxMemo+10)
	for i := range maxMemo + 10 {
		b := []byte("word")
		for n := i; n > 0; n /= 26 {
			b = append(b, byte('a'+n%26))
		}
		words = append(words, string(b))
	}
	for part := range slices.Chunk(words, 1000) {
		c.Count(strings.Join(part, " "))
	}
	if len(c.memo) > maxMemo || len(c.memo) == 0 {
		t.Errorf("%d pieces remembered, want up to %d", len(c.memo), maxMemo)
	}
}

func TestManyCountAtOnce(t *testing.T) {
	t.Parallel()
	c := &Counter{name: Default, split: splitO200k, load: counters[1].load}
	want := counter(t, Default).Count(strings.Join(tricky, "|"))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				if got := c.Count(strings.Join(tricky, "|")); got != want {
					t.Errorf("%d, want %d", got, want)
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkCount(b *testing.B) {
	data, err := os.ReadFile("counter.go")
	if err != nil {
		b.Fatal(err)
	}
	text, c := string(data), counter(b, "")
	c.Count(text)
	b.Run("new", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			c.count(text)
		}
	})
	b.Run("known", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			c.Count(text)
		}
	})
	b.Run("library", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			library(b, Default, text)
		}
	})
	b.Run("load", func(b *testing.B) {
		for b.Loop() {
			counters[1].load() // all but the vocabulary, which a process makes once
		}
	})
}
