package tokens

import (
	"strings"
	"testing"
	"unicode/utf8"
)

const lamp = `func (k *Keeper) Light(lamp *Lamp) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if lamp == nil {
		return errNoLamp
	}
	for _, w := range lamp.wicks {
		trim(w)
	}
	oil := k.store.Oil(lamp.Size)
	lamp.fill(oil)
	return lamp.strike()
}
`

const story = `The harbour has two lamps. The first one burns oil. Nobody knows who built the second. It was rebuilt after the storm.
The oil comes by ship every spring. A keeper trims the wick at night.`

func TestCompress(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text, query, want string
		form                    Form
		hard                    float64
	}{
		{"nothing is asked", lamp, "oil", lamp, Code, 0},
		{"code: the signature and the lines that match", lamp, "where does the oil come from",
			`func (k *Keeper) Light(lamp *Lamp) error {
	… 8 lines
	oil := k.store.Oil(lamp.Size)
	lamp.fill(oil)
	… 2 lines
`, Code, .6},
		{"code: at the hardest the signature alone", lamp, "",
			"func (k *Keeper) Light(lamp *Lamp) error {\n\t… 12 lines\n", Code, 1},
		{"prose: sentences that match, in their order", story, "oil of the ship",
			"The harbour has two lamps. The first one burns oil. … The oil comes by ship every spring. …", Prose, .5},
		{"prose: at the hardest the best sentence", story, "ship", "… The oil comes by ship every spring. …", Prose, 1},
		{"one line cannot be shortened", "x := 1", "", "x := 1", Code, 1},
		{"logs: both ends", "start\na\nb\nc\nd\ne\nf\ng\nh\npanic: it broke\nend of it", "",
			"start\n… 8 lines\npanic: it broke\nend of it", Log, .3},
	} {
		got, ratio := Compress(tt.text, tt.form, WordsOf(tt.query), tt.hard)
		if got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, tt.want)
		}
		if want := float64(len(got)) / float64(len(tt.text)); ratio != want {
			t.Errorf("%s: ratio %v, want %v", tt.name, ratio, want)
		}
	}
}

func FuzzCompressNeverGrowsAndRepeatsItself(f *testing.F) {
	f.Add(lamp, "oil", .5, true)
	f.Add(story, "ship", .9, false)
	f.Add("\n\n \n", "x", 1., true)
	f.Fuzz(func(t *testing.T, text, query string, hard float64, code bool) {
		form := Prose
		if code {
			form = Code
		}
		words := WordsOf(query)
		got, ratio := Compress(text, form, words, hard)
		again, _ := Compress(text, form, words, hard)
		if len(got) > len(text) || got != again || ratio > 1 || ratio < 0 {
			t.Fatalf("%q became %q, then %q, ratio %v", text, got, again, ratio)
		}
		if utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Fatalf("%q became %q", text, got)
		}
		for line := range strings.SplitSeq(got, "\n") {
			if code && !strings.Contains(text, line) && !strings.Contains(line, "… ") {
				t.Fatalf("line %q is not of %q", line, text)
			}
		}
	})
}

func BenchmarkCompress(b *testing.B) {
	text, words := strings.Repeat(lamp, 4), WordsOf("where does the oil come from")
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Compress(text, Code, words, .5)
	}
}
