package dedup

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
)

// say makes messages of the agent's own.
func say(texts ...string) []Message {
	var list []Message
	for _, t := range texts {
		list = append(list, Message{Content: t})
	}
	return list
}

// angles is an embedder that knows the vector of each text; texts that it does not know are an error.
func angles(degrees map[string]float64) Embedder {
	return func(texts []string) ([][]float32, error) {
		var out [][]float32
		for _, t := range texts {
			d, ok := degrees[t]
			if !ok {
				return nil, fmt.Errorf("no vector for %q", t)
			}
			out = append(out, []float32{float32(3 * math.Cos(d*math.Pi/180)), float32(3 * math.Sin(d*math.Pi/180))})
		}
		return out, nil
	}
}

const (
	redis  = "We decided to use Redis streams for the refresh queue because consumers can claim pending entries."
	yaml   = "Profiles are kept in YAML files and inherit from one another."
	redis2 = "As discussed, Redis streams will carry the refresh queue, since pending entries can be claimed by consumers."
)

func TestNoMessagesDropNothing(t *testing.T) {
	t.Parallel()
	called := func([]string) ([][]float32, error) { t.Error("embedder called"); return nil, nil }
	for _, messages := range [][]Message{nil, {}, say("", " \n")} {
		r := FindRedundant([]string{redis, yaml}, messages, Options{}, called)
		for _, v := range r.Verdicts {
			if v.Redundant || v.Message != -1 || v.By != "" {
				t.Errorf("%+v", v)
			}
		}
	}
	if r := FindRedundant(nil, say(redis), Options{}, called); len(r.Verdicts) != 0 {
		t.Errorf("%+v", r)
	}
}

func TestSimilarByVectorIsRedundant(t *testing.T) {
	t.Parallel()
	embed := angles(map[string]float64{"older": 90, "newer": 0, "same": 0, "near": 31, "far": 32, "like older": 100,
		"against": 225})
	r := FindRedundant([]string{"same", "near", "far", "like older", "against"}, say("older", "newer"),
		Options{}, embed)
	if r.ByWords || r.Err != nil {
		t.Fatalf("%+v", r)
	}
	want := []Verdict{{true, Cosine, 1, 1}, {true, Cosine, math.Cos(31 * math.Pi / 180), 1},
		{false, Cosine, math.Cos(32 * math.Pi / 180), 1}, {true, Cosine, math.Cos(10 * math.Pi / 180), 0},
		{false, "", 0, -1}}
	for i, v := range r.Verdicts { // cos 31° = .857, cos 32° = .848
		if math.Abs(v.Score-want[i].Score) > 1e-6 || v.Redundant != want[i].Redundant || v.Message != want[i].Message ||
			v.By != want[i].By {
			t.Errorf("verdict %d is %+v, want %+v", i, v, want[i])
		}
	}
}

func TestWordsDecideWithoutVectors(t *testing.T) {
	t.Parallel()
	for name, embed := range map[string]Embedder{
		"none":    nil,
		"down":    func([]string) ([][]float32, error) { return nil, errors.New("connection refused") },
		"too few": func([]string) ([][]float32, error) { return [][]float32{{1}}, nil },
		"uneven":  func(texts []string) ([][]float32, error) { return [][]float32{{1}, {1, 2}, {1}}, nil },
		"empty":   func(texts []string) ([][]float32, error) { return make([][]float32, 3), nil },
		"no number": func(texts []string) ([][]float32, error) {
			return [][]float32{{1}, {float32(math.NaN())}, {1}}, nil
		},
	} {
		r := FindRedundant([]string{redis, yaml}, say(redis2), Options{}, embed)
		if !r.ByWords || (r.Err == nil) != (embed == nil) {
			t.Errorf("%s: by words %v, error %v", name, r.ByWords, r.Err)
		}
		if v := r.Verdicts[0]; !v.Redundant || v.By != Words || v.Message != 0 {
			t.Errorf("%s: %+v", name, v)
		}
		if v := r.Verdicts[1]; v.Redundant {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

func TestOverlapIsTheShareOfTheTextsWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, message string
		want          float64
		redundant     bool
	}{
		{"alpha bravo charlie delta", "alpha bravo zulu", .5, false},
		{"alpha bravo charlie delta", "alpha bravo charlie", .75, true},
		{"alpha bravo charlie delta", "nothing of it", 0, false},
		{"The alpha and the bravo", "alpha", .5, false},
		{"alpha alpha alpha bravo", "alpha", .5, false},
		{"parseConfig reads configs", "parse config read configuration", .75, true}, // the compound is missing
		{"12 ab", "ab", 0, false},
		{"the and for", "the and for", 0, false},
		{"", "alpha", 0, false},
	} {
		v := FindRedundant([]string{c.text}, say(c.message), Options{}, nil).Verdicts[0]
		if math.Abs(v.Score-c.want) > 1e-9 || v.Redundant != c.redundant {
			t.Errorf("%q in %q: %+v, want %v", c.text, c.message, v, c.want)
		}
	}
}

func TestLongMessageDoesNotSayWhatLiesFarApart(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("unrelated padding sentence about gardens ", 30)
	apart := "alpha " + filler + "bravo " + filler + "charlie " + filler + "delta"
	if v := FindRedundant([]string{"alpha bravo charlie delta"}, say(apart), Options{}, nil).Verdicts[0]; v.Redundant {
		t.Errorf("%+v", v)
	}
	if v := FindRedundant([]string{"alpha bravo charlie delta"}, say(filler+"delta with alpha and charlie "+filler),
		Options{}, nil).Verdicts[0]; !v.Redundant {
		t.Errorf("%+v", v)
	}
}

func TestOtherNumbersAreNews(t *testing.T) {
	t.Parallel()
	text := "The lease timeout of the worker is 30 seconds"
	if v := FindRedundant([]string{text}, say("the lease timeout of a worker was set to 60 seconds"), Options{},
		nil).Verdicts[0]; v.Redundant {
		t.Errorf("%+v", v)
	}
	if v := FindRedundant([]string{text}, say("the lease timeout of a worker was set to 30 seconds"), Options{},
		nil).Verdicts[0]; !v.Redundant {
		t.Errorf("%+v", v)
	}
}

func TestVerbatimIsRedundantWhateverTheVectorsSay(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("something else entirely. ", 50) + "func Parse(s string)\n\treturn nil\n" +
		strings.Repeat("and more. ", 50)
	text := "func Parse(s string)\n    return nil"
	v := FindRedundant([]string{text, "Parse"}, say("x", long), Options{},
		angles(map[string]float64{long: 0, text: 90, "x": 45, "Parse": 90})).Verdicts
	if v[0] != (Verdict{true, Verbatim, 1, 1}) {
		t.Errorf("%+v", v[0])
	}
	if v[1].Redundant { // too short to mean anything
		t.Errorf("%+v", v[1])
	}
}

func TestOnlyTheLastMessagesCount(t *testing.T) {
	t.Parallel()
	messages := say(redis, "one", "two", "three")
	for turns, want := range map[int]bool{3: false, 4: true, 9: true, 0: true} {
		if v := FindRedundant([]string{redis}, messages, Options{Turns: turns}, nil).Verdicts[0]; v.Redundant != want {
			t.Errorf("%d messages: %+v", turns, v)
		}
	}
}

func TestCompactionResetsTheWindow(t *testing.T) {
	t.Parallel()
	messages := []Message{{Content: redis},
		{Content: "Summary: profiles are kept in YAML files that inherit from one another", Compacted: true},
		{Content: "next"}}
	r := FindRedundant([]string{redis, yaml}, messages, Options{}, nil)
	if r.Verdicts[0].Redundant || !r.Verdicts[1].Redundant || r.Verdicts[1].Message != 1 {
		t.Errorf("%+v", r.Verdicts)
	}
	messages[1].Content = ""
	if r := FindRedundant([]string{redis, yaml}, messages[:2], Options{}, nil); r.Verdicts[0].Redundant ||
		r.Verdicts[1].Redundant {
		t.Errorf("%+v", r.Verdicts)
	}
}

func TestOnlyTheAgentsOwnWindowCounts(t *testing.T) {
	t.Parallel()
	messages := []Message{{Agent: "squire-1", Content: redis}, {Agent: "knight-1", Content: yaml},
		{Agent: "squire-1", Compacted: true}, {Content: "shared remark"}}
	r := FindRedundant([]string{redis, yaml}, messages, Options{Agent: "knight-1", Turns: 2}, nil)
	if r.Verdicts[0].Redundant || !r.Verdicts[1].Redundant {
		t.Errorf("%+v", r.Verdicts)
	}
}

func TestFadeAsksForMoreOfOlderMessages(t *testing.T) {
	t.Parallel()
	embed := angles(map[string]float64{"a": 0, "b": 90, "c": 90, "near a": 20})
	texts, messages := []string{"near a"}, say("a", "b", "c")
	if v := FindRedundant(texts, messages, Options{}, embed).Verdicts[0]; !v.Redundant { // cos 20° = .94
		t.Errorf("without fade: %+v", v)
	}
	v := FindRedundant(texts, messages, Options{Fade: .9}, embed).Verdicts[0]
	if v.Redundant || math.Abs(v.Score-.9*.9*math.Cos(20*math.Pi/180)) > 1e-6 {
		t.Errorf("with fade: %+v", v)
	}
}

func TestOptionsHaveThePublishedDefaults(t *testing.T) {
	t.Parallel()
	if o := (Options{}).WithDefaults(); o.Cosine != .85 || o.Overlap != .5 || o.Turns != 5 || o.Fade != 1 {
		t.Errorf("%+v", o)
	}
}

func TestSameInputSameVerdicts(t *testing.T) {
	t.Parallel()
	first := FindRedundant([]string{redis, yaml}, say(yaml, redis2, redis), Options{}, nil)
	for range 20 {
		if r := FindRedundant([]string{redis, yaml}, say(yaml, redis2, redis), Options{},
			nil); !reflect.DeepEqual(r, first) {
			t.Fatalf("%+v, then %+v", first, r)
		}
	}
}

func FuzzDrop(f *testing.F) {
	f.Add(redis, redis2, uint8(3))
	f.Add("a\x80b", "", uint8(0))
	f.Add("fooBar 12", "foo_bar 12 12", uint8(255))
	f.Fuzz(func(t *testing.T, text, message string, n uint8) {
		r := FindRedundant([]string{text, message}, []Message{{Content: message}, {Content: text, Compacted: n%3 == 0}},
			Options{Turns: int(n%4) + 1}, nil)
		for _, v := range r.Verdicts {
			if !(v.Score >= 0 && v.Score <= 1) || v.Message < -1 || v.Message > 1 || v.Redundant && v.Message < 0 ||
				(v.By == "") != (v.Message < 0) {
				t.Fatalf("%+v", v)
			}
		}
	})
}

func BenchmarkDrop(b *testing.B) {
	var texts []string
	var messages []Message
	for i := range 200 {
		texts = append(texts,
			fmt.Sprintf("We decided in task %d that the handler of endpoint number %d validates its arguments, returns typed errors and logs the request id of the caller.", i, i*7))
	}
	for i := range 8 {
		messages = append(messages,
			Message{Content: strings.Repeat(
				fmt.Sprintf("Then the handler %d was changed so that its arguments are validated and the caller gets an error that tells the field. ", i), 20)})
	}
	b.ReportAllocs()
	for b.Loop() {
		FindRedundant(texts, messages, Options{Turns: 8}, nil)
	}
}
