package recall

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/lexical"
)

// Text is what is known of an item's text. It never changes.
type Text struct {
	words   []word    // sorted, each once
	marks   [4]uint64 // a bit for each word, by its hash: most words that do not stand here are told by it
	length  int       // words of the text
	speaker string    // who says it, in lower case; "": it does not tell
	said    time.Time
	asks    bool // it ends with a question mark
	tells   bool // it tells a time
}

// word is a word of a text, by its hash, and how often it stands there.
type word struct {
	hash  uint32 // half of what FNV gives: within one text two words of a question do not meet by it
	count float32
}

// headWordWeight is what a word of a text's head counts: the date of a session stands in each of its turns.
const headWordWeight = 0.5

// Read prepares a text. more are texts that belong to it: tags, paths.
func Read(text string, more ...string) *Text {
	t := &Text{}
	speaker, said, body := splitHead(text)
	t.speaker, t.said = speaker, said
	if body > 0 {
		t.add(text[:body], headWordWeight)
	}
	eachWord(text[body:], func(stem, _ string) {
		t.words = append(t.words, word{hash(stem), 1})
		t.length++
		t.tells = t.tells || isTimeWord(stem)
	})
	for _, m := range more {
		t.add(m, 1)
	}
	slices.SortFunc(t.words, func(a, b word) int { return cmp.Compare(a.hash, b.hash) })
	n := 0
	for _, w := range t.words {
		if n > 0 && t.words[n-1].hash == w.hash {
			t.words[n-1].count += w.count
			continue
		}
		t.words[n] = w
		n++
	}
	t.words = slices.Clip(t.words[:n])
	for _, w := range t.words {
		t.marks[w.hash>>6&3] |= 1 << (w.hash & 63)
	}
	end := strings.TrimRight(text[max(0, len(text)-8):], " \t\r\n\"')”")
	t.asks = strings.HasSuffix(end, "?") || strings.HasSuffix(end, "？")
	return t
}

// add adds the words of a text, unsorted.
func (t *Text) add(text string, count float32) {
	eachWord(text, func(stem, _ string) { t.words = append(t.words, word{hash(stem), count}) })
}

// count is how often a word stands in the text.
func (t *Text) count(h uint32) float32 {
	if t.marks[h>>6&3]&(1<<(h&63)) == 0 {
		return 0
	}
	low, high := 0, len(t.words)
	for low < high {
		if mid := (low + high) / 2; t.words[mid].hash < h {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low < len(t.words) && t.words[low].hash == h {
		return t.words[low].count
	}
	return 0
}

// eachWord calls yield with the words of a text, as they are compared, and the identifier that they stand in.
func eachWord(text string, yield func(stem, ident string)) {
	for from := 0; ; {
		start, end := lexical.NextIdent(text, from)
		if start == len(text) {
			return
		}
		lexical.Words(text[start:end], func(w string) { yield(baseStem(w), text[start:end]) })
		from = end
	}
}

// hash is FNV-1a, both halves in one.
func hash(s string) uint32 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return uint32(h ^ h>>32)
}
